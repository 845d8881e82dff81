/// A maximal run of a strand as snapshots list it: nothing stands between its items, each is the right
/// child of the one before, and the next run in order does not go on with it.
struct StoredRun: Hashable, Sendable {
  var run: ItemRun
  var place: Place
  var isLive: Bool
  /// How much of the text is the run's; 0 for dead ones and in lists.
  var utf8Count = 0
}

extension Strand {
  /// Calls `body` with every run in order, and its text.
  ///
  /// - Complexity: O(n), and O(log n) for each run that does not follow its parent at once.
  func forEachRun(_ body: (StoredRun, UnsafeBufferPointer<UInt8>) -> Void) {
    var pending: StoredRun?
    var text: ContiguousArray<UInt8> = []
    var last: Span?
    var leaf = firstLeaf
    while !leaf.isNone {
      let row = leaves[leaf]
      var utf8Before = 0
      for (index, span) in row.spans.enumerated() {
        // Long runs lie in several leaves.
        if let last, last.joins(span) {
          pending!.run.count += span.length
        } else {
          if var pending {
            pending.utf8Count = text.count
            text.withUnsafeBufferPointer { body(pending, $0) }
          }
          text.removeAll(keepingCapacity: true)
          let place = place(ofFirst: Seam(leaf: leaf, span: index), after: last)
          pending = StoredRun(run: ItemRun(first: span.first, count: span.length), place: place, isLive: span.isLive)
        }
        text.append(contentsOf: row.text[utf8Before..<utf8Before + Int(span.utf8Count)])
        utf8Before += Int(span.utf8Count)
        last = span
      }
      leaf = row.next
    }
    if var pending {
      pending.utf8Count = text.count
      text.withUnsafeBufferPointer { body(pending, $0) }
    }
  }

  private func place(ofFirst seam: Seam, after last: Span?) -> Place {
    let span = self[seam]
    if let last, span.side == .right, span.gap == last.lastDepth, span.depth == span.gap + 1 {
      return Place(parent: last.first.advanced(by: last.length - 1), side: .right)
    }
    return place(of: Spot(leaf: seam.leaf, span: seam.span, offset: 0))
  }
}
