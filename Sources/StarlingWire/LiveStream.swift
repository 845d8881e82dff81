import StarlingCore

// A live stream, as both ends see it (Protocol/wire-format.md, "Live streams").
//
// ```
// payload:    change* until the end
// change:     flags [writer] [counter] [stamp] [frontier] [count] operation+ [more]
// operation:  head slot [replaced | birth] [clearing] [value | amount]
// ```
//
// Both ends keep the same state: what they saw last, and four tables whose entries are numbered in
// the order in which they were first named. A payload says a name once and its number from then on.
//
// ```
// replicas   id, the greatest counter named so far
// names      the texts of keys
// objects    root is number 0; assigned, derived (parent, key, kind), or a bare id
// slots      object, key, the dot that last stood there
// ```
//
// Operations on lists and texts are in LiveStream+Sequences.swift.

/// The first byte of a change.
struct ChangeFlags {
  var rawValue: UInt8

  static let writerGiven: UInt8 = 1 << 0
  static let counterGiven: UInt8 = 1 << 1
  static let stampMask: UInt8 = 3 << 2
  static let frontierGiven: UInt8 = 1 << 4
  static let countGiven: UInt8 = 1 << 5
  static let moreGiven: UInt8 = 1 << 6
  static let reserved: UInt8 = 1 << 7

  func has(_ flag: UInt8) -> Bool { rawValue & flag != 0 }
}

/// How a stamp is spelled against the stream's previous one.
enum StampForm {
  static let successor: UInt8 = 0 << 2
  /// A later millisecond, its first stamp.
  static let laterMillisecond: UInt8 = 1 << 2
  static let difference: UInt8 = 2 << 2
  static let same: UInt8 = 3 << 2
}

/// What follows the operations of a change.
enum ChangeMore {
  static let message: UInt8 = 1 << 0
  static let objects: UInt8 = 1 << 1
  static let known: UInt8 = message | objects
}

/// The first byte of an operation.
enum OperationHead {
  static let actionMask: UInt8 = 3
  static let set: UInt8 = 0
  static let remove: UInt8 = 1
  static let increment: UInt8 = 2

  /// Of `set` and `remove`: the entries replaced. Of `increment`: the birth of the share.
  static let priorMask: UInt8 = 3 << 2
  /// None replaced; the share begins here.
  static let noPrior: UInt8 = 0 << 2
  /// Exactly the dot that the slot table holds.
  static let tablePrior: UInt8 = 1 << 2
  static let listedPrior: UInt8 = 2 << 2

  static let clearing: UInt8 = 1 << 4

  static let slotMask: UInt8 = 3 << 5
  static let slotNumber: UInt8 = 0 << 5
  /// The number after that of the previous operation's slot.
  static let slotNext: UInt8 = 1 << 5
  static let slotNew: UInt8 = 2 << 5
  /// The slot of a list's element, which does not enter the table.
  static let slotPassing: UInt8 = 3 << 5
}

/// How a key of a new slot or object is spelled; from `firstNumber` on it is a name's number.
enum TableKeyForm {
  static let newName: UInt64 = 0
  static let integer: UInt64 = 1
  static let bytes: UInt64 = 2
  static let element: UInt64 = 3
  static let firstNumber: UInt64 = 4
}

/// How a new object is spelled; from `firstKind` on it is derived, of that kind.
enum TableObjectForm {
  static let assigned: UInt8 = 0
  static let bare: UInt8 = 1
  static let firstKind: UInt8 = 2
}

/// What the tables of a stream weigh. Where they weigh too much after a change, both ends begin
/// again from nothing, so that a stream may live for years.
struct TableLoad: Equatable, Sendable {
  var replicas = 0
  var names = 0
  var slots = 0
  /// Derived objects, each counted with its derived ancestors, and all other objects.
  var definitions = 0
  /// Bytes of names and of byte keys.
  var keyBytes = 0

  static let replicasMax = 65_536
  static let namesMax = 65_536
  static let slotsMax = 65_536
  static let definitionsMax = 131_072
  static let keyBytesMax = 4 << 20

  var isTooMuch: Bool {
    slots > Self.slotsMax || names > Self.namesMax || replicas > Self.replicasMax
      || definitions > Self.definitionsMax || keyBytes > Self.keyBytesMax
  }
}

/// The version of the coding of batches and tables that this program writes and reads.
let liveVersion: UInt8 = 1
