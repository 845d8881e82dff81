extension Strand {
  /// Marks items dead: they keep their places, their text is dropped. Unknown and dead ones are skipped.
  ///
  /// - Parameter removed: Told of each visible range that goes, as it stood when it went.
  /// - Returns: How many spans it looked at.
  /// - Complexity: O(log n) for each span and step of the index that the run touches.
  @discardableResult
  mutating func remove(_ run: ItemRun, removed: (Range<Int>) -> Void = { _ in }) -> Int {
    guard run.count > 0 else { return 0 }
    var item = run.first
    var lookCount = 0
    let (sum, overflows) = item.counter.addingReportingOverflow(UInt64(run.count))
    let end = overflows ? .max : sum
    while let spot = locateFirst(from: item, before: end) {
      lookCount += 1
      let span = span(spot)
      let count = Int(min(UInt64(span.length - spot.offset), end - span.counter - UInt64(spot.offset)))
      item = span.first.advanced(by: spot.offset + count)
      guard span.isLive else { continue }
      let index = setLiveness(of: spot, count: count, to: false)
      removed(index..<index + count)
    }
    return lookCount
  }

  /// Makes a dead item of a list visible again.
  ///
  /// - Returns: Its visible index; nil if it is unknown or live.
  mutating func revive(_ item: DotRow) -> Int? {
    precondition(!holdsText, "The text of a dead item is gone.")
    guard let spot = locate(item), !span(spot).isLive else { return nil }
    return setLiveness(of: spot, count: 1, to: true)
  }

  /// Turns `count` items of a span, of which `spot` is the first; what becomes one run is joined.
  ///
  /// - Returns: The visible index at which they stand or stood.
  private mutating func setLiveness(of spot: Spot, count: Int, to isLive: Bool) -> Int {
    moveCursor(to: spot.leaf, spot.span)
    let added = leaves[spot.leaf].spanCount(addedByTurning: spot.offset, count, of: spot.span)
    if added > 0 { makeRoom(for: added) }
    let leaf = cursor.leaf
    let former = leaves[leaf].spans.count
    let turned = leaves[leaf].turn(spot.offset, count, of: cursor.span, utf8Before: cursor.utf8)
    spanCount += leaves[leaf].spans.count - former
    var sums = Sums()
    sums.live = UInt32(truncatingIfNeeded: count)
    sums.utf8 = UInt32(truncatingIfNeeded: turned.utf8)
    sums.utf16 = UInt32(truncatingIfNeeded: turned.utf16)
    if isLive { add(sums, to: leaf) } else { subtract(sums, from: leaf) }
    let index = cursor.start + cursor.live + (isLive ? 0 : spot.offset)
    // The next edit is most likely before what went; that is where the cursor is, or one span before.
    if spot.offset == 0 {
      if turned.span == cursor.span {
        moveCursorBack()
      } else {
        moveCursor(to: leaf, turned.span)
      }
    }
    return index
  }
}
