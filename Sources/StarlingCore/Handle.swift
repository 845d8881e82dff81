/// A place in one of the document's tables: four bytes that stand for an id, a key or a slot.
///
/// Handles are dense and are used again once their row is free; they never leave the document.
struct Handle<Row>: Hashable, Sendable {
  let rawValue: UInt32

  init(_ index: Int) {
    precondition(index < UInt32.max, "A document holds fewer than 2^32 - 1 of anything; this is number \(index).")
    rawValue = UInt32(truncatingIfNeeded: index)
  }

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Stands for "no row".
  static var none: Handle { Handle(rawValue: .max) }

  var isNone: Bool { rawValue == .max }
  var index: Int { Int(rawValue) }
}

typealias ReplicaHandle = Handle<ReplicaID>
typealias KeyHandle = Handle<KeyRow>
typealias ObjectHandle = Handle<ObjectRow>
typealias SlotHandle = Handle<SlotRow>
typealias CompoundHandle = Handle<CompoundRow>

/// Rows in one flat array; rows that were given back are handed out first.
struct RowTable<Row: Sendable>: Sendable {
  private(set) var rows: ContiguousArray<Row> = []
  private var free: ContiguousArray<Handle<Row>> = []

  /// How many rows are in use.
  var count: Int { rows.count - free.count }
  /// How many rows there is memory for in the array: those in use and those given back.
  var extent: Int { rows.count }

  @inline(__always)
  subscript(handle: Handle<Row>) -> Row {
    _read { yield rows[handle.index] }
    _modify { yield &rows[handle.index] }
  }

  mutating func insert(_ row: Row) -> Handle<Row> {
    if let handle = free.popLast() {
      rows[handle.index] = row
      return handle
    }
    if rows.count == rows.capacity {
      // Doubling would leave half of a large table empty.
      rows.reserveCapacity(rows.count < 4096 ? max(4, rows.count * 2) : rows.count + rows.count / 4)
    }
    rows.append(row)
    return Handle(rows.count - 1)
  }

  /// Gives the row back; `blank` takes its place, so that nothing it held lives on.
  mutating func remove(_ handle: Handle<Row>, leaving blank: Row) {
    rows[handle.index] = blank
    free.append(handle)
  }
}
