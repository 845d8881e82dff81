extension SequenceTree {
  /// The sequence with exactly these runs in this order, as `forEachRun` lists them.
  ///
  /// - Throws: `Contradiction`, if there is none.
  /// - Complexity: O(n), and O(log n) for each run that does not follow its parent at once.
  init(
    holdsText: Bool, runs: [StoredRun], text: UnsafeBufferPointer<UInt8> = .init(start: nil, count: 0),
    isBefore: (ReplicaHandle, ReplicaHandle) -> Bool
  ) throws(Contradiction) {
    self.init(holdsText: holdsText)
    guard !runs.isEmpty else { return }
    try Self.check(runs, text, holdsText: holdsText)
    let levels = try RunLevels(runs, isBefore)
    var filling = Filling()
    let begins = fill(runs, levels, text, &filling)
    finish(filling)
    var rest = levels.sorted[...]
    while let first = rest.first {
      let replica = runs[Int(first)].run.first.replica
      let own = rest.prefix { runs[Int($0)].run.first.replica == replica }
      let last = runs[Int(own[own.endIndex - 1])].run
      let steps = own.lazy.map { DotIndex.Step(counter: runs[Int($0)].run.first.counter, leaf: begins[Int($0)]) }
      dots.append(of: replica, steps, end: last.first.counter + UInt64(last.count))
      rest = rest[own.endIndex...]
    }
    for (piece, leaf) in filling.pieces { dots.assign(piece.first, count: piece.count, to: leaf) }
  }

  private static func check(
    _ runs: [StoredRun], _ text: UnsafeBufferPointer<UInt8>, holdsText: Bool
  ) throws(Contradiction) {
    var (items, bytes) = (0, 0)
    for (place, stored) in runs.enumerated() {
      let run = stored.run
      guard run.count > 0, run.count <= itemCountMax - items, run.first.counter > 0, !run.first.replica.isNone,
        run.first.counter <= UInt64(Int64.max) - UInt64(run.count - 1)
      else { throw Contradiction(reason: .impossible, run: place) }
      items += run.count
      let hasText = holdsText && stored.isLive
      guard stored.utf8Count >= (hasText ? run.count : 0), stored.utf8Count <= (hasText ? text.count - bytes : 0),
        !hasText || isText(UnsafeBufferPointer(rebasing: text[bytes..<bytes + stored.utf8Count]), of: run.count)
      else { throw Contradiction(reason: .text, run: place) }
      bytes += stored.utf8Count
    }
    guard bytes == text.count, bytes <= UInt32.max else { throw Contradiction(reason: .text, run: runs.count - 1) }
  }

  /// The sequence of a text in which nothing stands but what was typed.
  ///
  /// - Parameter text: Of all that was inserted.
  /// - Complexity: O(runs + removals + bytes of text)
  init(_ typing: Typing, text: Scalars) {
    self.init(holdsText: true)
    var filling = Filling()
    var placed: ContiguousArray<(step: DotIndex.Step, run: UInt32)> = []
    placed.reserveCapacity(typing.partCountMax)
    typing.forEachPart(of: text) { part, text in
      let leaf = put(part.span, text, &filling)
      placed.append((DotIndex.Step(counter: part.span.counter, leaf: leaf), UInt32(part.run)))
    }
    finish(filling)
    // Of each run they ascend already.
    var order = ContiguousArray(placed.indices)
    order.sortStably { UInt64(placed[$0].run) }
    dots = DotIndex(of: typing.replica, order.lazy.map { placed[$0].step }, end: typing.end)
    for (piece, leaf) in filling.pieces { dots.assign(piece.first, count: piece.count, to: leaf) }
  }

  /// Puts the runs into leaves, and finds in which each begins.
  private mutating func fill(
    _ runs: [StoredRun], _ levels: RunLevels, _ text: UnsafeBufferPointer<UInt8>, _ filling: inout Filling
  ) -> ContiguousArray<LeafHandle> {
    var from = 0
    return ContiguousArray(
      runs.indices.map { place in
        let stored = runs[place]
        let bytes = UnsafeBufferPointer(rebasing: text[from..<from + stored.utf8Count])
        from += stored.utf8Count
        let span = Span(
          stored.run, side: stored.place.side, depth: levels.depth(of: place), gap: levels.gap(of: place),
          isLive: stored.isLive)
        return put(span, bytes, &filling)
      })
  }

  /// Leaves that are filled in order.
  private struct Filling {
    /// The last one, which is not in the tree yet.
    var leaf = Filling.blankLeaf
    /// What of long runs lies in other leaves than they begin in.
    var pieces: [(ItemRun, LeafHandle)] = []
    /// Those that are full.
    var children: ContiguousArray<Branch.Child> = []

    static var blankLeaf: Leaf {
      var leaf = Leaf()
      leaf.spans.reserveCapacity(Leaf.spanCountMax)
      return leaf
    }
  }

  /// Puts items behind all others into leaves that are three quarters full, long texts in pieces.
  ///
  /// - Parameter span: Without its text; it does not go on with the last one.
  /// - Returns: The leaf in which they begin.
  private mutating func put(
    _ span: Span, _ text: UnsafeBufferPointer<UInt8>, _ filling: inout Filling
  ) -> LeafHandle {
    let isASCII = text.count == span.length
    var begin = LeafHandle.none
    var (done, rest) = (0, text)
    itemCount += span.length
    while done < span.length {
      let bytes = Self.piece(of: rest)
      if filling.leaf.spans.count >= Self.filledCount || filling.leaf.text.count + bytes.count > Self.filledTextCount {
        appendLeaf(of: &filling)
      }
      let count = bytes.isEmpty ? span.length - done : isASCII ? bytes.count : Self.scalarCount(bytes)
      var piece = span.part(done, count)
      piece.utf8Count = UInt32(bytes.count)
      piece.utf16Count = bytes.isEmpty ? 0 : UInt32(isASCII ? count : count + bytes.count { $0 >= 0xF0 })
      // The leaf gets the next handle.
      let leaf = LeafHandle(leaves.extent)
      if done == 0 { begin = leaf } else { filling.pieces.append((ItemRun(first: piece.first, count: count), leaf)) }
      if !bytes.isEmpty { filling.leaf.text.append(contentsOf: bytes) }
      if done > 0, let last = filling.leaf.spans.indices.last {
        filling.leaf.spans[last].append(piece)
      } else {
        filling.leaf.spans.append(piece)
      }
      (done, rest) = (done + count, UnsafeBufferPointer(rebasing: rest[bytes.count...]))
    }
    return begin
  }

  private static var filledCount: Int { 24 }
  private static var filledTextCount: Int { 3_072 }

  /// Adds the leaf behind the last one, and begins another.
  private mutating func appendLeaf(of filling: inout Filling) {
    filling.leaf.links.previous = lastLeaf
    let sums = filling.leaf.sums
    spanCount += filling.leaf.spans.count
    totals.add(sums)
    let handle = leaves.insert(filling.leaf)
    if lastLeaf.isNone { firstLeaf = handle } else { leaves[links: lastLeaf].next = handle }
    lastLeaf = handle
    filling.children.append(Branch.Child(handle: handle.rawValue, sums: sums))
    filling.leaf = Filling.blankLeaf
  }

  /// Adds the last leaf, and the tree over all of them.
  private mutating func finish(_ filling: consuming Filling) {
    var filling = filling
    appendLeaf(of: &filling)
    stackBranches(over: filling.children)
  }

  /// Builds the tree over the leaves, level by level.
  mutating func stackBranches(over leaves: ContiguousArray<Branch.Child>) {
    var (level, holdsLeaves) = (leaves, true)
    while level.count > 1 {
      var above: ContiguousArray<Branch.Child> = []
      for start in stride(from: 0, to: level.count, by: Self.filledCount) {
        let children = ContiguousArray(level[start..<min(level.count, start + Self.filledCount)])
        root = branches.insert(Branch(children: children, holdsLeaves: holdsLeaves))
        for child in children { setParent(of: child.handle, isLeaf: holdsLeaves, to: root) }
        above.append(Branch.Child(handle: root.rawValue, sums: branches[root].sums))
      }
      (level, holdsLeaves) = (above, false)
    }
  }
}
