/// The order of a text's items as a store keeps it, leaf by leaf: what each leaf holds in all is here, its spans are
/// not (Documentation/Decisions/lazy-snapshots.md).
package struct StoredOrder: Sendable {
  /// How many items there are, live and dead, and how many spans they make.
  package var itemCount: Int
  package var spanCount: Int
  /// Those that inserted something; the spans and the steps name them by their places here.
  package var replicas: [ReplicaID]
  /// One for each leaf, in order.
  package var leaves: ContiguousArray<Sums>
  package var steps: [Steps]
  /// Where each leaf begins among the bytes of the store, and where the last one ends; none in an order that is yet to
  /// be stored.
  package var places: ContiguousArray<Int> = []

  /// Texts of fewer spans are kept as they travel.
  package static var spanCountMin: Int { 1024 }

  package init(
    itemCount: Int, spanCount: Int, replicas: [ReplicaID], leaves: ContiguousArray<Sums>, steps: [Steps]
  ) {
    self.itemCount = itemCount
    self.spanCount = spanCount
    self.replicas = replicas
    self.leaves = leaves
    self.steps = steps
  }

  /// In which leaves the items of one replica stand (`DotIndex`).
  package struct Steps: Sendable {
    package var replica: Int
    /// Ascending.
    package var steps: ContiguousArray<Step>
    /// One past the greatest counter.
    package var end: UInt64

    package init(replica: Int, steps: ContiguousArray<Step>, end: UInt64) {
      self.replica = replica
      self.steps = steps
      self.end = end
    }
  }

  package struct Step: Sendable {
    package var counter: UInt64
    package var leaf: Int

    package init(counter: UInt64, leaf: Int) {
      self.counter = counter
      self.leaf = leaf
    }
  }

  /// `Span`, with its replica by its place.
  package struct Span: Sendable {
    package var replica: Int
    package var counter: UInt64
    package var count: Int
    package var depth: Int
    package var gap: Int
    package var side: Side
    package var isLive: Bool
    package var utf8Count: Int
    package var utf16Count: Int

    package init(
      replica: Int, counter: UInt64, count: Int, depth: Int, gap: Int, side: Side, isLive: Bool, utf8Count: Int,
      utf16Count: Int
    ) {
      self.replica = replica
      self.counter = counter
      self.count = count
      self.depth = depth
      self.gap = gap
      self.side = side
      self.isLive = isLive
      self.utf8Count = utf8Count
      self.utf16Count = utf16Count
    }
  }
}

/// The leaves of a text that lie in a store, for the one who opened it.
final class StoredLeaves: Sendable {
  private let store: any SlotStore
  private let places: ContiguousArray<Int>
  /// By their places in the store.
  let replicas: ContiguousArray<ReplicaHandle>
  /// Of all leaves.
  private let text: Scalars
  /// Where the text of each leaf begins, and where all of it ends.
  private let begins: ContiguousArray<UInt32>

  init(
    in store: any SlotStore, _ order: StoredOrder, replicas: ContiguousArray<ReplicaHandle>, text: Scalars
  ) {
    self.store = store
    places = order.places
    self.replicas = replicas
    self.text = text
    var (begins, end) = (ContiguousArray<UInt32>(), UInt32(0))
    begins.reserveCapacity(order.leaves.count + 1)
    for sums in order.leaves {
      begins.append(end)
      end += sums.utf8
    }
    begins.append(end)
    precondition(Int(end) == text.utf8Count, "The leaves of a stored text hold \(end) bytes of \(text.utf8Count).")
    self.begins = begins
  }

  var count: Int { begins.count - 1 }

  /// Where the leaf's text lies in that of all.
  func range(ofLeaf leaf: Int) -> Range<Int> { Int(begins[leaf])..<Int(begins[leaf + 1]) }

  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result { text.withUTF8(body) }

  func text(ofLeaf leaf: Int) -> ContiguousArray<UInt8> {
    withText { ContiguousArray(UnsafeBufferPointer(rebasing: $0[range(ofLeaf: leaf)])) }
  }

  func spans(ofLeaf leaf: Int) -> ContiguousArray<Span> {
    var spans: ContiguousArray<Span> = []
    spans.reserveCapacity(Leaf.spanCountMax)
    store.forEachSpan(at: places[leaf]..<places[leaf + 1]) { stored in
      let run = ItemRun(first: DotRow(replica: replicas[stored.replica], counter: stored.counter), count: stored.count)
      var span = Span(run, side: stored.side, depth: stored.depth, gap: stored.gap, isLive: stored.isLive)
      (span.utf8Count, span.utf16Count) = (UInt32(stored.utf8Count), UInt32(stored.utf16Count))
      spans.append(span)
    }
    return spans
  }

  /// The leaf as it lies there, for whoever writes it into another store under the same places of replicas.
  func bytes(ofLeaf leaf: Int) -> ArraySlice<UInt8> { store.bytes(at: places[leaf]..<places[leaf + 1]) }
}
