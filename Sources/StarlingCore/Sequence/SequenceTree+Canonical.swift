// What canonical snapshots and digests list: dead items only where something that counts stands below.
extension SequenceTree {
  /// How many items of each span, from its first, are live, kept, or have something live or kept below.
  ///
  /// An item stands above another one exactly if no gap between them is less than its depth. The nearest
  /// item that counts, on either side, is enough to ask: of two, the nearer one's ancestors on the way to
  /// the farther one are the farther one's too. So it takes a walk to the left, which finds what has
  /// something in its right subtree, and one to the right.
  ///
  /// - Complexity: O(spans), and O(log n) for each kept item.
  func countedLengths(keeping kept: some Sequence<DotRow>) -> ContiguousArray<Int> {
    var lengths = ContiguousArray(repeating: 0, count: spanCount)
    var keptLengths: [Boundary: Int] = [:]
    for item in kept {
      guard let position = locate(item) else { continue }
      keptLengths[position.boundary] = max(keptLengths[position.boundary] ?? 0, position.offset + 1)
    }
    // The least gap between here and the nearest item that counts; less than any depth while there is none.
    var gap = 0
    var index = spanCount
    var leaf = lastLeaf
    while !leaf.isNone {
      let row = leaves[leaf]
      for place in row.spans.indices.reversed() {
        let span = row.spans[place]
        index -= 1
        let above = max(0, min(span.length, gap - span.depth + 1))
        let kept = keptLengths.isEmpty ? 0 : keptLengths[Boundary(leaf: leaf, span: place)] ?? 0
        lengths[index] = span.isLive ? span.length : max(above, kept)
        gap = lengths[index] > 0 ? span.gap : min(gap, span.gap)
      }
      leaf = row.links.previous
    }
    (gap, leaf) = (0, firstLeaf)
    while !leaf.isNone {
      for span in leaves[leaf].spans {
        gap = min(gap, span.gap)
        if lengths[index] == 0, gap >= span.depth { lengths[index] = 1 }
        let length = lengths[index]
        if length > 0 { gap = length < span.length ? span.depth + length - 1 : .max }
        index += 1
      }
      leaf = leaves[links: leaf].next
    }
    return lengths
  }
}
