extension SequenceTree {
  /// Where a local insertion at the visible `index` goes (Protocol/merge.md): its parent is a live item or
  /// one with a live descendant.
  ///
  /// Let *l* be the live item before, or the root, and *m* the live item after. If *m* stands in the right
  /// subtree of *l*, the new item becomes a left child of the first item after *l* that is *m* or an
  /// ancestor of it; otherwise a right child of *l*.
  // Mutating though it alters nothing, as `runs(in:)`.
  mutating func place(forInsertAt index: Int) -> Place {
    precondition(index >= 0 && index <= count, "\(index) is not within 0...\(count).")
    guard index > 0 else {
      guard count > 0 else { return Place(parent: .start, side: .right) }
      let first = position(at: 0)
      let isFirst = first.span == 0 && first.leaf == firstLeaf
      return Place(parent: isFirst ? item(first) : topmostAncestor(of: first.boundary, after: nil), side: .left)
    }
    let position = position(at: index - 1)
    let span = span(position)
    if position.offset + 1 < span.length {
      return Place(parent: span.first.advanced(by: position.offset + 1), side: .left)
    }
    let rightChild = Place(parent: item(position), side: .right)
    guard index < count, let next = boundary(after: position.boundary) else { return rightChild }
    let following = self[next]
    guard following.gap >= span.lastDepth else { return rightChild }
    if following.isLive { return Place(parent: following.first, side: .left) }
    let target = self.position(at: index).boundary
    if let end = firstSpan(after: position.boundary, gapAtMost: span.lastDepth - 1), !isBefore(target, end) {
      return rightChild
    }
    return Place(parent: topmostAncestor(of: target, after: position), side: .left)
  }

  /// Inserts a run: its first item at `place`, each further one as the right child of the one before.
  ///
  /// - Parameters:
  ///   - text: UTF-8 of exactly as many scalars, if the run is live and this is a text; else empty.
  ///   - isLive: False puts dead items there.
  ///   - isBefore: Whether one replica's id is less than another's.
  /// - Returns: The visible index at which the run stands, or would if it were live. Nil, and nothing is
  ///   changed, if the parent is unknown, one of the items is known, the text has another number of
  ///   scalars, or there would be more than `itemCountMax` items.
  /// - Complexity: O(log n), and O(log² n) between many siblings.
  @discardableResult
  mutating func insert(
    _ run: ItemRun, at place: Place, text: UnsafeBufferPointer<UInt8> = .init(start: nil, count: 0),
    isLive: Bool = true, isBefore: (ReplicaHandle, ReplicaHandle) -> Bool
  ) -> Int? {
    guard isAcceptable(run, text, isLive: isLive) else { return nil }
    guard var opening = opening(for: run.first, at: place, isBefore) else { return nil }
    guard text.count > Self.pieceCountMax else { return insert(run, text, isLive: isLive, at: opening) }
    var (index, done, rest): (Int?, Int, _) = (nil, 0, text)
    while !rest.isEmpty {
      let bytes = Self.piece(of: rest)
      let piece = ItemRun(first: run.first.advanced(by: done), count: Self.scalarCount(bytes))
      if done > 0 {
        // The item before is known by now.
        let place = Place(parent: run.first.advanced(by: done - 1), side: .right)
        opening = self.opening(for: piece.first, at: place, isBefore)!
      }
      let start = insert(piece, bytes, isLive: isLive, at: opening)
      if index == nil { index = start }
      (done, rest) = (done + piece.count, UnsafeBufferPointer(rebasing: rest[bytes.count...]))
    }
    return index
  }

  /// Long texts are inserted in pieces of this many bytes, and a few more.
  static var pieceCountMax: Int { 1_024 }

  /// The first piece of a text, which ends where a scalar does.
  static func piece(of text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var end = min(pieceCountMax, text.count)
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return UnsafeBufferPointer(rebasing: text[..<end])
  }

  static func scalarCount(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    for byte in text where byte & 0xC0 != 0x80 { count &+= 1 }
    return count
  }

  /// Whether the bytes have the shape of that many scalars: leading bytes, and as many more as they say.
  static func isText(_ text: UnsafeBufferPointer<UInt8>, of count: Int) -> Bool {
    if text.count == count { return text.allSatisfy { $0 < 0x80 } }
    var (scalars, place) = (0, 0)
    while place < text.count {
      let byte = text[place]
      let length = byte < 0x80 ? 1 : byte < 0xC0 ? 0 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF8 ? 4 : 0
      guard length > 0, length <= text.count &- place else { return false }
      for next in 1..<length where text[place &+ next] & 0xC0 != 0x80 { return false }
      place &+= length
      scalars &+= 1
    }
    return scalars == count
  }

  private func isAcceptable(_ run: ItemRun, _ text: UnsafeBufferPointer<UInt8>, isLive: Bool) -> Bool {
    guard run.count > 0, run.count <= Self.itemCountMax - itemCount, run.first.counter > 0,
      run.first.counter <= UInt64(Int64.max) - UInt64(run.count - 1), !run.first.replica.isNone,
      text.count <= Self.utf8CountMax - utf8Count
    else { return false }
    if holdsText, isLive {
      guard Self.isText(text, of: run.count) else { return false }
    } else if !text.isEmpty {
      return false
    }
    return run.first.counter >= dots.end(of: run.first.replica)
      || locateFirst(from: run.first, before: run.first.counter + UInt64(run.count)) == nil
  }

  // MARK: Putting it there

  /// - Returns: The visible index at which the run stands.
  @inline(__always)
  private mutating func insert(
    _ run: ItemRun, _ text: UnsafeBufferPointer<UInt8>, isLive: Bool, at opening: Opening
  ) -> Int {
    let leaf = opening.position.leaf.isNone ? addFirstLeaf() : opening.position.leaf
    moveCursor(to: leaf, opening.position.span)
    var span = Span(run, side: opening.side, depth: opening.depth, gap: opening.depth - 1, isLive: isLive)
    span.utf8Count = UInt32(truncatingIfNeeded: text.count)
    span.utf16Count = text.isEmpty ? 0 : UInt32(run.count + text.count { $0 >= 0xF0 })
    var added = Sums(span)
    if opening.side == .right, opening.position.offset == 0, cursor.span > 0,
      leaves[leaf].spans[cursor.span &- 1].joins(span)
    {
      let index = cursor.start + cursor.live
      let end = cursor.utf8
      moveCursorBack()
      leaves[leaf].extend(cursor.span, with: span, text, utf8End: end)
      finish(run, added)
      return index
    }
    makeSpace(for: opening.position.offset > 0 ? 2 : 1)
    if opening.side == .left {
      // The gap before the item that follows is the new one's now.
      span.gap = opening.position.offset > 0 ? opening.depth - 2 : leaves[cursor.leaf].spans[cursor.span].gap
      added.minGap = UInt32(truncatingIfNeeded: span.gap)
    }
    let head = leaves[cursor.leaf].insert(
      span, text, at: cursor.span, offset: opening.position.offset, utf8Before: cursor.utf8)
    if opening.position.offset > 0 {
      cursor.span += 1
      cursor.live += head.live
      cursor.utf8 += head.utf8
      spanCount += 1
    }
    if opening.side == .left { leaves[cursor.leaf].spans[cursor.span + 1].gap = opening.depth - 1 }
    spanCount += 1
    let index = cursor.start + cursor.live
    finish(run, added)
    return index
  }

  /// Counts and indexes what was inserted at the cursor.
  @inline(__always)
  private mutating func finish(_ run: ItemRun, _ added: Sums) {
    itemCount += run.count
    add(added, to: cursor.leaf)
    dots.assign(run.first, count: run.count, to: cursor.leaf)
    if leaves[cursor.leaf].text.count > Leaf.textCountMax { splitText() }
  }

  private mutating func addFirstLeaf() -> LeafHandle {
    firstLeaf = leaves.insert(Leaf())
    lastLeaf = firstLeaf
    return firstLeaf
  }

  /// Makes sure that the cursor's leaf can take some more spans at the cursor, which may move with its span.
  @inline(__always)
  mutating func makeSpace(for count: Int) {
    if leaves[cursor.leaf].spans.count &+ count > Leaf.spanCountMax {
      splitLeaf(at: leaves[cursor.leaf].spans.count / 2)
    }
  }

  /// Splits the cursor's leaf before a span; the cursor goes with its own.
  private mutating func splitLeaf(at span: Int) {
    let (live, utf8) = leaves[cursor.leaf].measure(before: span)
    let new = splitLeaf(at: Boundary(leaf: cursor.leaf, span: span))
    guard cursor.span >= span else { return }
    cursor.leaf = new
    cursor.start += live
    cursor.span -= span
    cursor.live -= live
    cursor.utf8 -= utf8
  }

  /// Splits the cursor's leaf, which has too much text, near the middle of it: in a long span if need be.
  private mutating func splitText() {
    let leaf = cursor.leaf
    let middle = leaves[leaf].text.count / 2
    var (place, utf8Before) = (0, 0)
    while utf8Before + Int(leaves[leaf].spans[place].utf8Count) <= middle {
      utf8Before += Int(leaves[leaf].spans[place].utf8Count)
      place += 1
    }
    let span = leaves[leaf].spans[place]
    // A leaf has space for one scalar more, so one that has too much text has two live ones.
    if span.length > 1 {
      let scalars = leaves[leaf].text[utf8Before..<middle].count { $0 & 0xC0 != 0x80 }
      leaves[leaf].split(place, at: max(1, min(span.length - 1, scalars)), utf8Before: utf8Before)
      spanCount += 1
      place += 1
      if cursor.span >= place { cursor.span += 1 }
    } else if place == 0 {
      place = 1
    }
    splitLeaf(at: place)
  }
}
