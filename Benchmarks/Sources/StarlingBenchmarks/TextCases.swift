import Measuring
import Foundation
import StarlingCore
import StarlingWire

extension Case {
  /// A text written edit by edit: where the environment names a trace (`Scripts/bench` sees to it).
  static let text: [Case] = [
    Case(
      "document-text-local", "document-text-messages", "document-text-load", "document-text-state",
      "document-text-file", "document-text-batch"
    ) {
      guard let path = TextTrace.path else {
        Report.say("The text cases are left out: STARLING_TEXT_TRACE names no trace (Scripts/bench makes one).")
        return []
      }
      let trace = try TextTrace(contentsOf: path)
      var written = Document()
      let local = Sampling.sample(in: .milliseconds) {
        var writer = Writer()
        writer.document.declareSequences()
        var encoder = LiveEncoder()
        var message: [UInt8] = []
        let duration = Sampling.computing {
          for edit in trace.edits {
            var patch = Patch()
            guard let change = writer.edit(edit, patch: &patch) else { continue }
            message.removeAll(keepingCapacity: true)
            encoder.encode(change, into: &message)
          }
        }
        consume(message)
        written = writer.document
        return duration
      }
      precondition(written.text(in: .text) == trace.end, "The trace ends in another text.")

      let changes = Self.changes(of: trace)
      let messages = Self.messages(of: changes)
      let heard = try Sampling.sample(in: .milliseconds) {
        var hearer = Hearer()
        hearer.document.declareSequences()
        let duration = try Sampling.computing { for message in messages { try hearer.hear(message) } }
        precondition(hearer.document.digest() == written.digest())
        return duration
      }

      let state = State.encode(written)
      let load = try Sampling.sample(in: .milliseconds) {
        var read = ""
        let duration = try Sampling.computing { read = try State.decode(state).text(in: .text) }
        precondition(read == trace.end)
        return duration
      }

      let file = History.encode(changes)
      let batch = try Sampling.sample(in: .milliseconds) {
        var document = Document()
        let duration = try Sampling.computing { try History.merge(file, into: &document) }
        precondition(document.text(in: .text) == trace.end)
        return duration
      }

      var settled = written
      settled.collectTombstones(stable: settled.version)
      let settledBytes = State.encode(settled).count

      let messageBytes = messages.reduce(0) { $0 + $1.count }
      let figures = [
        Figure(
          "document-text-local", .milliseconds, local, notes: ["\(trace.edits.count) transactions, each one edit"]),
        Figure(
          "document-text-messages", .milliseconds, heard,
          notes: ["\((Double(messageBytes) / Double(messages.count)).shortened) bytes a message"]),
        Figure("document-text-load", .milliseconds, load),
        Figure(
          "document-text-state", .bytes, Sample(exactly: Double(state.count)),
          notes: ["without history; \(settledBytes) B once every member has heard of every removal"]),
        Figure("document-text-file", .bytes, Sample(exactly: Double(file.count)), notes: ["every change"]),
        Figure("document-text-batch", .milliseconds, batch),
      ]
      guard trace.isSynthetic else { return figures }
      return figures.map { figure in
        var figure = figure
        figure.details.append((name: "trace", value: .text("synthetic")))
        figure.notes.append("synthetic trace")
        return figure
      }
    }
  ]

  private static func changes(of trace: TextTrace) -> [Change] {
    var writer = Writer()
    writer.document.declareSequences()
    return trace.edits.compactMap { edit in
      var patch = Patch()
      return writer.edit(edit, patch: &patch)
    }
  }

  private static func messages(of changes: [Change]) -> [[UInt8]] {
    var encoder = LiveEncoder()
    return changes.map { change in
      var message: [UInt8] = []
      encoder.encode(change, into: &message)
      return message
    }
  }
}
