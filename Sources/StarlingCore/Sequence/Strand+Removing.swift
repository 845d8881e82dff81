extension Strand {
  /// Marks items dead: they keep their places, their text is dropped. Unknown and dead ones are skipped.
  ///
  /// - Parameter removed: Told of each visible range that goes, as it stood when it went.
  /// - Complexity: O(log n) for each span and step of the index that the run touches.
  mutating func remove(_ run: ItemRun, removed: (Range<Int>) -> Void = { _ in }) {
    guard run.count > 0 else { return }
    var item = run.first
    let (sum, overflows) = item.counter.addingReportingOverflow(UInt64(run.count))
    let end = overflows ? .max : sum
    while let spot = locateFirst(from: item, before: end) {
      let span = span(spot)
      let count = Int(min(UInt64(span.length - spot.offset), end - span.counter - UInt64(spot.offset)))
      item = span.first.advanced(by: spot.offset + count)
      guard span.isLive else { continue }
      let index = setLiveness(of: spot, count: count, to: false)
      removed(index..<index + count)
    }
  }

  /// Makes a dead item of a list visible again.
  ///
  /// - Returns: Its visible index; nil if it is unknown or live.
  mutating func revive(_ item: DotRow) -> Int? {
    precondition(!holdsText, "The text of a dead item is gone.")
    guard let spot = locate(item), !span(spot).isLive else { return nil }
    return setLiveness(of: spot, count: 1, to: true)
  }

  /// Cuts `count` items out of the span of which `spot` is the first, turns them, and joins what fits.
  private mutating func setLiveness(of spot: Spot, count: Int, to isLive: Bool) -> Int {
    var spot = spot
    cursor = Cursor(leaf: spot.leaf, span: 0, start: start(of: spot.leaf))
    makeRoom(at: &spot)
    let leaf = spot.leaf
    let spansBefore = leaves[leaf].spans.count
    var (live, utf8) = leaves[leaf].measure(before: spot.span)
    if spot.offset + count < leaves[leaf].spans[spot.span].length {
      leaves[leaf].split(spot.span, at: spot.offset + count, utf8Before: utf8)
    }
    if spot.offset > 0 {
      leaves[leaf].split(spot.span, at: spot.offset, utf8Before: utf8)
      let head = leaves[leaf].spans[spot.span]
      (live, utf8) = (live + head.liveLength, utf8 + Int(head.utf8Count))
      spot = Spot(leaf: leaf, span: spot.span + 1, offset: 0)
    }
    let index = cursor.start + live
    let span = leaves[leaf].spans[spot.span]
    leaves[leaf].spans[spot.span].isLive = isLive
    var turned = Sums()
    turned.live = UInt32(count)
    if isLive {
      add(turned, to: leaf)
    } else {
      (turned.utf8, turned.utf16) = (span.utf8Count, span.utf16Count)
      leaves[leaf].spans[spot.span].utf8Count = 0
      leaves[leaf].spans[spot.span].utf16Count = 0
      leaves[leaf].text.removeSubrange(utf8..<utf8 + Int(span.utf8Count))
      subtract(turned, from: leaf)
    }
    leaves[leaf].join(spot.span)
    if leaves[leaf].join(spot.span - 1) { spot.span -= 1 }
    spanCount += leaves[leaf].spans.count - spansBefore
    // The next edit is most likely before what went, or in what came back.
    cursor.span = isLive ? spot.span : max(0, spot.span - 1)
    return index
  }
}
