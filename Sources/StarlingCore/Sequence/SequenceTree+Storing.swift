// Sequences that lie in a store leaf by leaf.
extension SequenceTree {
  /// The text whose leaves lie in a store.
  ///
  /// - Complexity: O(leaves + steps)
  init(_ order: StoredOrder, in store: StoredLeaves, replicas: ContiguousArray<ReplicaHandle>) {
    self.init(holdsText: true)
    (itemCount, spanCount) = (order.itemCount, order.spanCount)
    leaves = LeafTable(in: store)
    (firstLeaf, lastLeaf) = (LeafHandle(0), LeafHandle(store.count - 1))
    var children: ContiguousArray<Branch.Child> = []
    children.reserveCapacity(order.leaves.count)
    for (number, sums) in order.leaves.enumerated() {
      totals.add(sums)
      children.append(Branch.Child(handle: UInt32(number), sums: sums))
    }
    stackBranches(over: children)
    for row in order.steps.sorted(by: { replicas[$0.replica].rawValue < replicas[$1.replica].rawValue }) {
      let steps = row.steps.lazy.map { DotIndex.Step(counter: $0.counter, leaf: LeafHandle($0.leaf)) }
      dots.append(of: replicas[row.replica], steps, end: row.end)
    }
  }

  /// The same sequence with all its leaves taken from the store.
  var wholly: SequenceTree {
    var tree = self
    tree.leaves.readAll()
    return tree
  }
}

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

extension SequenceTree {
  /// What each leaf holds, in order, without looking into those that lie in the store.
  fileprivate var sumsOfLeaves: ContiguousArray<Sums> {
    var sums: ContiguousArray<Sums> = []
    guard !root.isNone else {
      if !firstLeaf.isNone { sums.append(leaves.withSpans(of: firstLeaf) { Sums($0) }) }
      return sums
    }
    func visit(_ branch: BranchHandle) {
      let row = branches[branch]
      for child in row.children {
        if row.holdsLeaves { sums.append(child.sums) } else { visit(BranchHandle(rawValue: child.handle)) }
      }
    }
    visit(root)
    return sums
  }
}
