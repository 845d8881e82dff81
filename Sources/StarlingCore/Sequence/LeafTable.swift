/// The leaves of a sequence. Those of a text that was opened from a store lie there until somebody writes to them;
/// whoever looks into one of them is shown a copy.
///
/// ```
/// rows     | spans, text, links | stored: 7, links | stored: 8, links | spans, text, links | …
///                                    │                  │
/// store                              leaf 6             leaf 7
/// ```
struct LeafTable: Sendable {
  private var rows = RowTable<Leaf>()
  /// Nil where no leaf lies in a store.
  private(set) var store: StoredLeaves?
  /// How many leaves lie there.
  private(set) var storedCount = 0

  init() {}

  /// As many as the store has. All lie there, and have no parents yet.
  init(in store: StoredLeaves) {
    self.store = store
    storedCount = store.count
    for number in 0..<store.count {
      var leaf = Leaf()
      leaf.stored = UInt32(number + 1)
      if number > 0 { leaf.links.previous = LeafHandle(number - 1) }
      if number + 1 < store.count { leaf.links.next = LeafHandle(number + 1) }
      _ = rows.insert(leaf)
    }
  }

  /// How many leaves there are.
  var count: Int { rows.count }
  /// How many rows there is memory for.
  var extent: Int { rows.extent }

  /// A leaf that was read, where it stands; whoever writes to one reads it first.
  @inline(__always)
  subscript(handle: LeafHandle) -> Leaf {
    unsafeAddress {
      let address = rows.address(of: handle.index)
      precondition(address.pointee.stored == 0, "\(handle) lies in the store.")
      return address
    }
    unsafeMutableAddress {
      read(handle)
      return rows.mutableAddress(of: handle.index)
    }
  }

  /// Those of a leaf that is read or not.
  @inline(__always)
  subscript(links handle: LeafHandle) -> Leaf.Links {
    get { rows[handle].links }
    _modify { yield &rows[handle].links }
  }

  mutating func insert(_ leaf: Leaf) -> LeafHandle { rows.insert(leaf) }

  /// Gives back a leaf that holds nothing any more.
  mutating func remove(_ handle: LeafHandle) { rows.remove(handle, leaving: Leaf()) }

  /// Takes the leaf from the store, if it lies there.
  @inline(__always)
  mutating func read(_ handle: LeafHandle) {
    if rows[handle].stored > 0 { fill(handle) }
  }

  // MARK: Looking into a leaf that is read or not

  @inline(__always)
  func withSpans<Result>(of handle: LeafHandle, _ body: (UnsafeBufferPointer<Span>) -> Result) -> Result {
    let address = rows.address(of: handle.index)
    if address.pointee.stored == 0 { return address.pointee.spans.withUnsafeBufferPointer(body) }
    return Self.spans(of: address.pointee.stored, in: store).withUnsafeBufferPointer(body)
  }

  @inline(__always)
  func span(_ place: Int, of handle: LeafHandle) -> Span {
    let address = rows.address(of: handle.index)
    return address.pointee.stored == 0
      ? address.pointee.spans[place] : Self.spans(of: address.pointee.stored, in: store)[place]
  }

  @inline(__always)
  func spanCount(of handle: LeafHandle) -> Int { withSpans(of: handle) { $0.count } }

  /// How many live items, and how many of their bytes, stand in the leaf before a span.
  @inline(__always)
  func measure(_ handle: LeafHandle, before place: Int) -> (live: Int, utf8: Int) {
    withSpans(of: handle) { Leaf.measure($0[..<place]) }
  }

  /// The text of a leaf, where it lies.
  @inline(__always)
  func withText<Result>(of handle: LeafHandle, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let address = rows.address(of: handle.index)
    if address.pointee.stored == 0 { return address.pointee.text.withUnsafeBufferPointer(body) }
    let range = store!.range(ofLeaf: Int(address.pointee.stored) - 1)
    return store!.withText { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }

  // MARK: What lies in the store

  /// Its number there, if the leaf lies there.
  func number(of handle: LeafHandle) -> Int? {
    let stored = rows[handle].stored
    return stored > 0 ? Int(stored) - 1 : nil
  }

  /// Takes all leaves from the store, for whoever goes through them more than once.
  mutating func readAll() {
    guard store != nil else { return }
    for index in 0..<rows.extent { read(LeafHandle(index)) }
  }

  @inline(never)
  private mutating func fill(_ handle: LeafHandle) {
    let number = Int(rows[handle].stored) - 1
    rows[handle].spans = store!.spans(ofLeaf: number)
    rows[handle].text = store!.text(ofLeaf: number)
    rows[handle].stored = 0
    storedCount -= 1
    if storedCount == 0 { store = nil }
  }

  // Handed what it needs and not the table, which would be copied for it.
  @inline(never)
  private static func spans(of stored: UInt32, in store: StoredLeaves?) -> ContiguousArray<Span> {
    store!.spans(ofLeaf: Int(stored) - 1)
  }
}
