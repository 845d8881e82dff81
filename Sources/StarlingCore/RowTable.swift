/// Rows in flat pieces of 512; rows that were given back are handed out first.
///
/// ```
/// handle:  31            9 8        0
///         +---------------+----------+
///         | piece         | place    |
///         +---------------+----------+
/// ```
///
/// Pieces never move: a growing table copies nothing and leaves at most one piece half empty, and a
/// copy of a document shares all pieces but those that were written since.
struct RowTable<Row: Sendable>: Sendable {
  private var pieces: ContiguousArray<ContiguousArray<Row>> = []
  private var free: ContiguousArray<Handle<Row>> = []
  /// How many rows there is memory for: those in use and those given back.
  private(set) var extent = 0

  private static var rowsPerPiece: Int { 512 }

  /// How many rows are in use.
  var count: Int { extent - free.count }

  @inline(__always)
  subscript(handle: Handle<Row>) -> Row {
    _read { yield pieces[handle.index >> 9][handle.index & 511] }
    _modify { yield &pieces[handle.index >> 9][handle.index & 511] }
  }

  @inline(__always)
  subscript(index: Int) -> Row {
    _read { yield pieces[index >> 9][index & 511] }
  }

  mutating func insert(_ row: Row) -> Handle<Row> {
    if let handle = free.popLast() {
      self[handle] = row
      return handle
    }
    let handle = Handle<Row>(extent)
    if extent & 511 == 0 {
      pieces.append([])
      // The first piece grows as it is needed: most tables are small.
      if extent > 0 { pieces[pieces.count - 1].reserveCapacity(Self.rowsPerPiece) }
    }
    pieces[pieces.count - 1].append(row)
    extent += 1
    return handle
  }

  /// Gives the row back; `blank` takes its place, so that nothing it held lives on.
  mutating func remove(_ handle: Handle<Row>, leaving blank: Row) {
    self[handle] = blank
    free.append(handle)
  }
}
