/// The leaves of a sequence. Those of a text that was opened from a store lie there until somebody writes to them;
/// whoever reads one of them is shown a copy.
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
  private var storedCount = 0

  init() {}

  /// As many as the store has, all of which lie there; they have no parents yet.
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

  // One yield, so that it is inlined: what is here is borrowed where it stands.
  @inline(__always)
  subscript(handle: LeafHandle) -> Leaf {
    _read {
      let isStored = rows[handle].stored > 0
      let address = isStored ? copy(handle) : rows.address(of: handle.index)
      defer { if isStored { Self.drop(address) } }
      yield address.pointee
    }
    _modify {
      if rows[handle].stored > 0 { read(handle) }
      yield &rows[handle]
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

  /// The text of a leaf, where it lies.
  func withText(of handle: LeafHandle, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    if let number = number(of: handle), let store {
      store.withText { body(UnsafeBufferPointer(rebasing: $0[store.range(ofLeaf: number)])) }
    } else {
      rows[handle].text.withUnsafeBufferPointer(body)
    }
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
    for index in 0..<rows.extent where rows[index].stored > 0 { read(LeafHandle(index)) }
  }

  @inline(never)
  private func copy(_ handle: LeafHandle) -> UnsafePointer<Leaf> {
    let copy = UnsafeMutablePointer<Leaf>.allocate(capacity: 1)
    copy.initialize(to: rows[handle])
    fill(&copy.pointee)
    return UnsafePointer(copy)
  }

  @inline(never)
  private static func drop(_ copy: UnsafePointer<Leaf>) {
    let copy = UnsafeMutablePointer(mutating: copy)
    copy.deinitialize(count: 1)
    copy.deallocate()
  }

  @inline(never)
  private mutating func read(_ handle: LeafHandle) {
    fill(&rows[handle])
    rows[handle].stored = 0
    storedCount -= 1
    if storedCount == 0 { store = nil }
  }

  private func fill(_ leaf: inout Leaf) {
    let number = Int(leaf.stored) - 1
    leaf.spans = store!.spans(ofLeaf: number)
    leaf.text = store!.text(ofLeaf: number)
  }
}
