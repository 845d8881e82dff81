import StarlingCore
import StarlingEngine
import StarlingTestSupport
import Testing

/// A sentence that holds of every change log, wherever it keeps what it is given.
///
/// ```swift
/// @Test(arguments: LogContract.all) func `holds to what a log owes`(_ clause: LogContract) async throws {
///   try await clause.check(TestDirectory())
/// }
/// ```
package struct LogContract: Sendable, CustomTestStringConvertible {
  package let testDescription: String
  /// Checks it of a log that is new.
  package let check: @Sendable (any LogHome) async throws -> Void

  init(_ sentence: String, _ check: @escaping @Sendable (any LogHome) async throws -> Void) {
    testDescription = sentence
    self.check = check
  }

  package static let all: [LogContract] = [
    LogContract("begins empty and without a replica id") { home in
      let log = home.log()
      let opened = try await log.open()
      #expect(opened.replica == nil)
      #expect(opened.documents.isEmpty)
      #expect(opened.isDurable)
      let recovered = try await log.recover(library)
      #expect(recovered.snapshot == nil && recovered.records.isEmpty)
      let answer = try await log.records(in: library, after: VersionVector(), byteCountMax: 100).plain
      #expect(answer?.records == [] && answer?.isComplete == true)
    },

    LogContract("returns the records of each document in the order of appending") { home in
      let log = home.log()
      let opened = try await log.open()
      let first = [record(bob, 1...3), record(ada, 1, in: garden), record(ada, 1)]
      let second = [record(bob, 4), record(bob, 1, in: garden)]
      try await log.append(first)
      try await log.append([])
      try await log.append(second)
      expectEqual(try await log.recover(library).records, [first[0], first[2], second[0]])
      try await log.close(continuing: ada)

      let later = home.log()
      let reopened = try await later.open()
      #expect(reopened.store == opened.store)
      #expect(reopened.documents == [garden, library])
      expectEqual(try await later.recover(library).records, [first[0], first[2], second[0]])
      expectEqual(try await later.recover(garden).records, [first[1], second[1]])
    },

    /// Two writers with three records each, in every interleaving; every asker; three sizes of answer.
    LogContract("answers every asker of every small world") { home in
      let log = home.log()
      _ = try await log.open()
      for (number, order) in interleavings(3, 3).enumerated() {
        let world = DocumentID("world \(number)")!
        let model = LogModel(records: order.map { $0.moved(to: world) })
        for record in model.records { try await log.append([record]) }
        try await expectAnswers(of: log, in: world, as: model, "appended \(order.map(\.replica))")
        _ = try await log.recover(world)
        try await expectAnswers(of: log, in: world, as: model, "recovered \(order.map(\.replica))")
      }
    },

    /// Every interleaving of two and two, folded at every version and again at every later one.
    LogContract("folds every small world at every version") { home in
      let log = home.log()
      _ = try await log.open()
      let versions = smallVersions(3)
      var models: [DocumentID: LogModel] = [:]
      var candidates = 0
      for (number, order) in interleavings(2, 2).enumerated() {
        for first in versions {
          for second in versions where second.covers(first) && home.takes(&candidates) {
            let world = DocumentID("world \(number) at \(first), \(second)")!
            var model = LogModel(records: order.map { $0.moved(to: world) })
            try await log.append(model.records)
            for version in [first, second] {
              try await log.compact(world, into: snapshot(version))
              model.compact(into: snapshot(version))
            }
            models[world] = model
          }
        }
      }
      for (world, model) in models { try await expectAnswers(of: log, in: world, as: model, "\(world)") }
      let later = try home.crashed().log()
      _ = try await later.open()
      for (world, model) in models {
        try await expectContent(of: later, in: world, as: model, "\(world) after a crash")
      }
    },

    LogContract("does not keep a record that the snapshot covers") { home in
      let log = home.log()
      _ = try await log.open()
      try await log.compact(library, into: snapshot(version([ada: 4])))
      try await log.append([record(ada, 3...4), record(ada, 4...5)])
      expectEqual(try await log.recover(library).records, [record(ada, 4...5)])
    },

    LogContract("remembers who takes part, through a crash and a fold") { home in
      let log = home.log()
      _ = try await log.open()
      try await log.append([record(ada, 1)])
      let first = LogMember(store: StoreID(rawValue: 1), acknowledged: VersionVector(), heardAt: 0)
      let second = LogMember(store: StoreID(rawValue: .max), acknowledged: version([ada: 1, bob: 9]), heardAt: .max)
      try await log.remember([first, second], of: library)
      try await log.remember([first], of: garden)
      try await log.remember([], of: garden)
      try await log.compact(library, into: snapshot(version([ada: 1])))
      let later = try home.crashed().log()
      _ = try await later.open()
      for log in [log, later] {
        #expect(try await log.recover(library).members == [first, second])
        #expect(try await log.recover(garden).members == [])
      }
    },

    LogContract("remembers what is lent, through a crash and a fold") { home in
      let log = home.log()
      _ = try await log.open()
      try await log.append([record(ada, 1)])
      let free = LogLease(replica: ada, number: 1, counter: 0, holder: nil, user: nil)
      let leased = LogLease(
        replica: bob, number: .max, counter: 1 << 62, holder: StoreID(rawValue: 0), user: "the key of somebody")
      try await log.remember(leases: [free], of: library)
      try await log.remember(leases: [free, leased], of: library)
      try await log.remember(leases: [leased], of: garden)
      try await log.remember(leases: [], of: garden)
      try await log.compact(library, into: snapshot(version([ada: 1])))
      let later = try home.crashed().log()
      _ = try await later.open()
      for log in [log, later] {
        #expect(try await log.recover(library).leases == [free, leased])
        #expect(try await log.recover(garden).leases == [])
      }
    },

    LogContract("keeps whole what a snapshot covers in part, in both directions") { home in
      let log = home.log()
      _ = try await log.open()
      let order = [record(ada, 1...2), record(bob, 1...3), record(ada, 3...6), record(bob, 4...4), record(ada, 7...9)]
      try await log.append(order)
      var model = LogModel(records: order)
      let logStarts = [[ada: 4], [ada: 4, bob: 2], [ada: 6, bob: 3], [ada: 8, bob: 4]] as [[ReplicaID: UInt64]]
      for logStart in logStarts.map(version) {
        try await log.compact(library, into: snapshot(logStart))
        model.compact(into: snapshot(logStart))
        try await expectAnswers(of: log, as: model, "floor \(logStart)")
      }
    },

    LogContract("refuses a snapshot behind its floor") { home in
      let log = home.log()
      _ = try await log.open()
      try await log.compact(library, into: snapshot(version([ada: 4])))
      await expectError(.misuse) { try await log.compact(library, into: snapshot(version([ada: 3, bob: 9]))) }
      #expect(try await log.recover(library).snapshot == snapshot(version([ada: 4])))
    },

    LogContract("keeps the order of appending where counters do not follow it") { home in
      let log = home.log()
      _ = try await log.open()
      let order = [record(ada, 7...8), record(bob, 1), record(ada, 1...6), record(ada, 7...8), record(ada, 9)]
      for record in order { try await log.append([record]) }
      try await expectAnswers(of: log, as: LogModel(records: order), "as appended")
      let later = try home.crashed().log()
      _ = try await later.open()
      try await expectAnswers(of: later, as: LogModel(records: order), "opened again")
      try await expectContent(of: later, as: LogModel(records: order), "opened again")
      try await expectAnswers(of: later, as: LogModel(records: order), "recovered")
    },

    /// Many writers of unequal length in a seeded order, asked page by page.
    LogContract("pages through what a far asker lacks") { home in
      for seed in 1...3 as ClosedRange<UInt64> { try await expectPages(of: home.another().log(), seed: seed) }
    },

    LogContract("refuses counters that cannot be, with the whole call") { home in
      let log = home.log()
      _ = try await log.open()
      for (first, last) in [(0, 1), (2, 1), (1, 1 << 63)] as [(UInt64, UInt64)] {
        let bad = LogRecord(document: library, replica: ada, firstCounter: first, lastCounter: last, bytes: [])
        await expectError(.misuse) { try await log.append([record(bob, 1), bad]) }
      }
      #expect(try await log.recover(library).records.isEmpty)
      let greatest = record(ada, 1...(1 << 63 - 1))
      try await log.append([greatest])
      expectEqual(try await log.recover(library).records, [greatest])
    },

    LogContract("refuses every call out of turn") { home in
      let log = home.log()
      for isClosed in [false, true] {
        if isClosed {
          _ = try await log.open()
          try await log.close(continuing: ada)
        }
        await expectError(.misuse) { _ = try await log.recover(library) }
        await expectError(.misuse) { try await log.append([record(ada, 1)]) }
        await expectError(.misuse) { _ = try await log.records(in: library, after: VersionVector(), byteCountMax: 1) }
        await expectError(.misuse) {
          _ = try await log.records(in: library, before: VersionVector(), byteCountMax: 1)
        }
        await expectError(.misuse) { _ = try await log.extent(of: library) }
        await expectError(.misuse) { _ = try await log.snapshot(of: library) }
        await expectError(.misuse) { try await log.remember([], of: library) }
        await expectError(.misuse) { try await log.compact(library, into: snapshot(VersionVector())) }
        await expectError(.misuse) { try await log.close(continuing: ada) }
      }
    },

    LogContract("hands its replica id out again after a clean close, and only then") { home in
      let log = home.log()
      _ = try await log.open()
      try await log.append([record(ada, 1)])
      try await log.close(continuing: ada)
      let second = home.log()
      #expect(try await second.open().replica == ada)
      let crashed = try home.crashed()
      #expect(try await crashed.log().open().replica == nil)
    },

    LogContract("holds after a crash exactly what it acknowledged") { home in
      let log = home.log()
      _ = try await log.open()
      var model = LogModel()
      for step in 1...12 as ClosedRange<UInt64> {
        if step.isMultiple(of: 5) {
          let compacted = snapshot(version([ada: step - 2, bob: 2]))
          try await log.compact(library, into: compacted)
          model.compact(into: compacted)
        } else {
          let group = [record(ada, step), record(bob, step)]
          try await log.append(group)
          model.records += group
        }
        guard home.isCopiedByCrash else { continue }
        let survivor = try home.crashed().log()
        #expect(try await survivor.open().replica == nil)
        try await expectContent(of: survivor, as: model, "step \(step)")
      }
      let last = try home.crashed().log()
      #expect(try await last.open().replica == nil)
      try await expectContent(of: last, as: model, "the end")
    },

    LogContract("appends for a task that was cancelled") { home in
      let log = home.log()
      _ = try await log.open()
      try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await log.append([record(ada, 1)])
      }.value
      expectEqual(try await log.recover(library).records, [record(ada, 1)])
    },
  ]

  /// What a log owes beside, that can keep records which a snapshot covers.
  package static let keeping: [LogContract] = [
    LogContract("keeps below a snapshot what it is told to keep, and nothing else returns it") { home in
      let log = home.log()
      _ = try await log.open()
      let order = [record(ada, 1...2), record(bob, 1...3), record(ada, 3...6), record(bob, 4), record(ada, 7...9)]
      try await log.append(order)
      let compacted = snapshot(version([ada: 7, bob: 4]))
      try await log.compact(library, into: compacted, keeping: [ada: 2])
      var model = LogModel(records: order)
      model.compact(into: compacted)
      try await expectAnswers(of: log, as: model, "folded")
      let later = try home.crashed().log()
      _ = try await later.open()
      for log in [log, later] {
        try await expectAnswers(of: log, as: model, "folded")
        expectEqual(try await log.recover(library).records, [order[2], order[4]])
        try await expectAnswers(of: log, as: model, "recovered")
        let all = try await log.records(in: library, by: [ada, bob], after: VersionVector(), byteCountMax: .max).plain
        expectEqual(all?.records, [order[2], order[4]])
        let first = try await log.records(in: library, by: [ada, bob], after: VersionVector(), byteCountMax: 1).plain
        expectEqual(first?.records, [order[2]])
        #expect(all?.isComplete == true && first?.isComplete == false)
        let rest = try await log.records(
          in: library, by: [ada], after: version([ada: 6]), byteCountMax: .max
        ).plain
        expectEqual(rest?.records, [order[4]])
        let others = try await log.records(in: library, by: [bob], after: VersionVector(), byteCountMax: .max).plain
        expectEqual(others?.records, [])
        #expect(
          try await log.extent(of: library) == LogExtent(logStart: compacted.version, head: version([ada: 9, bob: 4])))
      }
      try await later.compact(library, into: snapshot(version([ada: 8, bob: 4])), keeping: [ada: 6])
      expectEqual(try await later.recover(library).records, [order[4]])
      try await later.compact(library, into: snapshot(version([ada: 9, bob: 4])), keeping: [ada: 9])
      expectEqual(try await later.recover(library).records, [])
    },

    LogContract("keeps by the same rule what comes after the snapshot that covers it") { home in
      let log = home.log()
      _ = try await log.open()
      try await log.compact(library, into: snapshot(version([ada: 4, bob: 2])), keeping: [ada: 1])
      try await log.append([record(ada, 1), record(bob, 1...2), record(ada, 2...4), record(ada, 5)])
      let later = try home.crashed().log()
      _ = try await later.open()
      for log in [log, later] {
        expectEqual(try await log.recover(library).records, [record(ada, 2...4), record(ada, 5)])
        let lacking = try await log.records(
          in: library, after: version([ada: 4, bob: 2]), byteCountMax: .max
        ).plain
        expectEqual(lacking?.records, [record(ada, 5)])
      }
    },
  ]

  /// What a log owes beside, that can take changes back.
  package static let retracting: [LogContract] = [
    LogContract("takes back what lies beyond a counter, and appends in its place, in one step") { home in
      let log = home.log()
      #expect(log.retractsChanges)
      _ = try await log.open()
      let order = [record(ada, 1...2), record(bob, 1), record(ada, 3), record(carl, 1...4), record(ada, 4...9)]
      let others = [record(ada, 1...9, in: garden)]
      try await log.append(order + others)
      let fresh = [record(bob, 2), record(dora, 1...3)]
      try await log.retract(library, beyond: [ada: 3, carl: 0, dora: 0], appending: fresh)
      let model = LogModel(records: [order[0], order[1], order[2]] + fresh)
      try await expectAnswers(of: log, as: model, "taken back")
      let later = try home.crashed().log()
      _ = try await later.open()
      for log in [log, later] {
        try await expectContent(of: log, as: model, "taken back")
        try await expectAnswers(of: log, as: model, "recovered")
        expectEqual(try await log.recover(garden).records, others)
      }
      try await later.retract(library, beyond: [dora: 0], appending: [])
      try await later.append([record(dora, 1...2)])
      expectEqual(try await later.recover(library).records, Array(model.records.dropLast()) + [record(dora, 1...2)])
    },

    LogContract("takes back nothing of a record that would be cut, nor what is in its snapshot") { home in
      let log = home.log()
      _ = try await log.open()
      let order = [record(ada, 1...2), record(ada, 3...6), record(bob, 1)]
      try await log.append(order)
      try await log.compact(library, into: snapshot(version([ada: 2])))
      await expectError(.misuse) {
        try await log.retract(library, beyond: [ada: 4, bob: 0], appending: [record(dora, 1)])
      }
      await expectError(.misuse) {
        try await log.retract(library, beyond: [ada: 1, bob: 0], appending: [record(dora, 1)])
      }
      expectEqual(try await log.recover(library).records, [order[1], order[2]])
      try await log.retract(library, beyond: [ada: 2], appending: [record(dora, 1)])
      let later = try home.crashed().log()
      _ = try await later.open()
      for log in [log, later] {
        expectEqual(try await log.recover(library).records, [order[2], record(dora, 1)])
        #expect(
          try await log.extent(of: library)
            == LogExtent(logStart: version([ada: 2]), head: version([ada: 2, bob: 1, dora: 1])))
      }
    },
  ]
}

private func expectPages(of log: any ChangeLog, seed: UInt64) async throws {
  var generator = Dice(seed: seed)
  _ = try await log.open()
  var heads = [UInt64](repeating: 0, count: 40)
  let order = (0..<9000).map { _ in
    let writer = Int.random(in: 0..<(Bool.random(using: &generator) ? 40 : 2), using: &generator)
    heads[writer] += 1
    return record(ReplicaID(rawValue: UInt64(writer) &* 0x9E37_79B9_7F4A_7C15), heads[writer])
  }
  for start in stride(from: 0, to: order.count, by: 500) {
    try await log.append(Array(order[start..<min(start + 500, order.count)]))
  }
  _ = try await log.recover(library)
  for byteCountMax in [40_000, 1_000_000] {
    var version = VersionVector()
    var received: [LogRecord] = []
    var isComplete = false
    while !isComplete {
      let answer = try #require(
        try await log.records(in: library, after: version, byteCountMax: byteCountMax).plain)
      received += answer.records
      for record in answer.records { version[record.replica] = record.lastCounter }
      isComplete = answer.isComplete
    }
    expectEqual(received, order, "seed \(seed)")

    var past: [LogRecord] = []
    isComplete = false
    while !isComplete {
      let answer = try #require(
        try await log.records(in: library, before: version, byteCountMax: byteCountMax).plain)
      past += answer.records
      for record in answer.records { version[record.replica] = record.firstCounter - 1 }
      isComplete = answer.isComplete
    }
    expectEqual(past, order.reversed(), "seed \(seed)")
    #expect(version.isEmpty)
  }
}

/// Every order in which `ada` and `bob` append their records.
func interleavings(_ adas: UInt64, _ bobs: UInt64) -> [[LogRecord]] {
  func extend(_ order: [LogRecord], _ ada: UInt64, _ bob: UInt64) -> [[LogRecord]] {
    if ada == adas, bob == bobs { return [order] }
    var orders: [[LogRecord]] = []
    if ada < adas { orders += extend(order + [record(StarlingLogTestSupport.ada, ada + 1)], ada + 1, bob) }
    if bob < bobs { orders += extend(order + [record(StarlingLogTestSupport.bob, bob + 1)], ada, bob + 1) }
    return orders
  }
  return extend([], 0, 0)
}

extension LogRecord {
  func moved(to document: DocumentID) -> LogRecord {
    var record = self
    record.document = document
    return record
  }
}

func smallVersions(_ greatest: UInt64) -> [VersionVector] {
  (0...greatest).flatMap { adas in (0...greatest).map { version([ada: adas, bob: $0]) } }
}

func expectAnswers(
  of log: any ChangeLog, in document: DocumentID = library, as model: LogModel, _ comment: String
) async throws {
  for version in smallVersions(model.records.map(\.lastCounter).max() ?? 3) {
    for byteCountMax in [0, 60, 1000] {
      let answer = try await log.records(in: document, after: version, byteCountMax: byteCountMax).plain
      let expected = model.answer(to: version, byteCountMax: byteCountMax)
      expectEqual(answer?.records, expected?.records, comment)
      #expect(answer?.isComplete == expected?.isComplete, "\(comment)")
      let past = try await log.records(in: document, before: version, byteCountMax: byteCountMax).plain
      let expectedPast = model.past(of: version, byteCountMax: byteCountMax)
      expectEqual(past?.records, expectedPast.records, "before \(version), \(comment)")
      #expect(past?.isComplete == expectedPast.isComplete, "before \(version), \(comment)")
    }
  }
  let extent = try await log.extent(of: document)
  #expect(extent == LogExtent(logStart: model.logStart, head: model.head), "\(comment)")
}

func expectContent(
  of log: any ChangeLog, in document: DocumentID = library, as model: LogModel, _ comment: String
) async throws {
  let recovered = try await log.recover(document)
  #expect(recovered.snapshot?.version == model.snapshot?.version, "\(comment)")
  #expect(recovered.snapshot?.bytes == model.snapshot?.bytes, "\(comment)")
  #expect(try await log.snapshot(of: document) == model.snapshot, "\(comment)")
  expectEqual(recovered.records, model.records, comment)
}
