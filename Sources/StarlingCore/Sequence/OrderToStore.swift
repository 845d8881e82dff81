/// A text for whoever writes it into a store leaf by leaf.
package struct OrderToStore: Sendable {
  package let order: StoredOrder
  package let text: Scalars
  private let tree: SequenceTree
  private let handles: ContiguousArray<LeafHandle>
  /// By handle.
  private let places: [ReplicaHandle: Int]

  /// - Complexity: O(leaves + steps + bytes of text)
  init(_ tree: SequenceTree, replicas: (ReplicaHandle) -> ReplicaID) {
    self.tree = tree
    var handles: ContiguousArray<LeafHandle> = []
    var leaf = tree.firstLeaf
    while !leaf.isNone {
      handles.append(leaf)
      leaf = tree.leaves[links: leaf].next
    }
    self.handles = handles
    // Leaves that stay as they lie name the replicas as before.
    var listed = tree.leaves.store?.replicas ?? []
    var places: [ReplicaHandle: Int] = [:]
    for (place, replica) in listed.enumerated() { places[replica] = place }
    for row in tree.dots.rows where places[row.replica] == nil {
      places[row.replica] = listed.count
      listed.append(row.replica)
    }
    self.places = places
    var numbers = ContiguousArray(repeating: UInt32.max, count: tree.leaves.extent)
    for (number, handle) in handles.enumerated() { numbers[handle.index] = UInt32(number) }
    order = StoredOrder(
      itemCount: tree.itemCount, spanCount: tree.spanCount, replicas: listed.map(replicas),
      leaves: tree.sumsOfLeaves,
      steps: tree.dots.rows.map { row in
        var steps: ContiguousArray<StoredOrder.Step> = []
        row.forEach { step in
          // A step in which nothing stands any more may name a leaf that is gone.
          let number = numbers[step.leaf.index]
          if number < .max { steps.append(StoredOrder.Step(counter: step.counter, leaf: Int(number))) }
        }
        return StoredOrder.Steps(replica: places[row.replica]!, steps: steps, end: row.end)
      })
    var utf8: [UInt8] = []
    utf8.reserveCapacity(tree.utf8Count)
    tree.forEachPiece(in: 0..<tree.utf8Count) { utf8.append(contentsOf: $0) }
    text = Scalars(unchecked: utf8, count: tree.count)
  }

  package enum Leaf {
    /// Of one that was written to since the text was opened.
    case spans(ContiguousArray<StoredOrder.Span>)
    /// As it lies in the store from which the text was opened.
    case bytes(ArraySlice<UInt8>)
  }

  package func leaf(_ number: Int) -> Leaf {
    let handle = handles[number]
    if let stored = tree.leaves.number(of: handle), let store = tree.leaves.store {
      return .bytes(store.bytes(ofLeaf: stored))
    }
    return .spans(
      ContiguousArray(
        tree.leaves[handle].spans.map { span in
          StoredOrder.Span(
            replica: places[span.replica]!, counter: span.counter, count: span.length, depth: span.depth,
            gap: span.gap, side: span.side, isLive: span.isLive, utf8Count: Int(span.utf8Count),
            utf16Count: Int(span.utf16Count))
        }))
  }
}
