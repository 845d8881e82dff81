extension SequenceTree {
  /// Where a new item goes: before `position`, which may lie one past the last span of its leaf.
  struct Opening {
    var position: Position
    var depth: Int
    var side: Side
  }

  /// The opening for a child of `place.parent` among its siblings; nil if the parent is unknown.
  ///
  /// Siblings on one side stand, from the parent outwards, in descending order of their dots. So what
  /// somebody types where they just removed something has none of their own to pass.
  func opening(
    for item: DotRow, at place: Place, _ isBefore: (ReplicaHandle, ReplicaHandle) -> Bool
  ) -> Opening? {
    func isNearer(than sibling: DotRow) -> Bool {
      sibling.replica == item.replica ? item.counter > sibling.counter : isBefore(sibling.replica, item.replica)
    }
    if place.parent == .start {
      guard place.side == .right else { return nil }
      guard !firstLeaf.isNone else {
        return Opening(position: Position(leaf: .none, span: 0, offset: 0), depth: 1, side: .right)
      }
      let start = Boundary(leaf: firstLeaf, span: 0)
      return Opening(position: rightPosition(before: start, childrenOf: 0, isNearer), depth: 1, side: .right)
    }
    guard let parent = locate(place.parent) else { return nil }
    let span = span(parent)
    let depth = span.depth + parent.offset
    if place.side == .left {
      return Opening(position: leftPosition(before: parent, depth, isNearer), depth: depth + 1, side: .left)
    }
    var position = Position(leaf: parent.leaf, span: parent.span + 1, offset: 0)
    if parent.offset + 1 < span.length {
      // The next item of the span is a sibling.
      if isNearer(than: span.first.advanced(by: parent.offset + 1)) {
        position = Position(leaf: parent.leaf, span: parent.span, offset: parent.offset + 1)
      } else {
        position = rightPosition(
          before: firstSpan(after: parent.boundary, gapAtMost: depth), childrenOf: depth, isNearer)
      }
    } else if let next = boundary(after: parent.boundary), self[next].gap == depth {
      let passed = rightPosition(before: next, childrenOf: depth, isNearer)
      // Where no sibling is nearer, the opening is at the parent, whose run the item may continue.
      if passed.boundary != next { position = passed }
    }
    return Opening(position: position, depth: depth + 1, side: .right)
  }

  /// Goes from `edge`, where some right child's subtree begins or all end, past those that are nearer.
  private func rightPosition(before edge: Boundary?, childrenOf depth: Int, _ isNearer: (DotRow) -> Bool) -> Position {
    let stop = edge.flatMap { edge in
      firstEdge(from: edge, .right, childrenOf: depth) { tree, boundary in
        isNearer(tree[tree.firstSpan(from: boundary, depthAtMost: depth + 1)!].first)
      }
    }
    if let stop { return Position(leaf: stop.leaf, span: stop.span, offset: 0) }
    return Position(leaf: lastLeaf, span: leaves.spanCount(of: lastLeaf), offset: 0)
  }

  /// Goes from the parent back past those left children that are nearer.
  private func leftPosition(before parent: Position, _ depth: Int, _ isNearer: (DotRow) -> Bool) -> Position {
    guard parent.offset == 0, span(parent).gap == depth else { return parent }
    // The first span of all has a gap of 0, so the walk ends.
    let stop = firstEdge(from: parent.boundary, .left, childrenOf: depth) { tree, boundary in
      isNearer(tree[tree.lastSpan(before: boundary, depthAtMost: depth + 1)!].first)
    }!
    return Position(leaf: stop.leaf, span: stop.span, offset: 0)
  }
}
