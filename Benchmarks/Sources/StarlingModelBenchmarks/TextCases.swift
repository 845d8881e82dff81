import Foundation
import Measuring
import Starling

private let copyCount = Scale.isQuick ? 5 : 100

extension Case {
  /// A paper that is typed into a text of a model: where the environment names a trace (`Scripts/bench` sees to it).
  static let texts: [Case] = [
    // Each edit is a transaction, and nobody is connected. What counts is what all threads compute until each change is
    // encoded, which it is for the log: as others compute until they have handed over each update.
    Case("text-local", "text-local-caller") {
      guard let trace = try trace() else { return [] }
      var (callers, all): ([Double], [Double]) = ([], [])
      for round in 0...min(Sampling.count, 3) {
        let alone = try await Alone(Paper.self)
        let body = alone.model.body
        let begin = Sampling.processTime
        let caller = Sampling.computing { body.type(trace.edits) }
        try await alone.replica.flush(until: .sent)
        let whole = Sampling.processTime - begin
        precondition(body.string == trace.end, "The trace ends in another text.")
        try await alone.close()
        guard round > 0 || Scale.isQuick else { continue }
        callers.append(Unit.milliseconds.value(of: caller))
        all.append(Unit.milliseconds.value(of: whole))
      }
      return marked(
        [
          Figure("text-local", .milliseconds, Sample(all), notes: ["\(trace.edits.count) transactions, each one edit"]),
          Figure("text-local-caller", .milliseconds, Sample(callers)),
        ], trace)
    },

    // A store that holds the paper with all its history is opened, and the text gets its next letter.
    Case("text-load-edit") {
      guard let trace = try trace() else { return [] }
      let store = Store()
      try await store.write { replica in
        try replica.model(Paper.self, named: "model", isolation: nil).body.type(trace.edits)
      }
      let times = try await opening(store, of: trace.end.unicodeScalars.count)
      store.remove()
      return marked([Figure("text-load-edit", .milliseconds, Sample(times.map { $0.opening + $0.editing }))], trace)
    },

    // The paper is typed into a text a hundred times, each time behind the last; then the same.
    Case("b4x100", "b4x100-open", "b4x100-first-edit") {
      guard let trace = try trace() else { return [] }
      let store = Store()
      let length = trace.end.unicodeScalars.count
      let begin = Sampling.processTime
      try await store.write { replica in
        let body = try replica.model(Paper.self, named: "model", isolation: nil).body
        for copy in 0..<copyCount {
          // So many edits are one transaction, as a program that imports them would have it.
          for start in stride(from: 0, to: trace.edits.count, by: 1000) {
            withTransaction {
              body.type(trace.edits[start..<min(start + 1000, trace.edits.count)], after: copy * length)
            }
          }
          try await replica.waitForCapacity()
        }
      }
      let typing = Sampling.processTime - begin
      let times = try await opening(store, of: copyCount * length)
      store.remove()
      return marked(
        [
          Figure(
            "b4x100", .milliseconds, Sample([Unit.milliseconds.value(of: typing)]),
            notes: [
              "\(copyCount) times \(trace.edits.count) edits, \(copyCount * length) characters, until all is on disk"
            ]),
          Figure("b4x100-open", .milliseconds, Sample(times.map(\.opening))),
          Figure("b4x100-first-edit", .milliseconds, Sample(times.map(\.editing))),
        ], trace)
    },

    // A store whose log holds each change of the paper: the moment in the middle of it.
    Case("open-history-past") {
      guard let trace = try trace() else { return [] }
      let store = Store()
      var middle = VersionVector()
      try await store.write { replica in
        let body = try replica.model(Paper.self, named: "model", isolation: nil).body
        body.type(trace.edits[..<(trace.edits.count / 2)])
        middle = replica.version
        body.type(trace.edits[(trace.edits.count / 2)...])
      }
      var pasts: [Double] = []
      for _ in 0..<Sampling.count {
        let replica = try await store.open()
        let begin = ContinuousClock.now
        consume(try await replica.document(at: middle).model(Paper.self, named: "model").body.string)
        pasts.append(Unit.milliseconds.value(of: ContinuousClock.now - begin))
        try await replica.close()
      }
      store.remove()
      return marked(
        [Figure("open-history-past", .milliseconds, Sample(pasts), notes: ["\(trace.edits.count) changes in the log"])],
        trace)
    },
  ]

  /// - Returns: milliseconds of opening until the model is there, and of its first edit then.
  private static func opening(_ store: Store, of length: Int) async throws -> [(opening: Double, editing: Double)] {
    var times: [(opening: Double, editing: Double)] = []
    for round in 0..<Sampling.count {
      let begin = ContinuousClock.now
      let replica = try await store.open()
      let body = try replica.model(Paper.self, named: "model", isolation: nil).body
      let opened = ContinuousClock.now
      body.insert("x", at: length / 2)
      let edited = ContinuousClock.now
      precondition(body.count == length + round + 1)
      try await replica.close()
      times.append(
        (Unit.milliseconds.value(of: opened - begin), Unit.milliseconds.value(of: edited - opened)))
    }
    return times
  }

  private static func trace() throws -> TextTrace? {
    guard let path = TextTrace.path else {
      Report.say("The text cases are left out: STARLING_TEXT_TRACE names no trace (Scripts/bench makes one).")
      return nil
    }
    return try TextTrace(contentsOf: path)
  }

  private static func marked(_ figures: [Figure], _ trace: TextTrace) -> [Figure] {
    guard trace.isSynthetic else { return figures }
    return figures.map { figure in
      var figure = figure
      figure.details.append((name: "trace", value: .text("synthetic")))
      figure.notes.append("synthetic trace")
      return figure
    }
  }
}

extension ReplicatedText {
  /// Each edit is a change, unless the caller has a transaction open.
  fileprivate func type(_ edits: some Sequence<TextTrace.Edit>, after start: Int = 0) {
    for edit in edits {
      let position = start + edit.position
      replace(position..<position + edit.deleted, with: edit.inserted)
    }
  }
}
