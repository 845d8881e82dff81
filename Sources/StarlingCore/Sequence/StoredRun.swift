/// A maximal run of a sequence as snapshots list it: nothing stands between its items, each is the right
/// child of the one before, and the next run in order does not go on with it.
struct StoredRun: Hashable, Sendable {
  var run: ItemRun
  var place: Place
  var isLive: Bool
  /// How much of the text is the run's; 0 for dead ones and in lists.
  var utf8Count = 0
}

extension SequenceTree {
  /// Calls `body` with every run in order, and its text.
  ///
  /// - Complexity: O(n), and O(log n) for each run that does not follow its parent at once.
  func forEachRun(_ body: (StoredRun, UnsafeBufferPointer<UInt8>) -> Void) {
    wholly.forEachRun(lengths: nil, body)
  }

  /// Calls `body` with the runs that are left without the dead items below which nothing is live or kept.
  ///
  /// Sequences of one version list the same here, whatever each has purged.
  func forEachCanonicalRun(
    keeping kept: some Sequence<DotRow>, _ body: (StoredRun, UnsafeBufferPointer<UInt8>) -> Void
  ) {
    let tree = wholly
    tree.forEachRun(lengths: tree.countedLengths(keeping: kept), body)
  }

  /// Lists that many items of each span, or all.
  private func forEachRun(
    lengths: ContiguousArray<Int>?, _ body: (StoredRun, UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var pending: StoredRun?
    var text: ContiguousArray<UInt8> = []
    func flush() {
      guard var run = pending else { return }
      run.utf8Count = text.count
      text.withUnsafeBufferPointer { body(run, $0) }
      text.removeAll(keepingCapacity: true)
    }
    var index = 0
    var leaf = firstLeaf
    while !leaf.isNone {
      let row = leaves[leaf]
      var utf8Before = 0
      for (slot, span) in row.spans.enumerated() {
        let length = lengths?[index] ?? span.length
        index += 1
        guard length > 0 else { continue }
        let last = pending?.run.last
        let place = place(ofFirst: Boundary(leaf: leaf, span: slot))
        if let last, place == Place(parent: last, side: .right), span.first == last.advanced(by: 1),
          span.isLive == pending?.isLive
        {
          pending?.run.count += length
        } else {
          flush()
          pending = StoredRun(run: ItemRun(first: span.first, count: length), place: place, isLive: span.isLive)
        }
        text.append(contentsOf: row.text[utf8Before..<utf8Before + Int(span.utf8Count)])
        utf8Before += Int(span.utf8Count)
      }
      leaf = row.links.next
    }
    flush()
  }

  /// The place of a span, which most often is to the right of the item before it.
  private func place(ofFirst boundary: Boundary) -> Place {
    let position = Position(leaf: boundary.leaf, span: boundary.span, offset: 0)
    guard boundary.span > 0 else { return place(of: position) }
    let (span, former) = (self[boundary], leaves[boundary.leaf].spans[boundary.span - 1])
    guard span.gap == former.lastDepth, span.depth == span.gap + 1 else { return place(of: position) }
    return Place(parent: former.first.advanced(by: former.length - 1), side: .right)
  }
}
