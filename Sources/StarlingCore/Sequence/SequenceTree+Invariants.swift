extension SequenceTree {
  /// Stops the program unless sums, links, the index and the levels agree with the spans.
  func checkInvariants() {
    guard leaves.store == nil else { return wholly.checkInvariants() }
    var (items, spans, total) = (0, 0, Sums())
    var previous: Span?
    var previousLeaf = LeafHandle.none
    var leaf = firstLeaf
    while !leaf.isNone {
      let row = leaves[leaf]
      precondition(row.links.previous == previousLeaf, "Leaf \(leaf) does not know the one before it.")
      precondition(!row.spans.isEmpty && row.spans.count <= Leaf.spanCountMax, "A leaf has \(row.spans.count) spans.")
      precondition(row.text.count == Int(row.sums.utf8), "A leaf has \(row.text.count) bytes of \(row.sums.utf8).")
      precondition(row.text.count <= Leaf.textCountMax, "A leaf has \(row.text.count) bytes.")
      for (place, span) in row.spans.enumerated() {
        check(span, after: previous, at: Boundary(leaf: leaf, span: place))
        if place > 0 { precondition(!previous!.joins(span), "\(span) should be part of the span before it.") }
        items += span.length
        previous = span
      }
      spans += row.spans.count
      total.add(row.sums)
      if row.links.parent.isNone { precondition(root.isNone && leaf == firstLeaf, "A leaf has no parent.") }
      (previousLeaf, leaf) = (leaf, row.links.next)
    }
    precondition(lastLeaf == previousLeaf, "The last leaf is another one.")
    precondition(items == itemCount && spans == spanCount, "\(items) items in \(spans) spans were miscounted.")
    precondition(
      total.live == totals.live && total.utf8 == totals.utf8 && total.utf16 == totals.utf16,
      "\(total) is not \(totals).")
    if !root.isNone { checkBranch(root) }
    if !cursor.leaf.isNone {
      let start = sum(before: cursor.leaf) { Int($0.live) }
      let (live, utf8) = leaves[cursor.leaf].measure(before: cursor.span)
      precondition(cursor.span < leaves[cursor.leaf].spans.count, "The cursor stands on no span: \(cursor).")
      precondition((cursor.start, cursor.live, cursor.utf8) == (start, live, utf8), "\(cursor) is misplaced.")
    }
  }

  private func check(_ span: Span, after previous: Span?, at boundary: Boundary) {
    precondition(span.length > 0, "\(span) is empty.")
    for offset in [0, span.length - 1] {
      let found = dots.leaf(of: span.first.advanced(by: offset))
      precondition(found == boundary.leaf, "\(span) is not found.")
    }
    let lastDepth = previous?.lastDepth ?? 0
    precondition(span.gap <= lastDepth && span.gap <= span.depth, "\(span) follows one of depth \(lastDepth).")
    precondition(span.gap == lastDepth || span.gap == span.depth || span.gap < min(span.depth, lastDepth), "\(span)")
    let place = place(of: Position(leaf: boundary.leaf, span: boundary.span, offset: 0))
    if place.parent != .start {
      let parent = locate(place.parent)
      precondition(parent.map(depth) == span.depth - 1, "\(span) does not stand below \(place.parent).")
    }
    var bytes = 0
    withText(of: boundary) { bytes = $0.count { $0 & 0xC0 != 0x80 } }
    precondition(!holdsText || bytes == span.liveLength, "\(span) has the text of \(bytes) items.")
  }

  private func checkBranch(_ branch: BranchHandle) {
    let row = branches[branch]
    precondition(!row.children.isEmpty && row.children.count <= Branch.childCountMax, "\(row.children.count) children")
    for child in row.children {
      if row.holdsLeaves {
        let leaf = leaves[LeafHandle(rawValue: child.handle)]
        precondition(leaf.links.parent == branch && leaf.sums == child.sums, "\(child.sums) is not \(leaf.sums).")
      } else {
        let handle = BranchHandle(rawValue: child.handle)
        precondition(branches[handle].parent == branch && branches[handle].sums == child.sums, "\(child.sums)")
        checkBranch(handle)
      }
    }
  }
}
