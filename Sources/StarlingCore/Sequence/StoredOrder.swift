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
