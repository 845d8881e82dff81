import Counting
import Measuring
import StarlingCore
import StarlingWire

/// What `StarlingBenchmarks --counted NAME` counts.
enum CountedWork {
  static let names =
    [
      "document-set", "document-message", "batch-set", "text-insert-captured", "text-message", "list-insert",
      "list-state-read", "list-state-written", "text-state-written", "keys-walked",
    ] + CountedEngines.names + CountedLog.names

  /// - Returns: How many operations were counted; nil if there is no such work.
  static func run(_ name: String) throws -> Int? {
    switch name {
    case "document-set": return setCaptured()
    case "document-message": return try messageObserved()
    case "batch-set": return try batchSet()
    case "text-insert-captured": return textInsertCaptured()
    case "text-message": return try textMessage()
    case "list-insert": return listInsert()
    case "list-state-read": return try listStateRead()
    case "list-state-written": return stateWritten(.insertNumbersAnywhere(count, seed: 1))
    case "text-state-written": return stateWritten(.prepend(count, seed: 1))
    case "keys-walked": return try keysWalked()
    case _ where CountedEngines.names.contains(name):
      return CountedEngines(isRelay: name == "engine-relay-turn").run(name, count)
    case _ where CountedLog.names.contains(name): return try CountedLog.run(name)
    default: return nil
    }
  }

  private static let count = 5000

  /// Over keys that are known, as those of an application's model are.
  private static func setCaptured() -> Int {
    var captor = Captor()
    let writes = Workload.writes(2 * count)
    for write in writes[..<count] { captor.write(write) }
    Counted.work { for write in writes[count...] { captor.write(write) } }
    return count
  }

  private static func messageObserved() throws -> Int {
    let messages = Case.payloads(of: Workload.writes(2 * count))
    var hearer = Hearer()
    for message in messages[..<count] { try hearer.hear(message) }
    try Counted.work { for message in messages[count...] { try hearer.hear(message) } }
    return messages.count - count
  }

  private static func batchSet() throws -> Int {
    var writer = Writer()
    let changes = Workload.writes(2 * count).compactMap { writer.set($0) }
    var document = Document()
    try History.merge(History.encode(changes[..<count].map { $0 }), into: &document)
    let batch = History.encode(Array(changes[count...]))
    try Counted.work { try History.merge(batch, into: &document) }
    return changes.count - count
  }

  /// Typing, behind a text that was written all over.
  private static func typing() -> (writer: Writer, encoder: LiveEncoder, edits: [TextTrace.Edit], former: [[UInt8]]) {
    var (writer, encoder) = (Writer(), LiveEncoder())
    var former: [[UInt8]] = []
    writer.document.declareSequences()
    EditScript.insertAnywhere(count, seed: 1).write(with: &writer) { change in
      var message: [UInt8] = []
      encoder.encode(change, into: &message)
      former.append(message)
    }
    return (writer, encoder, (0..<count).map { TextTrace.Edit(position: count / 2 + $0, inserted: "x") }, former)
  }

  private static func textInsertCaptured() -> Int {
    var (writer, encoder, edits, _) = typing()
    var payload: [UInt8] = []
    Counted.work {
      for edit in edits {
        var patch = Patch()
        guard let change = writer.edit(edit, patch: &patch) else { continue }
        payload.removeAll(keepingCapacity: true)
        encoder.encode(change, into: &payload)
      }
    }
    return edits.count
  }

  private static func textMessage() throws -> Int {
    var (writer, encoder, edits, former) = typing()
    var hearer = Hearer()
    hearer.document.declareSequences()
    for message in former { try hearer.hear(message) }
    let messages = edits.map { edit in
      var patch = Patch()
      var message: [UInt8] = []
      if let change = writer.edit(edit, patch: &patch) { encoder.encode(change, into: &message) }
      return message
    }
    try Counted.work { for message in messages { try hearer.hear(message) } }
    return messages.count
  }

  /// All over a list.
  private static func listInsert() -> Int {
    var writer = Writer()
    writer.document.declareSequences()
    EditScript.insertNumbersAnywhere(count, seed: 1).write(with: &writer) { _ in }
    guard case .numbers(let edits) = EditScript.insertNumbersAnywhere(count, seed: 2) else { return 0 }
    Counted.work { EditScript.numbers(edits).write(with: &writer) { _ in } }
    return edits.count
  }

  // MARK: States

  /// A document that one writer filled, an edit a transaction.
  private static func document(of script: EditScript) -> Document {
    var writer = Writer()
    writer.document.declareSequences()
    script.write(with: &writer) { _ in }
    return writer.document
  }

  /// From the bytes until each element of the list was looked at.
  private static func listStateRead() throws -> Int {
    let state = State.encode(document(of: .insertNumbersAnywhere(count, seed: 1)))
    try Counted.work {
      let read = try State.decode(state)
      for element in read.elements(in: .list) { consume(read.visible(.element(element), in: .list)) }
    }
    return count
  }

  private static func stateWritten(_ script: EditScript) -> Int {
    let document = document(of: script)
    Counted.work { consume(State.encode(document)) }
    return count
  }

  /// All keys of a map that were left in its stored state.
  private static func keysWalked() throws -> Int {
    var writer = Writer()
    var patch = Patch()
    writer.document.begin(as: writer.replica, now: writer.now)
    for number in 0..<count {
      let value = number % 2 == 1 ? Value.integer(Int64(number)) : .string("value\(number)")
      writer.document.set(value, for: .name("key\(number)"), in: .root, patch: &patch)
    }
    _ = writer.document.commit()
    let opened = try State.decode(State.encode(writer.document))
    Counted.work { opened.forEachVisible(in: .root) { consume($1) } }
    return count
  }
}
