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

  /// What each leaf holds, in order, without looking into those that lie in the store.
  var sumsOfLeaves: ContiguousArray<Sums> {
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
