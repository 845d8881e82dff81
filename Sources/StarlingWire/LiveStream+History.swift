import StarlingCore

// A row of changes that only type and delete in one text, by columns: in a batch it stands in place of
// its changes (Protocol/wire-format.md, "Histories").
//
// ```
// begin  count  writer  counter  object
// operations of each change   as runs
// strokes                     as many as make the operations
// text                        of all insertions, as one
// stamps                      as runs
// ```
//
// Nothing is set aside for what runs announce before the strokes and the text, which cost bytes, are read.

/// The first byte, where a change has its flags.
let historyHead: UInt8 = ChangeFlags.reserved

/// A history of fewer changes costs more than they do one by one.
let historyChangeCountMin = 4

/// The first number of a stroke: 16 * (operations - 1) + bits.
enum StrokeHead {
  static let actionMask: UInt64 = 3
  static let insert: UInt64 = 0
  static let removeForwards: UInt64 = 1
  static let removeBackwards: UInt64 = 2
  /// Otherwise it goes on at the cursor.
  static let placeGiven: UInt64 = 1 << 2
  /// Otherwise each operation is of one item.
  static let sizeGiven: UInt64 = 1 << 3
  static let countShift: UInt64 = 4
}

/// The first number of a run of stamps: 4 * changes + form.
enum StampRun {
  static let formMask: UInt64 = 3
  /// Each the one before plus 1.
  static let successors: UInt64 = 0
  /// Each so many milliseconds after the one before, its first stamp.
  static let evenly: UInt64 = 1
  /// The same, with a number for each.
  static let later: UInt64 = 2
  /// Milliseconds and logical count of each.
  static let whole: UInt64 = 3
  static let countShift: UInt64 = 2
}
