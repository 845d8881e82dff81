// The B+tree: ways down by index and by dot, ways up to indices and sums, and its growth.
extension SequenceTree {
  // MARK: Down

  /// The live item at `index`.
  @inline(__always)
  func position(at index: Int) -> Position {
    precondition(index >= 0 && index < count, "\(index) is not within 0..<\(count).")
    guard !cursor.leaf.isNone else { return descend(to: index) }
    let offset = index &- cursor.start &- cursor.live
    if offset >= 0, offset < leaves[cursor.leaf].spans[cursor.span].liveLength {
      return Position(leaf: cursor.leaf, span: cursor.span, offset: offset)
    }
    var rest = index &- cursor.start
    if rest >= 0, let position = position(at: &rest, in: cursor.leaf) { return position }
    return descend(to: index)
  }

  private func descend(to index: Int) -> Position {
    var rest = index
    let leaf = leaf(holding: &rest) { Int($0.live) }
    return position(at: &rest, in: leaf)!
  }

  /// The leaf that holds the unit `rest`, which becomes the place in that leaf.
  @inline(__always)
  func leaf(holding rest: inout Int, measure: (Sums) -> Int) -> LeafHandle {
    var branch = root
    guard !branch.isNone else { return firstLeaf }
    while true {
      var slot = 0
      let child = branches[branch].children.withUnsafeBufferPointer { children in
        while slot &+ 1 < children.count {
          let size = measure(children[slot].sums)
          if rest < size { break }
          rest &-= size
          slot &+= 1
        }
        return children[slot].handle
      }
      if branches[branch].holdsLeaves { return LeafHandle(rawValue: child) }
      branch = BranchHandle(rawValue: child)
    }
  }

  @inline(__always)
  private func position(at rest: inout Int, in leaf: LeafHandle) -> Position? {
    leaves.withSpans(of: leaf) { spans in
      for place in 0..<spans.count {
        let live = spans[place].liveLength
        if rest < live { return Position(leaf: leaf, span: place, offset: rest) }
        rest &-= live
      }
      return nil
    }
  }

  /// The place of an item, live or dead; nil if it is unknown.
  @inline(__always)
  func locate(_ item: DotRow) -> Position? {
    if !cursor.leaf.isNone {
      let span = leaves[cursor.leaf].spans[cursor.span]
      if span.contains(item) {
        return Position(leaf: cursor.leaf, span: cursor.span, offset: Int(item.counter &- span.counter))
      }
    }
    guard let leaf = dots.leaf(of: item) else { return nil }
    return leaves.withSpans(of: leaf) { spans in
      for place in 0..<spans.count where spans[place].contains(item) {
        return Position(leaf: leaf, span: place, offset: Int(item.counter &- spans[place].counter))
      }
      return nil
    }
  }

  /// The first known item at or after `item` and before the counter `end`, of the same replica.
  func locateFirst(from item: DotRow, before end: UInt64) -> Position? {
    guard item.counter < end else { return nil }
    if let position = locate(item) { return position }
    var item = item
    let end = min(end, dots.end(of: item.replica))
    while item.counter < end {
      let nextStep = min(end, dots.nextStep(after: item) ?? end)
      if let leaf = dots.leaf(of: item) {
        var least: Position?
        var leastCounter = nextStep
        leaves.withSpans(of: leaf) { spans in
          for (place, span) in spans.enumerated()
          where span.replica == item.replica && span.counter >= item.counter && span.counter < leastCounter {
            (least, leastCounter) = (Position(leaf: leaf, span: place, offset: 0), span.counter)
          }
        }
        if let least { return least }
      }
      item.counter = nextStep
      if nextStep < end, let position = locate(item) { return position }
    }
    return nil
  }

  // MARK: Along

  @inline(__always)
  func boundary(after boundary: Boundary) -> Boundary? {
    if boundary.span &+ 1 < leaves.spanCount(of: boundary.leaf) {
      return Boundary(leaf: boundary.leaf, span: boundary.span &+ 1)
    }
    let next = leaves[links: boundary.leaf].next
    return next.isNone ? nil : Boundary(leaf: next, span: 0)
  }

  func boundary(before boundary: Boundary) -> Boundary? {
    if boundary.span > 0 { return Boundary(leaf: boundary.leaf, span: boundary.span - 1) }
    let previous = leaves[links: boundary.leaf].previous
    return previous.isNone ? nil : Boundary(leaf: previous, span: leaves.spanCount(of: previous) - 1)
  }

  // MARK: Up

  /// How many live items stand before the leaf.
  @inline(__always)
  func start(of leaf: LeafHandle) -> Int {
    if leaf == cursor.leaf { return cursor.start }
    return sum(before: leaf) { Int($0.live) }
  }

  func sum(before leaf: LeafHandle, measure: (Sums) -> Int) -> Int {
    var sum = 0
    var child = leaf.rawValue
    var branch = leaves[links: leaf].parent
    while !branch.isNone {
      branches[branch].children.withUnsafeBufferPointer { children in
        var slot = 0
        while slot < children.count, children[slot].handle != child {
          sum &+= measure(children[slot].sums)
          slot &+= 1
        }
      }
      child = branch.rawValue
      branch = branches[branch].parent
    }
    return sum
  }

  /// Whether one span stands before another.
  func isBefore(_ former: Boundary, _ latter: Boundary) -> Bool {
    if former.leaf == latter.leaf { return former.span < latter.span }
    var (left, right) = (former.leaf.rawValue, latter.leaf.rawValue)
    var (above, beyond) = (leaves[links: former.leaf].parent, leaves[links: latter.leaf].parent)
    // All leaves are equally deep, so both ways up meet.
    while above != beyond {
      (left, right) = (above.rawValue, beyond.rawValue)
      (above, beyond) = (branches[above].parent, branches[beyond].parent)
    }
    return branches[above].slot(of: left) < branches[above].slot(of: right)
  }

  /// Moves the cursor to a boundary, or to the end of a leaf.
  @inline(__always)
  mutating func moveCursor(to leaf: LeafHandle, _ span: Int) {
    if leaf == cursor.leaf {
      if span == cursor.span { return }
      if span == cursor.span &+ 1 {
        let passed = leaves[leaf].spans[cursor.span]
        cursor.span = span
        cursor.live &+= passed.liveLength
        cursor.utf8 &+= Int(passed.utf8Count)
        return
      }
    } else {
      leaves.read(leaf)
      cursor.start = start(of: leaf)
      cursor.leaf = leaf
    }
    cursor.span = span
    (cursor.live, cursor.utf8) = leaves[leaf].measure(before: span)
  }

  /// Moves the cursor to the span before, if there is one in the leaf.
  @inline(__always)
  mutating func moveCursorBack() {
    guard cursor.span > 0 else { return }
    cursor.span &-= 1
    let span = leaves[cursor.leaf].spans[cursor.span]
    cursor.live &-= span.liveLength
    cursor.utf8 &-= Int(span.utf8Count)
  }

  /// Counts what was added to the leaf.
  @inline(__always)
  mutating func add(_ sums: Sums, to leaf: LeafHandle) {
    totals.add(sums)
    forEachChild(above: leaf) { $0.add(sums) }
  }

  /// Counts what was taken from the leaf; the least depth and gap stay.
  @inline(__always)
  mutating func subtract(_ sums: Sums, from leaf: LeafHandle) {
    totals.subtract(sums)
    forEachChild(above: leaf) { $0.subtract(sums) }
  }

  @inline(__always)
  private mutating func forEachChild(above leaf: LeafHandle, _ body: (inout Sums) -> Void) {
    var child = leaf.rawValue
    var branch = leaves[links: leaf].parent
    guard !branch.isNone else { return }
    var guess = Int(leaves[links: leaf].slot)
    var slot = branches[branch].slot(of: child, guess: guess)
    if slot != guess { leaves[links: leaf].slot = UInt32(truncatingIfNeeded: slot) }
    while true {
      body(&branches[branch].children[slot].sums)
      (child, guess) = (branch.rawValue, branches[branch].slot)
      let below = branch
      branch = branches[branch].parent
      if branch.isNone { return }
      slot = branches[branch].slot(of: child, guess: guess)
      if slot != guess { branches[below].slot = slot }
    }
  }

  /// Sums up again what stands above a leaf that lost something.
  mutating func refresh(_ leaf: LeafHandle) {
    var sums = leaves[leaf].sums
    var child = leaf.rawValue
    var branch = leaves[links: leaf].parent
    while !branch.isNone {
      let slot = branches[branch].slot(of: child)
      branches[branch].children[slot].sums = sums
      sums = branches[branch].sums
      child = branch.rawValue
      branch = branches[branch].parent
    }
    totals = sums
  }

  // MARK: Growing and shrinking

  /// Moves the spans from `boundary` on into a new leaf, the next one.
  mutating func splitLeaf(at boundary: Boundary) -> LeafHandle {
    let old = boundary.leaf
    leaves.read(old)
    var leaf = Leaf()
    let utf8Before = leaves[old].measure(before: boundary.span).utf8
    leaf.spans.reserveCapacity(Leaf.spanCountMax)
    leaf.spans.append(contentsOf: leaves[old].spans[boundary.span...])
    leaf.text.append(contentsOf: leaves[old].text[utf8Before...])
    leaves[old].spans.removeSubrange(boundary.span...)
    leaves[old].text.removeSubrange(utf8Before...)
    leaf.links.previous = old
    leaf.links.next = leaves[links: old].next
    let new = leaves.insert(leaf)
    if leaf.links.next.isNone { lastLeaf = new } else { leaves[links: leaf.links.next].previous = new }
    leaves[links: old].next = new
    for span in leaf.spans { dots.assign(span.first, count: span.length, to: new) }
    let (sums, remaining) = (leaf.sums, leaves[old].sums)
    if leaves[links: old].parent.isNone {
      leaves[links: old].parent = addRoot(over: old.rawValue, remaining, holdsLeaves: true)
    }
    let parent = leaves[links: old].parent
    let slot = branches[parent].slot(of: old.rawValue)
    branches[parent].children[slot].sums = remaining
    branches[parent].children.insert(Branch.Child(handle: new.rawValue, sums: sums), at: slot + 1)
    leaves[links: new].parent = parent
    splitBranch(parent)
    return new
  }

  private mutating func addRoot(over child: UInt32, _ sums: Sums, holdsLeaves: Bool) -> BranchHandle {
    root = branches.insert(Branch(children: [.init(handle: child, sums: sums)], holdsLeaves: holdsLeaves))
    return root
  }

  /// Halves the branch if it has too many children, and so on upwards.
  private mutating func splitBranch(_ branch: BranchHandle) {
    guard branches[branch].children.count > Branch.childCountMax else { return }
    let half = branches[branch].children.count / 2
    var right = Branch(holdsLeaves: branches[branch].holdsLeaves)
    right.children.reserveCapacity(Branch.childCountMax + 1)
    right.children.append(contentsOf: branches[branch].children[half...])
    branches[branch].children.removeSubrange(half...)
    let new = branches.insert(right)
    for child in right.children { setParent(of: child.handle, isLeaf: right.holdsLeaves, to: new) }
    if branches[branch].parent.isNone {
      branches[branch].parent = addRoot(over: branch.rawValue, branches[branch].sums, holdsLeaves: false)
    }
    let parent = branches[branch].parent
    let slot = branches[parent].slot(of: branch.rawValue)
    branches[parent].children[slot].sums = branches[branch].sums
    branches[parent].children.insert(Branch.Child(handle: new.rawValue, sums: right.sums), at: slot + 1)
    branches[new].parent = parent
    splitBranch(parent)
  }

  mutating func setParent(of child: UInt32, isLeaf: Bool, to branch: BranchHandle) {
    if isLeaf {
      leaves[links: LeafHandle(rawValue: child)].parent = branch
    } else {
      branches[BranchHandle(rawValue: child)].parent = branch
    }
  }

  /// Gives back a leaf without spans, and the branches that it leaves empty.
  mutating func removeLeaf(_ leaf: LeafHandle) {
    let links = leaves[links: leaf]
    if links.next.isNone { lastLeaf = links.previous } else { leaves[links: links.next].previous = links.previous }
    if links.previous.isNone { firstLeaf = links.next } else { leaves[links: links.previous].next = links.next }
    leaves.remove(leaf)
    var child = leaf.rawValue
    var branch = links.parent
    while !branch.isNone {
      let slot = branches[branch].slot(of: child)
      branches[branch].children.remove(at: slot)
      guard branches[branch].children.isEmpty else { return shrink(from: branch) }
      child = branch.rawValue
      let parent = branches[branch].parent
      branches.remove(branch, leaving: Branch())
      branch = parent
    }
    root = .none
    totals = Sums()
  }

  /// Sums up again from `branch` on, and drops roots with one child.
  private mutating func shrink(from branch: BranchHandle) {
    var branch = branch
    while true {
      let parent = branches[branch].parent
      if parent.isNone { break }
      let slot = branches[parent].slot(of: branch.rawValue)
      branches[parent].children[slot].sums = branches[branch].sums
      branch = parent
    }
    totals = branches[root].sums
    while !root.isNone, branches[root].children.count == 1 {
      let former = root
      let child = branches[former].children[0].handle
      setParent(of: child, isLeaf: branches[former].holdsLeaves, to: .none)
      root = branches[former].holdsLeaves ? .none : BranchHandle(rawValue: child)
      branches.remove(former, leaving: Branch())
    }
  }
}
