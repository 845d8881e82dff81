extension SequenceTree {
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
    while let position = locateFirst(from: item, before: end) {
      lookCount += 1
      let span = span(position)
      let count = Int(min(UInt64(span.length - position.offset), end - span.counter - UInt64(position.offset)))
      item = span.first.advanced(by: position.offset + count)
      guard span.isLive else { continue }
      let index = setLiveness(of: position, count: count, to: false)
      removed(index..<index + count)
    }
    return lookCount
  }

  /// Makes a dead item of a list visible again.
  ///
  /// - Returns: Its visible index; nil if it is unknown or live.
  mutating func revive(_ item: DotRow) -> Int? {
    precondition(!holdsText, "The text of a dead item is gone.")
    guard let position = locate(item), !span(position).isLive else { return nil }
    return setLiveness(of: position, count: 1, to: true)
  }

  /// Turns `count` items of a span, from the one at `position` on; what becomes one run is joined.
  ///
  /// - Returns: The visible index at which they stand or stood.
  private mutating func setLiveness(of position: Position, count: Int, to isLive: Bool) -> Int {
    moveCursor(to: position.leaf, position.span)
    let added = leaves[position.leaf].spanCount(addedByTurning: position.offset, count, of: position.span)
    if added > 0 { makeSpace(for: added) }
    let leaf = cursor.leaf
    let former = leaves[leaf].spans.count
    let turned = leaves[leaf].turn(position.offset, count, of: cursor.span, utf8Before: cursor.utf8)
    spanCount += leaves[leaf].spans.count - former
    var sums = Sums()
    sums.live = UInt32(truncatingIfNeeded: count)
    sums.utf8 = UInt32(truncatingIfNeeded: turned.utf8)
    sums.utf16 = UInt32(truncatingIfNeeded: turned.utf16)
    if isLive { add(sums, to: leaf) } else { subtract(sums, from: leaf) }
    let index = cursor.start + cursor.live + (isLive ? 0 : position.offset)
    // The next edit is most likely before what went; that is where the cursor is, or one span before.
    if position.offset == 0 {
      if turned.span == cursor.span {
        moveCursorBack()
      } else {
        moveCursor(to: leaf, turned.span)
      }
    }
    return index
  }
}
