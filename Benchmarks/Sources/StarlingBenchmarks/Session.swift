import Measuring
import StarlingCore
import StarlingWire

// The ways in which the cases send, keep and read back what they wrote, each in one place.

/// A document that hears of others' changes, one message at a time, and an application that looks at the result.
struct Hearer {
  var document: Document
  var decoder = LiveDecoder()
  let observer = PatchObserver()
  private var patch = Patch()

  init(document: Document = Document()) {
    self.document = document
  }

  @inline(__always)
  mutating func hear(_ message: [UInt8]) throws {
    patch.removeAll()
    _ = try decoder.merge(message, into: &document, patch: &patch)
    observer.observe(patch)
  }
}

/// A document whose every write is a transaction of its own, encoded for others and looked at by an application.
struct Captor {
  private var writer = Writer()
  private var encoder = LiveEncoder()
  private(set) var payload: [UInt8] = []
  let observer = PatchObserver()
  private var patch = Patch()

  @inline(__always)
  mutating func write(_ write: Workload.Write) {
    patch.removeAll()
    if let change = writer.set(write, patch: &patch) {
      payload.removeAll(keepingCapacity: true)
      encoder.encode(change, into: &payload)
    }
    observer.observe(patch)
  }
}

/// Changes as the log keeps them, and as an answer to a pull carries them.
enum History {
  static func encode(_ changes: [Change]) -> [UInt8] { Batch.encode(changes) }

  /// Merges all that `bytes` say.
  static func merge(_ bytes: [UInt8], into document: inout Document) throws {
    var patch = Patch()
    _ = try Batch.merge(bytes, into: &document, patch: &patch)
  }
}

/// A document's state as a file keeps it, without history.
enum State {
  static func encode(_ document: Document) -> [UInt8] { SnapshotCoding.encode(document.snapshot()) }
  static func decode(_ bytes: [UInt8]) throws -> Document { try SnapshotCoding.open(bytes) }
}

extension ObjectID {
  /// The text, and the list, that the cases write to.
  static let text = ObjectID.derived(parent: .root, key: "text", kind: .text)
  static let list = ObjectID.derived(parent: .root, key: "list", kind: .list)
}

extension Document {
  /// Makes the text and the list known, as a model that has them does.
  mutating func declareSequences() {
    declare(.text, for: "text", in: .root)
    declare(.list, for: "list", in: .root)
  }
}

extension Writer {
  /// One transaction.
  @inline(__always)
  mutating func write(patch: inout Patch, _ body: (inout Document, inout Patch) -> Void) -> Change? {
    document.begin(as: replica, now: now)
    body(&document, &patch)
    return document.commit()
  }

  /// One transaction that edits the text.
  @inline(__always)
  mutating func edit(_ edit: TextTrace.Edit, patch: inout Patch) -> Change? {
    write(patch: &patch) { document, patch in
      if edit.deleted > 0 {
        document.removeItems(edit.position..<edit.position + edit.deleted, in: .text, patch: &patch)
      }
      if !edit.inserted.isEmpty { document.insert(edit.inserted, at: edit.position, in: .text, patch: &patch) }
    }
  }
}
