// The search for a place among siblings, which may be many.
extension SequenceTree {
  /// The first edge from `boundary` on, to the right or to the left, at which a walk past the children of an
  /// item of depth `depth` stops.
  ///
  /// An edge is a span whose gap is `depth`, which parts two of the children, or less, where they end. The
  /// walk stops at the end and wherever `stops` says so: if at one edge, then at all behind it. So a whole
  /// branch is passed if the walk does not stop at its last edge, and none of it is an end. It is handed the tree, of
  /// which it would hold a copy otherwise.
  ///
  /// - Complexity: O(log n) calls of `stops`.
  func firstEdge(
    from boundary: Boundary, _ side: Side, childrenOf depth: Int, where stops: (SequenceTree, Boundary) -> Bool
  ) -> Boundary? {
    let spans = side == .right ? boundary.span..<leaves.spanCount(of: boundary.leaf) : 0..<boundary.span + 1
    if let found = firstEdge(in: boundary.leaf, spans, side, childrenOf: depth, where: stops) { return found }
    var child = boundary.leaf.rawValue
    var branch = leaves[links: boundary.leaf].parent
    while !branch.isNone {
      let row = branches[branch]
      let slot = row.slot(of: child)
      let slots = side == .right ? slot + 1..<row.children.count : 0..<slot
      if let stop = firstChild(of: row, slots, side, childrenOf: depth, where: stops) {
        return firstEdge(below: row.children[stop].handle, row.holdsLeaves, side, childrenOf: depth, where: stops)
      }
      child = branch.rawValue
      branch = row.parent
    }
    return nil
  }

  /// The first child below which the walk stops.
  private func firstChild(
    of branch: Branch, _ slots: Range<Int>, _ side: Side, childrenOf depth: Int,
    where stops: (SequenceTree, Boundary) -> Bool
  ) -> Int? {
    slots.first(side) { slot in
      let (child, least) = (branch.children[slot], Int(branch.children[slot].sums.minGap))
      guard least == depth else { return least < depth }
      return stops(self, lastEdge(below: child.handle, branch.holdsLeaves, side, gap: depth))
    }
  }

  private func firstEdge(
    below child: UInt32, _ isLeaf: Bool, _ side: Side, childrenOf depth: Int,
    where stops: (SequenceTree, Boundary) -> Bool
  ) -> Boundary? {
    var (child, isLeaf) = (child, isLeaf)
    while !isLeaf {
      let row = branches[BranchHandle(rawValue: child)]
      guard let slot = firstChild(of: row, row.children.indices, side, childrenOf: depth, where: stops) else {
        return nil
      }
      (child, isLeaf) = (row.children[slot].handle, row.holdsLeaves)
    }
    let leaf = LeafHandle(rawValue: child)
    return firstEdge(in: leaf, 0..<leaves.spanCount(of: leaf), side, childrenOf: depth, where: stops)
  }

  private func firstEdge(
    in leaf: LeafHandle, _ spans: Range<Int>, _ side: Side, childrenOf depth: Int,
    where stops: (SequenceTree, Boundary) -> Bool
  ) -> Boundary? {
    leaves.withSpans(of: leaf) { row in
      spans.first(side) { span in
        let gap = row[span].gap
        return gap < depth || gap == depth && stops(self, Boundary(leaf: leaf, span: span))
      }
      .map { Boundary(leaf: leaf, span: $0) }
    }
  }

  private func lastEdge(below child: UInt32, _ isLeaf: Bool, _ side: Side, gap: Int) -> Boundary {
    // The sums say that there is one.
    let opposite: Side = side == .right ? .left : .right
    var (child, isLeaf) = (child, isLeaf)
    while !isLeaf {
      let row = branches[BranchHandle(rawValue: child)]
      let slot = row.children.indices.first(opposite) { row.children[$0].sums.minGap == gap }!
      (child, isLeaf) = (row.children[slot].handle, row.holdsLeaves)
    }
    let leaf = LeafHandle(rawValue: child)
    return leaves.withSpans(of: leaf) { row in
      Boundary(leaf: leaf, span: row.indices.first(opposite) { row[$0].gap == gap }!)
    }
  }
}

extension Range<Int> {
  /// The first number that matches, going up to the right or down to the left.
  @inline(__always)
  fileprivate func first(_ side: Side, where matches: (Int) -> Bool) -> Int? {
    side == .right ? first(where: matches) : last(where: matches)
  }
}
