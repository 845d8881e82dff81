/// What every peer takes of one change. A write beyond is refused where it is made, for what was logged
/// could never be sent (Protocol/wire-format.md, "Limits").
public enum ChangeLimits {
  /// Bytes of a frame, in which a change travels whole.
  public static let frameByteCountMax = 16 << 20
  /// Bytes of a change, reckoned generously: a frame, less space for its head, for the change's message and
  /// for a frontier that grows while the change is open.
  public static let byteCountMax = frameByteCountMax - 256 << 10
  /// Operations of a change, and the values that they insert into lists.
  public static let operationCountMax = 1 << 20
  /// Derived objects that a change defines, each counted once more for every one that it stands in.
  public static let definitionCountMax = 1 << 20
  /// Bytes of one key.
  public static let keyByteCountMax = 1 << 16
  /// Bytes of a change's message.
  public static let messageByteCountMax = 1 << 16
  /// How many derived objects may stand inside one another.
  public static let nestingDepthMax = 64
  /// Items of a list or text, removed ones included.
  public static let itemCountMax = SequenceTree.itemCountMax
  /// What a document's snapshot lists (Protocol/wire-format.md, "Limits") when nothing more is added to it here.
  /// Readers take twice as much: replicas that add at once may pass this together.
  public static let snapshotEntryCountMax = 1 << 24
  /// Operations of one replica that a state may claim. Nobody writes as many, and a writer that was said to have could
  /// hardly write more.
  public static let claimedCounterMax: UInt64 = 1 << 62
  /// The last counter after which a replica begins nothing more: the rest of a change has to fit below 2^63.
  static let counterMax: UInt64 = 1 << 63 - 1 << 32
}

/// A write that no peer would take, and that was therefore not made.
public struct OversizedWrite: Error, Hashable, Sendable {
  /// What of it is too large.
  public enum Part: Hashable, Sendable {
    /// The key has more than `limit` bytes.
    case key
    /// The value has more bytes than a change may have beside what names its place.
    case value
    /// The transaction under way would have more than `limit` bytes with it.
    case transactionBytes
    /// The transaction under way has `limit` operations, each value that is inserted into a list counted as one.
    case transactionOperations
    /// The transaction under way would name more objects than a peer takes at once.
    case transactionObjects
    /// The object stands within more than `limit` others.
    case depth
    /// The list or text might hold more than `limit` items, removed ones included.
    case items
    /// The document's snapshot would list more than `limit` objects, slots, runs and the like.
    case document
    /// The replica has used up its counters.
    case counters
    /// The transaction's message has more than `limit` bytes; the transaction stands without it.
    case message
  }

  public var part: Part
  /// The slot that was to be written, where it is one.
  public var object: ObjectID
  public var key: Key
  /// What was asked for, and what may be.
  public var size: Int
  public var limit: Int

  public init(_ part: Part, object: ObjectID, key: Key, size: Int, limit: Int) {
    self.part = part
    self.object = object
    self.key = key
    self.size = size
    self.limit = limit
  }
}

extension OversizedWrite: CustomStringConvertible {
  public var description: String {
    switch part {
    case .key: "the key \(shownKey) has \(size) bytes where \(limit) are allowed; use a shorter one"
    case .value:
      "the value under \(shownKey) has \(size) bytes where \(limit) fit; keep it elsewhere and write where, or write it in parts"
    case .transactionBytes:
      "the transaction would have \(size) bytes with what was written under \(shownKey), where \(limit) are allowed; write in several transactions"
    case .transactionOperations:
      "the transaction would have \(size) operations with the one under \(shownKey), where \(limit) are allowed; write in several transactions"
    case .transactionObjects:
      "the transaction would name \(size) objects with what was written under \(shownKey), where \(limit) are allowed; write in several transactions"
    case .items: "the list or text would hold \(size) items where \(limit) are allowed; go on in another one"
    case .document:
      "the document holds \(size) things where \(limit) are allowed, so that no more can be added under \(shownKey); remove some, or go on in another document"
    case .counters: "the replica has written all it may under its id; write under another one"
    case .depth: "the object that has \(shownKey) stands \(size) deep where \(limit) are allowed; refer to it instead"
    case .message: "the message of a transaction has \(size) bytes where \(limit) are allowed; use a shorter one"
    }
  }

  /// Of a long key, its beginning.
  private var shownKey: String {
    switch key {
    case .name(let name) where name.utf8.count > 64: "'\(name.prefix(32))…'"
    case .bytes(let bytes) where bytes.count > 64: "a key of \(bytes.count) bytes"
    default: "\(key)"
    }
  }
}
