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
  private var pieces: ContiguousArray<RowPiece<Row>> = []
  private var free: ContiguousArray<Handle<Row>> = []
  /// How many rows there is memory for: those in use and those given back.
  private(set) var extent = 0

  /// How many rows are in use.
  var count: Int { extent - free.count }

  // Rows are borrowed where they stand; an array's element would be copied whole to look at one field.
  @inline(__always)
  subscript(handle: Handle<Row>) -> Row {
    unsafeAddress { address(of: handle.index) }
    unsafeMutableAddress { mutableAddress(of: handle.index) }
  }

  @inline(__always)
  subscript(index: Int) -> Row {
    unsafeAddress { address(of: index) }
  }

  /// Where the row stands until the table is written.
  @inline(__always)
  func address(of index: Int) -> UnsafePointer<Row> {
    pieces[index >> 9].address(of: index & 511)
  }

  @inline(__always)
  mutating func mutableAddress(of index: Int) -> UnsafeMutablePointer<Row> {
    let piece = index >> 9
    if !isKnownUniquelyReferenced(&pieces[piece]) { pieces[piece] = RowPiece(copying: pieces[piece]) }
    return pieces[piece].mutableAddress(of: index & 511)
  }

  mutating func insert(_ row: Row) -> Handle<Row> {
    if let handle = free.popLast() {
      self[handle] = row
      return handle
    }
    let handle = Handle<Row>(extent)
    makeSpace()
    pieces[pieces.count - 1].append(row)
    extent += 1
    return handle
  }

  /// Makes the last piece one that is not full, and that nobody shares.
  private mutating func makeSpace() {
    let piece = extent >> 9
    if piece == pieces.count {
      // The first piece grows as it is needed: most tables are small.
      pieces.append(RowPiece(capacity: piece == 0 ? 4 : RowPiece<Row>.capacityMax))
    } else if pieces[piece].isFull {
      pieces[piece] = RowPiece(copying: pieces[piece], capacity: min(extent * 2, RowPiece<Row>.capacityMax))
    } else if !isKnownUniquelyReferenced(&pieces[piece]) {
      pieces[piece] = RowPiece(copying: pieces[piece])
    }
  }

  /// Forgets which rows may be handed out: nothing is inserted any more.
  mutating func keepRowsAlone() { free = [] }

  /// How many pieces are not also those of `other`.
  func pieceCount(apartFrom other: RowTable) -> Int {
    pieces.indices.count { $0 >= other.pieces.count || pieces[$0] !== other.pieces[$0] }
  }

  /// Gives the row back; `blank` takes its place, so that nothing it held lives on.
  mutating func remove(_ handle: Handle<Row>, leaving blank: Row) {
    self[handle] = blank
    free.append(handle)
  }
}

/// The memory of up to 512 rows.
///
/// Sendable although its rows are written: only a table that alone refers to the piece writes to it, and to send
/// a table elsewhere is to refer to its pieces from there too.
private final class RowPiece<Row: Sendable>: @unchecked Sendable {
  static var capacityMax: Int { 512 }

  private let rows: UnsafeMutablePointer<Row>
  private let capacity: Int
  private var count = 0

  init(capacity: Int) {
    rows = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  convenience init(copying other: RowPiece, capacity: Int? = nil) {
    self.init(capacity: capacity ?? other.capacity)
    rows.initialize(from: other.rows, count: other.count)
    count = other.count
  }

  deinit {
    rows.deinitialize(count: count)
    rows.deallocate()
  }

  var isFull: Bool { count == capacity }

  @inline(__always)
  func address(of place: Int) -> UnsafePointer<Row> {
    precondition(place < count, "Row \(place) of \(count) in a piece.")
    return UnsafePointer(rows + place)
  }

  @inline(__always)
  func mutableAddress(of place: Int) -> UnsafeMutablePointer<Row> {
    precondition(place < count, "Row \(place) of \(count) in a piece.")
    return rows + place
  }

  func append(_ row: Row) {
    (rows + count).initialize(to: row)
    count += 1
  }
}
