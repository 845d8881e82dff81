extension Strand {
  /// Where a local insertion at the visible `index` goes (Protocol/merge.md): its parent is a live item or
  /// one with a live descendant.
  ///
  /// Let *l* be the live item before, or the root, and *m* the live item after. If *m* stands in the right
  /// subtree of *l*, the new item becomes a left child of the first item after *l* that is *m* or an
  /// ancestor of it; otherwise a right child of *l*.
  func place(forInsertAt index: Int) -> Place {
    precondition(index >= 0 && index <= count, "\(index) is not within 0...\(count).")
    guard index > 0 else {
      guard count > 0 else { return Place(parent: .start, side: .right) }
      let first = spot(at: 0)
      let isFirst = first.span == 0 && first.leaf == firstLeaf
      return Place(parent: isFirst ? item(first) : topmostAncestor(of: first.seam, after: nil), side: .left)
    }
    let spot = spot(at: index - 1)
    let span = span(spot)
    if spot.offset + 1 < span.length { return Place(parent: span.first.advanced(by: spot.offset + 1), side: .left) }
    let rightChild = Place(parent: item(spot), side: .right)
    guard index < count, let next = seam(after: spot.seam), self[next].gap >= span.lastDepth else { return rightChild }
    if self[next].isLive { return Place(parent: self[next].first, side: .left) }
    let target = self.spot(at: index).seam
    if let end = firstSpan(after: spot.seam, gapAtMost: span.lastDepth - 1), !isBefore(target, end) {
      return rightChild
    }
    return Place(parent: topmostAncestor(of: target, after: spot), side: .left)
  }

  /// Inserts a run: its first item at `place`, each further one as the right child of the one before.
  ///
  /// - Parameters:
  ///   - text: UTF-8 of exactly as many scalars, if the run is live and this is a text; else empty.
  ///   - isLive: False puts dead items there.
  ///   - isBefore: The order of replica ids.
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
      text.count <= Int(UInt32.max) - utf8Count
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
  private mutating func insert(
    _ run: ItemRun, _ text: UnsafeBufferPointer<UInt8>, isLive: Bool, at opening: Opening
  ) -> Int {
    var spot = opening.spot
    if spot.leaf.isNone { spot.leaf = addFirstLeaf() }
    var added = Sums()
    added.live = isLive ? UInt32(run.count) : 0
    added.utf8 = UInt32(text.count)
    added.utf16 = holdsText && isLive ? UInt32(run.count + text.count { $0 >= 0xF0 }) : 0
    var utf8Before = 0
    var index = start(of: spot.leaf)
    cursor.start = index
    if let previous = extensible(run, isLive: isLive, at: opening, spot) {
      let before = leaves[spot.leaf].measure(before: spot.span)
      (index, utf8Before) = (index + before.live, before.utf8)
      spot.span = previous
      leaves[spot.leaf].spans[previous].length += run.count
      leaves[spot.leaf].spans[previous].utf8Count += added.utf8
      leaves[spot.leaf].spans[previous].utf16Count += added.utf16
    } else {
      cursor.leaf = spot.leaf
      makeRoom(at: &spot)
      let before = leaves[spot.leaf].measure(before: spot.span)
      (index, utf8Before) = (cursor.start + before.live, before.utf8)
      if spot.offset > 0 {
        leaves[spot.leaf].split(spot.span, at: spot.offset, utf8Before: before.utf8)
        let head = leaves[spot.leaf].spans[spot.span]
        (index, utf8Before) = (index + head.liveLength, utf8Before + Int(head.utf8Count))
        spot = Spot(leaf: spot.leaf, span: spot.span + 1, offset: 0)
        spanCount += 1
      }
      var gap = opening.depth - 1
      if opening.side == .left { swap(&gap, &leaves[spot.leaf].spans[spot.span].gap) }
      var span = Span(run, side: opening.side, depth: opening.depth, gap: gap, isLive: isLive)
      (span.utf8Count, span.utf16Count) = (added.utf8, added.utf16)
      (added.minDepth, added.minGap) = (UInt32(opening.depth), UInt32(gap))
      leaves[spot.leaf].spans.insert(span, at: spot.span)
      spanCount += 1
    }
    if !text.isEmpty { leaves[spot.leaf].text.insert(contentsOf: text, at: utf8Before) }
    itemCount += run.count
    add(added, to: spot.leaf)
    dots.assign(run.first, count: run.count, to: spot.leaf)
    (cursor.leaf, cursor.span) = (spot.leaf, spot.span)
    if leaves[spot.leaf].text.count > Leaf.textCountMax { splitText(of: spot.leaf) }
    return index
  }

  private mutating func addFirstLeaf() -> LeafHandle {
    firstLeaf = leaves.insert(Leaf())
    lastLeaf = firstLeaf
    return firstLeaf
  }

  /// The span before the opening, if the run goes on with it.
  @inline(__always)
  private func extensible(_ run: ItemRun, isLive: Bool, at opening: Opening, _ spot: Spot) -> Int? {
    guard opening.side == .right, spot.offset == 0, spot.span > 0 else { return nil }
    let previous = leaves[spot.leaf].spans[spot.span - 1]
    guard previous.end == run.first.counter, previous.replica == run.first.replica, previous.isLive == isLive,
      previous.lastDepth == opening.depth - 1
    else { return nil }
    return spot.span - 1
  }

  /// Makes sure that the leaf can take two more spans; the spot may move to its new neighbour.
  ///
  /// The cursor must point at the leaf; it follows the spot.
  mutating func makeRoom(at spot: inout Spot) {
    guard leaves[spot.leaf].spans.count + 2 > Leaf.spanCountMax else { return }
    let half = leaves[spot.leaf].spans.count / 2
    let live = leaves[spot.leaf].measure(before: half).live
    let new = splitLeaf(at: Seam(leaf: spot.leaf, span: half))
    guard spot.span >= half else { return }
    spot = Spot(leaf: new, span: spot.span - half, offset: spot.offset)
    cursor = Cursor(leaf: new, span: 0, start: cursor.start + live)
  }

  /// Splits a leaf with too much text near the middle of it, in a long span if need be.
  private mutating func splitText(of leaf: LeafHandle) {
    let middle = leaves[leaf].text.count / 2
    var (place, utf8Before) = (0, 0)
    while utf8Before + Int(leaves[leaf].spans[place].utf8Count) <= middle {
      utf8Before += Int(leaves[leaf].spans[place].utf8Count)
      place += 1
    }
    let span = leaves[leaf].spans[place]
    if span.length > 1 {
      let scalars = leaves[leaf].text[utf8Before..<middle].count { $0 & 0xC0 != 0x80 }
      leaves[leaf].split(place, at: max(1, min(span.length - 1, scalars)), utf8Before: utf8Before)
      spanCount += 1
      place += 1
    } else if place == 0 {
      place = 1
    }
    let live = leaves[leaf].measure(before: place).live
    let new = splitLeaf(at: Seam(leaf: leaf, span: place))
    if cursor.leaf == leaf, cursor.span >= place - 1 {
      cursor = Cursor(leaf: new, span: 0, start: cursor.start + live)
    }
  }
}
