extension SequenceTree {
  /// Takes away those items of the run that are dead, have no children, and are not kept.
  ///
  /// An item whose only child goes here goes too if it is in the run; other ancestors go by later calls.
  ///
  /// - Returns: How many went.
  mutating func purge(_ run: ItemRun, keeping: (DotRow) -> Bool) -> Int {
    guard run.count > 0 else { return 0 }
    let former = itemCount
    var item = run.first
    let (sum, overflows) = item.counter.addingReportingOverflow(UInt64(run.count))
    let end = overflows ? .max : sum
    var parts: [ItemRun] = []
    while let position = locateFirst(from: item, before: end) {
      let span = span(position)
      let count = Int(min(UInt64(span.length - position.offset), end - span.counter - UInt64(position.offset)))
      item = span.first.advanced(by: position.offset + count)
      if !span.isLive { parts.append(ItemRun(first: self.item(position), count: count)) }
    }
    // Children have greater counters than their parents in the same run: the last goes first.
    for part in parts.reversed() { purge(lastOf: part, keeping) }
    return former - itemCount
  }

  /// Purges from the end of a part of a dead span.
  private mutating func purge(lastOf part: ItemRun, _ keeping: (DotRow) -> Bool) {
    // Joins by earlier purges may have moved it, but it still lies in one span.
    let position = locate(part.first)!
    let span = span(position)
    guard position.offset + part.count == span.length else { return }
    let next = boundary(after: position.boundary)
    let nextGap = next.map { self[$0].gap } ?? 0
    var left = span.length
    while left > position.offset, nextGap < span.depth + left - 1,
      !keeping(span.first.advanced(by: left - 1))
    {
      // The first one may have left children.
      if left == 1, span.gap >= span.depth { break }
      left -= 1
    }
    guard left < span.length else { return }
    cursor = Cursor()
    itemCount -= span.length - left
    let gone = span.first.advanced(by: left)
    if left > 0 {
      leaves[position.leaf].spans[position.span].length = left
    } else {
      if let next { leaves[next.leaf].spans[next.span].gap = min(nextGap, span.gap) }
      leaves[position.leaf].spans.remove(at: position.span)
      spanCount -= 1
      let count = leaves[position.leaf].spans.count
      if leaves[position.leaf].join(position.span - 1) { spanCount += leaves[position.leaf].spans.count - count }
      if let next, next.leaf != position.leaf { refresh(next.leaf) }
    }
    forget(gone)
    if leaves[position.leaf].spans.isEmpty {
      removeLeaf(position.leaf)
    } else {
      refresh(position.leaf)
      absorbNeighbour(of: position.leaf)
    }
  }

  /// Drops the steps of the index around a purged item in which nothing stands any more.
  private mutating func forget(_ item: DotRow) {
    dropEmptySteps(at: item)
    if let next = dots.nextStep(after: item) { dropEmptySteps(at: DotRow(replica: item.replica, counter: next)) }
  }

  private mutating func dropEmptySteps(at item: DotRow) {
    while let step = dots.step(holding: item) {
      let isUsed = leaves.withSpans(of: step.leaf) { spans in
        spans.contains { $0.replica == item.replica && step.counters.overlaps($0.counter..<$0.end) }
      }
      if isUsed { return }
      dots.removeStep(at: item)
    }
  }

  /// Joins a leaf that has become small with the next one under the same branch.
  private mutating func absorbNeighbour(of leaf: LeafHandle) {
    let next = leaves[links: leaf].next
    guard !next.isNone, leaves[links: next].parent == leaves[links: leaf].parent,
      leaves[leaf].spans.count + leaves.spanCount(of: next) <= Leaf.spanCountMax / 2,
      leaves[leaf].text.count + leaves.withText(of: next, { $0.count }) <= Leaf.textCountMax / 2
    else { return }
    leaves.read(next)
    let moved = leaves[next]
    let boundary = leaves[leaf].spans.count
    leaves[leaf].spans.append(contentsOf: moved.spans)
    leaves[leaf].text.append(contentsOf: moved.text)
    for span in moved.spans { dots.assign(span.first, count: span.length, to: leaf) }
    if leaves[leaf].join(boundary - 1) { spanCount -= 1 }
    leaves[next].spans.removeAll()
    removeLeaf(next)
    refresh(leaf)
  }
}
