/// What one replica typed into an empty text, and what of it they removed again. The order of it all is found at once,
/// where each edit by itself would have to be told where it goes.
///
/// ```
/// typed      1…5 │ 6…9 left of 3 │ 10…12 right of 9          removed    4…7
///
/// tree       1 2 3 4 5            order    1 2 │ 6 7 │ 8 9 10 11 12 │ 3 │ 4 │ 5
///               ╱                                dead                    dead
///              6 7 8 9
///                     ╲
///                     10 11 12
/// ```
///
/// Whoever types alone takes ever greater counters, so siblings need not be compared: the later one is the nearer to
/// its parent, and nearer than the next item of the parent's run.
struct Typing {
  let replica: ReplicaHandle
  private let firstCounter: UInt64
  /// Ascending by their items, and so each behind the one that its parent lies in.
  private var runs: ContiguousArray<Run> = []
  /// In the order of the removals.
  private var removed: ContiguousArray<Range<UInt64>> = []

  private struct Run {
    /// Of the first item, counted from 1 for the first that could be one.
    let first: UInt64
    var count: Int
    /// Twice the number of the parent, which is 0 for the root, and one more on the right of it.
    let place: UInt64
    /// Where its text begins.
    let utf8: Int

    var end: UInt64 { first + UInt64(count) }
    var side: Side { place & 1 == 0 ? .left : .right }
    /// How many items of the run that the parent lies in, and begins with that item, stand before it.
    func offset(in parent: Run) -> Int { Int((place + 1) / 2 - parent.first) }
    var parent: UInt64 { place / 2 }
  }

  /// Some items of one run that stand side by side, all live or all dead.
  struct Part {
    /// Without its text.
    let span: Span
    /// Which of the runs, ascending by their items, it is of.
    let run: Int
  }

  /// - Parameter firstCounter: That of the first operation.
  init(by replica: ReplicaHandle, from firstCounter: UInt64, insertionCount: Int, removalCount: Int) {
    self.replica = replica
    self.firstCounter = firstCounter
    runs.reserveCapacity(insertionCount)
    removed.reserveCapacity(removalCount)
  }

  /// One past the last item.
  var end: UInt64 { firstCounter + (runs.last?.end ?? 1) - 1 }

  /// Each run is parted at most once by each that stands below it, and twice by each removal.
  var partCountMax: Int { 2 * (runs.count + removed.count) }

  // MARK: What happened

  /// Adds items: the first beside its parent, 0 for the root, each further one right of the one before.
  ///
  /// - Parameter counter: Greater than those of all items so far, the parent included.
  /// - Parameter utf8: Where their text begins.
  mutating func insert(_ counter: UInt64, count: Int, _ side: Side, of parent: UInt64, utf8: Int) {
    let first = number(counter)
    let place = 2 * (parent == 0 ? 0 : number(parent)) + (side == .right ? 1 : 0)
    // What goes on behind the last item is of one run with it.
    if let last = runs.last, last.end == first, place == 2 * first - 1 {
      runs[runs.count - 1].count += count
    } else {
      runs.append(Run(first: first, count: count, place: place, utf8: utf8))
    }
  }

  /// Removes what items there are among these counters.
  ///
  /// - Returns: Whether some may be.
  mutating func remove(from counter: UInt64, count: Int) -> Bool {
    let end = counter + UInt64(count)
    guard end > firstCounter else { return false }
    removed.append(number(max(counter, firstCounter))..<number(end))
    return true
  }

  private func number(_ counter: UInt64) -> UInt64 { counter - firstCounter + 1 }

  // MARK: The order

  /// Calls `body` with every part in order, and the text of live ones; no two in a row are of one span.
  ///
  /// - Parameter text: Of all that was inserted.
  /// - Complexity: O(runs + removals + bytes of text)
  func forEachPart(of text: Scalars, _ body: (Part, UnsafeBufferPointer<UInt8>) -> Void) {
    text.withUTF8 { utf8 in
      forEachPart(Walk(gone: sortedRemovals(), text: utf8, isASCII: utf8.count == text.count), body)
    }
  }

  private func forEachPart(_ walk: Walk, _ body: (Part, UnsafeBufferPointer<UInt8>) -> Void) {
    var walk = walk
    let children = sortedChildren()
    let starts = starts(of: children)
    let removals = firstRemovals(in: walk.gone)
    var path: ContiguousArray<Walk.Step> = []
    func enter(_ run: Int, depth: Int) {
      path.append(
        Walk.Step(run: run, depth: depth, utf8: runs[run].utf8, child: starts[run + 1], removal: removals[run]))
    }
    for place in 0..<starts[1] {
      enter(children[place], depth: 1)
      while var step = path.popLast() {
        let run = runs[step.run]
        guard step.child < starts[step.run + 2] else {
          emit(upTo: run.count, of: &step, &walk, body)
          // Whatever follows stands below the parent, or farther up.
          walk.gap = step.depth - 1
          continue
        }
        let child = children[step.child]
        let offset = runs[child].offset(in: run)
        emit(upTo: offset, of: &step, &walk, body)
        step.child += 1
        path.append(step)
        enter(child, depth: step.depth + offset + (runs[child].side == .left ? 1 : 0))
      }
    }
  }

  /// Where the walk along the order is.
  private struct Walk {
    /// A run that has begun, and how far it is through.
    struct Step {
      let run: Int
      /// That of its first item.
      let depth: Int
      var done = 0
      /// Where the text of what follows begins.
      var utf8: Int
      /// The next of its children.
      var child: Int
      /// The next of the removals that may concern it.
      var removal: Int
    }

    let gone: ContiguousArray<Range<UInt64>>
    let text: UnsafeBufferPointer<UInt8>
    let isASCII: Bool
    /// That of the next item: the depth of the last one, unless one farther up comes between.
    var gap = 0

    @inline(__always)
    func text(of count: Int, from start: Int) -> UnsafeBufferPointer<UInt8> {
      let rest = UnsafeBufferPointer(rebasing: text[start...])
      return UnsafeBufferPointer(
        rebasing: rest[..<(isASCII ? count : SequenceTree.utf8Count(ofFirst: count, in: rest))])
    }
  }

  /// Goes on to the item at `end` of the run.
  @inline(__always)
  private func emit(
    upTo end: Int, of step: inout Walk.Step, _ walk: inout Walk, _ body: (Part, UnsafeBufferPointer<UInt8>) -> Void
  ) {
    let run = runs[step.run]
    while step.done < end {
      let next = run.first + UInt64(step.done)
      while step.removal < walk.gone.count, walk.gone[step.removal].upperBound <= next { step.removal += 1 }
      let removal = step.removal < walk.gone.count ? walk.gone[step.removal] : run.end..<run.end
      let isLive = removal.lowerBound > next
      let border = min(run.first + UInt64(end), isLive ? removal.lowerBound : removal.upperBound)
      let count = Int(border - next)
      let text = walk.text(of: count, from: step.utf8)
      let item = DotRow(replica: replica, counter: firstCounter + next - 1)
      let span = Span(
        ItemRun(first: item, count: count), side: step.done == 0 ? run.side : .right, depth: step.depth + step.done,
        gap: walk.gap, isLive: isLive)
      body(Part(span: span, run: step.run), isLive ? text : UnsafeBufferPointer(start: nil, count: 0))
      step.done += count
      step.utf8 += text.count
      walk.gap = span.lastDepth
    }
  }

  /// All runs by where they stand beside their parents, and those of one place in the order of the text.
  private func sortedChildren() -> ContiguousArray<Int> {
    var children = ContiguousArray(runs.indices)
    children.sortStably { runs[$0].place }
    var start = 0
    while start < children.count {
      let place = runs[children[start]].place
      var end = start + 1
      while end < children.count, runs[children[end]].place == place { end += 1 }
      // The nearest is the latest.
      if place & 1 == 1, end - start > 1 { children[start..<end].reverse() }
      start = end
    }
    return children
  }

  /// Where among the sorted children those of the root begin, then those of each run; and the end.
  private func starts(of children: ContiguousArray<Int>) -> ContiguousArray<Int> {
    var starts: ContiguousArray<Int> = [0]
    starts.reserveCapacity(runs.count + 2)
    var place = children.firstIndex { runs[$0].parent > 0 } ?? children.count
    for run in runs {
      starts.append(place)
      while place < children.count, runs[children[place]].parent < run.end { place += 1 }
    }
    starts.append(place)
    return starts
  }

  /// The numbers that were removed, ascending and apart from one another.
  private func sortedRemovals() -> ContiguousArray<Range<UInt64>> {
    var order = ContiguousArray(removed.indices)
    order.sortStably { removed[$0].lowerBound }
    var sorted: ContiguousArray<Range<UInt64>> = []
    sorted.reserveCapacity(order.count)
    for place in order {
      let range = removed[place]
      if let last = sorted.last, range.lowerBound <= last.upperBound {
        sorted[sorted.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        sorted.append(range)
      }
    }
    return sorted
  }

  /// Of each run, the first removal that does not end before it.
  private func firstRemovals(in gone: ContiguousArray<Range<UInt64>>) -> ContiguousArray<Int> {
    var first: ContiguousArray<Int> = []
    first.reserveCapacity(runs.count)
    var place = 0
    for run in runs {
      while place < gone.count, gone[place].upperBound <= run.first { place += 1 }
      first.append(place)
    }
    return first
  }
}
