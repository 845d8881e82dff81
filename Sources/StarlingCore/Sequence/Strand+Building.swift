extension Strand {
  /// The strand of which these are all runs in order, as `forEachRun` lists them.
  ///
  /// - Throws: `Contradiction`, if there is none.
  /// - Complexity: O(n log n) for sorting what is mostly sorted; all else is O(n).
  init(
    holdsText: Bool, runs: [StoredRun], text: UnsafeBufferPointer<UInt8> = .init(start: nil, count: 0),
    isBefore: (ReplicaHandle, ReplicaHandle) -> Bool
  ) throws(Contradiction) {
    self.init(holdsText: holdsText)
    guard !runs.isEmpty else { return }
    try Self.check(runs, text, holdsText: holdsText)
    var levels = try RunLevels(runs)
    try levels.measure(runs, isBefore)
    fill(runs, levels, text)
    stackBranches()
    indexDots(runs, levels)
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

  /// Puts the runs into leaves that are three quarters full, long ones in pieces.
  private mutating func fill(_ runs: [StoredRun], _ levels: RunLevels, _ text: UnsafeBufferPointer<UInt8>) {
    var leaf = Leaf()
    var from = 0
    leaf.spans.reserveCapacity(Leaf.spanCountMax)
    for (place, stored) in runs.enumerated() {
      var (rest, restText) = (stored.run, UnsafeBufferPointer(rebasing: text[from..<from + stored.utf8Count]))
      var (side, depth, gap) = (stored.place.side, levels.depths[place], levels.gaps[place])
      from += stored.utf8Count
      while rest.count > 0 {
        if leaf.spans.count >= Self.filledSpanCount
          || leaf.text.count + min(restText.count, Self.pieceCountMax) > Self.filledTextCount
        {
          append(&leaf)
        }
        let bytes = Self.piece(of: restText)
        let count = restText.isEmpty ? rest.count : Self.scalarCount(bytes)
        var span = Span(
          ItemRun(first: rest.first, count: count), side: side, depth: depth, gap: gap, isLive: stored.isLive)
        span.utf8Count = UInt32(bytes.count)
        span.utf16Count = bytes.isEmpty ? 0 : UInt32(count + bytes.count { $0 >= 0xF0 })
        leaf.spans.append(span)
        leaf.text.append(contentsOf: bytes)
        if leaf.spans.count > 1 { leaf.join(leaf.spans.count - 2) }
        (side, depth, gap) = (.right, depth + count, depth + count - 1)
        rest = ItemRun(first: rest.first.advanced(by: count), count: rest.count - count)
        restText = UnsafeBufferPointer(rebasing: restText[bytes.count...])
      }
      itemCount += stored.run.count
    }
    append(&leaf)
  }

  private static var filledSpanCount: Int { 24 }
  private static var filledTextCount: Int { 3_072 }

  /// Adds a leaf behind the last one, and begins another.
  private mutating func append(_ leaf: inout Leaf) {
    guard !leaf.spans.isEmpty else { return }
    leaf.previous = lastLeaf
    let handle = leaves.insert(leaf)
    if lastLeaf.isNone { firstLeaf = handle } else { leaves[lastLeaf].next = handle }
    lastLeaf = handle
    spanCount += leaf.spans.count
    totals.add(leaf.sums)
    leaf = Leaf()
    leaf.spans.reserveCapacity(Leaf.spanCountMax)
  }

  /// Builds the tree over the leaves, level by level.
  private mutating func stackBranches() {
    guard firstLeaf != lastLeaf else { return }
    var level: ContiguousArray<Branch.Child> = []
    var leaf = firstLeaf
    while !leaf.isNone {
      level.append(Branch.Child(handle: leaf.rawValue, sums: leaves[leaf].sums))
      leaf = leaves[leaf].next
    }
    var holdsLeaves = true
    while level.count > 1 {
      var above: ContiguousArray<Branch.Child> = []
      for start in stride(from: 0, to: level.count, by: Self.filledSpanCount) {
        let children = ContiguousArray(level[start..<min(level.count, start + Self.filledSpanCount)])
        let branch = branches.insert(Branch(children: children, holdsLeaves: holdsLeaves))
        for child in children {
          if holdsLeaves {
            leaves[LeafHandle(rawValue: child.handle)].parent = branch
          } else {
            branches[BranchHandle(rawValue: child.handle)].parent = branch
          }
        }
        above.append(Branch.Child(handle: branch.rawValue, sums: branches[branch].sums))
        root = branch
      }
      (level, holdsLeaves) = (above, false)
    }
  }

  private mutating func indexDots(_ runs: [StoredRun], _ levels: RunLevels) {
    var spans: ContiguousArray<(first: DotRow, count: Int, leaf: LeafHandle)> = []
    spans.reserveCapacity(spanCount)
    var leaf = firstLeaf
    while !leaf.isNone {
      for span in leaves[leaf].spans { spans.append((span.first, span.length, leaf)) }
      leaf = leaves[leaf].next
    }
    spans.sort { ($0.first.replica.rawValue, $0.first.counter) < ($1.first.replica.rawValue, $1.first.counter) }
    for span in spans { dots.assign(span.first, count: span.count, to: span.leaf) }
  }
}
