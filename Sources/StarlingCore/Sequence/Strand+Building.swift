extension Strand {
  /// The strand of which these are all runs in order, as `forEachRun` lists them.
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
    var levels = try RunLevels(runs)
    try levels.measure(runs, isBefore)
    let placed = fill(runs, levels, text)
    stackBranches(over: placed.children)
    for run in levels.sorted { dots.assign(runs[run].run.first, count: runs[run].run.count, to: placed.leaves[run]) }
    for (piece, leaf) in placed.pieces { dots.assign(piece.first, count: piece.count, to: leaf) }
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

  /// Where `fill` put the runs.
  private struct Placed {
    /// The leaf in which each run begins.
    var leaves: ContiguousArray<LeafHandle> = []
    /// What of long runs lies in other leaves.
    var pieces: [(ItemRun, LeafHandle)] = []
    /// All leaves.
    var children: ContiguousArray<Branch.Child> = []
  }

  /// Puts the runs into leaves that are three quarters full, long ones in pieces.
  private mutating func fill(
    _ runs: [StoredRun], _ levels: RunLevels, _ text: UnsafeBufferPointer<UInt8>
  ) -> Placed {
    var placed = Placed()
    placed.leaves.reserveCapacity(runs.count)
    var leaf = Leaf()
    leaf.spans.reserveCapacity(Leaf.spanCountMax)
    var from = 0
    for place in runs.indices {
      let stored = runs[place]
      var (rest, restText) = (stored.run, UnsafeBufferPointer(rebasing: text[from..<from + stored.utf8Count]))
      var (side, depth, gap) = (stored.place.side, levels.depths[place], levels.gaps[place])
      let isASCII = stored.utf8Count == stored.run.count
      from += stored.utf8Count
      itemCount += stored.run.count
      while rest.count > 0 {
        let bytes = Self.piece(of: restText)
        if leaf.spans.count >= Self.filledCount || leaf.text.count + bytes.count > Self.filledTextCount {
          append(&leaf, to: &placed)
        }
        let count = bytes.isEmpty ? rest.count : isASCII ? bytes.count : Self.scalarCount(bytes)
        let run = ItemRun(first: rest.first, count: count)
        var span = Span(run, side: side, depth: depth, gap: gap, isLive: stored.isLive)
        span.utf8Count = UInt32(bytes.count)
        span.utf16Count = bytes.isEmpty ? 0 : UInt32(isASCII ? count : count + bytes.count { $0 >= 0xF0 })
        // The leaf gets the next handle.
        let handle = LeafHandle(leaves.extent)
        if placed.leaves.count == place { placed.leaves.append(handle) } else { placed.pieces.append((run, handle)) }
        leaf.text.append(contentsOf: bytes)
        if let last = leaf.spans.last, last.joins(span) {
          leaf.spans[leaf.spans.count - 1].append(span)
        } else {
          leaf.spans.append(span)
        }
        (side, depth, gap) = (.right, depth + count, depth + count - 1)
        rest = ItemRun(first: rest.first.advanced(by: count), count: rest.count - count)
        restText = UnsafeBufferPointer(rebasing: restText[bytes.count...])
      }
    }
    append(&leaf, to: &placed)
    return placed
  }

  private static var filledCount: Int { 24 }
  private static var filledTextCount: Int { 3_072 }

  /// Adds a leaf behind the last one, and begins another.
  private mutating func append(_ leaf: inout Leaf, to placed: inout Placed) {
    leaf.previous = lastLeaf
    let sums = leaf.sums
    let handle = leaves.insert(leaf)
    if lastLeaf.isNone { firstLeaf = handle } else { leaves[lastLeaf].next = handle }
    lastLeaf = handle
    spanCount += leaf.spans.count
    totals.add(sums)
    placed.children.append(Branch.Child(handle: handle.rawValue, sums: sums))
    leaf = Leaf()
    leaf.spans.reserveCapacity(Leaf.spanCountMax)
  }

  /// Builds the tree over the leaves, level by level.
  private mutating func stackBranches(over leaves: ContiguousArray<Branch.Child>) {
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
