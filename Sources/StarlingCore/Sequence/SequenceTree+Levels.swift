// What depths and gaps tell: parents, the bounds of subtrees, where siblings stand.
extension SequenceTree {
  // MARK: Questions

  /// Whether an item is the right child of the last one of the span.
  @inline(__always)
  func hasRightChildren(lastOf boundary: Boundary) -> Bool {
    guard let next = self.boundary(after: boundary) else { return false }
    return self[next].gap >= self[boundary].lastDepth
  }

  func place(of position: Position) -> Place {
    let span = span(position)
    if position.offset > 0 { return Place(parent: span.first.advanced(by: position.offset - 1), side: .right) }
    let above = span.depth - 1
    if above == 0 { return Place(parent: .start, side: .right) }
    // All but root's children have a parent, so there is one to find.
    if span.side == .left {
      let parent = firstSpan(after: position.boundary, depthAtMost: above)!
      return Place(parent: self[parent].first, side: .left)
    }
    let parent = lastSpan(before: position.boundary, depthAtMost: above)!
    let row = self[parent]
    return Place(parent: row.first.advanced(by: min(row.length - 1, above - row.depth)), side: .right)
  }

  /// The first item after `position`'s that is `target`'s or one of its ancestors; `position`'s (nil: the root)
  /// must be one too, and `target` stand after it.
  ///
  /// All that stands between is dead. Where the lowest common ancestor of what is left of it does not
  /// stand there itself, it stands after the target, and the search goes on in the last of its left
  /// subtrees.
  func topmostAncestor(of target: Boundary, after position: Position?) -> DotRow {
    var level = position.map(depth) ?? 0
    while true {
      // The target is in the right subtree of the item before or in a left one of an ancestor: a gap of `level` stands.
      let start = lastSpan(upTo: target, gapAtMost: level)!
      let (depth, gap) = minima(from: start, through: target)
      if depth <= gap {
        return self[firstSpan(from: start, depthAtMost: depth)!].first
      }
      level = gap
    }
  }

  // MARK: Searches

  @inline(__always)
  func firstSpan(after boundary: Boundary, gapAtMost level: Int) -> Boundary? {
    firstSpan(from: Boundary(leaf: boundary.leaf, span: boundary.span + 1)) {
      $0.gap <= level
    } inSums: {
      $0.minGap <= level
    }
  }

  @inline(__always)
  func firstSpan(from boundary: Boundary, depthAtMost depth: Int) -> Boundary? {
    firstSpan(from: boundary) {
      $0.depth <= depth
    } inSums: {
      $0.minDepth <= depth
    }
  }

  @inline(__always)
  func firstSpan(after boundary: Boundary, depthAtMost depth: Int) -> Boundary? {
    firstSpan(from: Boundary(leaf: boundary.leaf, span: boundary.span + 1), depthAtMost: depth)
  }

  @inline(__always)
  func lastSpan(upTo boundary: Boundary, gapAtMost level: Int) -> Boundary? {
    lastSpan(upTo: boundary) {
      $0.gap <= level
    } inSums: {
      $0.minGap <= level
    }
  }

  @inline(__always)
  func lastSpan(before boundary: Boundary, depthAtMost depth: Int) -> Boundary? {
    lastSpan(upTo: Boundary(leaf: boundary.leaf, span: boundary.span - 1)) {
      $0.depth <= depth
    } inSums: {
      $0.minDepth <= depth
    }
  }

  /// The first span at or after `boundary` that matches. Sums must match where a span below them does.
  @inline(__always)
  private func firstSpan(from boundary: Boundary, _ inSpan: (Span) -> Bool, inSums: (Sums) -> Bool) -> Boundary? {
    if let found = leaves.withSpans(of: boundary.leaf, { $0[boundary.span...].firstIndex(where: inSpan) }) {
      return Boundary(leaf: boundary.leaf, span: found)
    }
    var child = boundary.leaf.rawValue
    var branch = leaves[links: boundary.leaf].parent
    while !branch.isNone {
      let children = branches[branch].children
      if let slot = children[(branches[branch].slot(of: child) + 1)...].firstIndex(where: { inSums($0.sums) }) {
        var (handle, isLeaf) = (children[slot].handle, branches[branch].holdsLeaves)
        while !isLeaf {
          let below = branches[BranchHandle(rawValue: handle)]
          (handle, isLeaf) = (below.children.first { inSums($0.sums) }!.handle, below.holdsLeaves)
        }
        let leaf = LeafHandle(rawValue: handle)
        return Boundary(leaf: leaf, span: leaves.withSpans(of: leaf) { $0.firstIndex(where: inSpan)! })
      }
      child = branch.rawValue
      branch = branches[branch].parent
    }
    return nil
  }

  /// The last span at or before `boundary` that matches. Sums must match where a span below them does.
  @inline(__always)
  private func lastSpan(upTo boundary: Boundary, _ inSpan: (Span) -> Bool, inSums: (Sums) -> Bool) -> Boundary? {
    if let found = leaves.withSpans(of: boundary.leaf, { $0[..<(boundary.span + 1)].lastIndex(where: inSpan) }) {
      return Boundary(leaf: boundary.leaf, span: found)
    }
    var child = boundary.leaf.rawValue
    var branch = leaves[links: boundary.leaf].parent
    while !branch.isNone {
      let children = branches[branch].children
      if let slot = children[..<branches[branch].slot(of: child)].lastIndex(where: { inSums($0.sums) }) {
        var (handle, isLeaf) = (children[slot].handle, branches[branch].holdsLeaves)
        while !isLeaf {
          let below = branches[BranchHandle(rawValue: handle)]
          (handle, isLeaf) = (below.children.last { inSums($0.sums) }!.handle, below.holdsLeaves)
        }
        let leaf = LeafHandle(rawValue: handle)
        return Boundary(leaf: leaf, span: leaves.withSpans(of: leaf) { $0.lastIndex(where: inSpan)! })
      }
      child = branch.rawValue
      branch = branches[branch].parent
    }
    return nil
  }

  /// The least depth of the spans from `first` through `last`, and the least gap of those but the first.
  private func minima(from first: Boundary, through last: Boundary) -> (depth: Int, gap: Int) {
    var (depth, gap) = (self[first].depth, Int.max)
    func visit(_ spans: some Sequence<Span>) {
      for span in spans { (depth, gap) = (min(depth, span.depth), min(gap, span.gap)) }
    }
    func visit(_ children: some Sequence<Branch.Child>) {
      for child in children { (depth, gap) = (min(depth, Int(child.sums.minDepth)), min(gap, Int(child.sums.minGap))) }
    }
    if first.leaf == last.leaf {
      leaves.withSpans(of: first.leaf) { visit($0[(first.span + 1)..<(last.span + 1)]) }
      return (depth, gap)
    }
    leaves.withSpans(of: first.leaf) { visit($0[(first.span + 1)...]) }
    leaves.withSpans(of: last.leaf) { visit($0[...last.span]) }
    var (left, right) = (first.leaf.rawValue, last.leaf.rawValue)
    var (above, beyond) = (leaves[links: first.leaf].parent, leaves[links: last.leaf].parent)
    while above != beyond {
      visit(branches[above].children[(branches[above].slot(of: left) + 1)...])
      visit(branches[beyond].children[..<branches[beyond].slot(of: right)])
      (left, right) = (above.rawValue, beyond.rawValue)
      (above, beyond) = (branches[above].parent, branches[beyond].parent)
    }
    visit(branches[above].children[(branches[above].slot(of: left) + 1)..<branches[above].slot(of: right)])
    return (depth, gap)
  }
}
