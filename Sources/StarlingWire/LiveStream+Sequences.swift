import StarlingCore

// Operations on lists and texts in a live stream (Protocol/wire-format.md, "Operations on sequences").
//
// ```
// insert     head [object] [anchor] [count] text | value*
// removeRun  head [object] [item] [count]
// move       head [object] item edge [replaced]
// mark       head [object] name edge edge rank [replaced] value
// ```
//
// A person who types stays in one place, so a stream keeps a cursor: what is typed there says neither object
// nor anchor, what is deleted there says nothing at all.

/// The first byte of an operation on a sequence.
///
/// ```
///            7    6 5       4 3         2        1 0
/// insert     1  | count   | how, what | object | 0
/// removeRun  1  | 0 count | where     | object | 1
/// move       1  | 0 0     | replaced  | object | 2
/// mark       1  | 0 0     | replaced  | object | 3
/// ```
enum SequenceHead {
  /// What tells these heads from those of operations on slots.
  static let flag: UInt8 = 1 << 7

  static let actionMask: UInt8 = 3
  static let insert: UInt8 = 0
  static let removeRun: UInt8 = 1
  static let move: UInt8 = 2
  static let mark: UInt8 = 3

  /// Otherwise it is the cursor's object.
  static let objectGiven: UInt8 = 1 << 2

  /// Of an insertion: values; otherwise a text.
  static let values: UInt8 = 1 << 3
  /// Of an insertion: otherwise it is anchored on the right of the item before the cursor.
  static let anchorGiven: UInt8 = 1 << 4
  /// Of an insertion: how many bytes of text or how many values, 1 to 3; 0 where a number says it.
  static let sizeMask: UInt8 = 3 << 5
  static let sizeMax = 3

  static func size(_ count: Int) -> UInt8 { count <= sizeMax ? UInt8(count) << 5 : 0 }

  static let placeMask: UInt8 = 3 << 3
  static let itemGiven: UInt8 = 0 << 3
  /// The run ends with the item before the cursor, as when one deletes backwards.
  static let backwards: UInt8 = 1 << 3
  /// The run begins with the item after the cursor.
  static let forwards: UInt8 = 2 << 3
  /// Of a removal: otherwise one item.
  static let countGiven: UInt8 = 1 << 5

  static let priorMask: UInt8 = 3 << 3
  static let noPrior: UInt8 = 0 << 3
  /// Of a move: the item that the element was inserted with.
  static let ownItem: UInt8 = 1 << 3
  static let listedPrior: UInt8 = 2 << 3

  static let unusedInRemoval: UInt8 = 1 << 6
  static let unusedInMoveAndMark: UInt8 = 3 << 5
}

/// Where the latest insertion or removal in a sequence left off.
///
/// ```
/// replica's items:   ...  before | removed or none | after  ...
/// ```
struct SequenceCursor: Equatable, Sendable {
  /// The object's number; -1 where no operation was on a sequence yet.
  var object = -1
  /// The number of the replica whose items it stands between; -1 where it stands nowhere.
  var replica = -1
  /// The counter of the item before, 0 where there is none.
  var before: UInt64 = 0
  /// The counter of the item after.
  var after: UInt64 = 0

  mutating func inserted(by replica: Int, upTo last: UInt64) {
    self.replica = replica
    before = last
    after = last + 1
  }

  mutating func removed(_ count: UInt64, from first: UInt64, of replica: Int) {
    self.replica = replica
    before = first - 1
    after = first + count
  }
}
