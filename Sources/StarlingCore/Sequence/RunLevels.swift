/// Depths and gaps of stored runs, found and validated in one pass up the tree and one along it.
///
/// The runs stand in the order of the tree exactly if what stands below each of them is one stretch,
/// with left children before it and right children behind, and siblings in their order.
struct RunLevels {
  private(set) var depths: ContiguousArray<Int>
  private(set) var gaps: ContiguousArray<Int>
  /// The run that each one's parent lies in, and where; -1 for children of the root.
  private var parents: ContiguousArray<(run: Int, offset: Int)>
  /// All runs, ascending by their dots.
  private(set) var sorted: ContiguousArray<Int>
  /// All runs, parents first.
  private var topDown: ContiguousArray<Int> = []

  init(_ runs: [StoredRun]) throws(Contradiction) {
    depths = ContiguousArray(repeating: 0, count: runs.count)
    gaps = ContiguousArray(repeating: 0, count: runs.count)
    parents = []
    sorted = Self.sort(runs)
    try findParents(runs)
    try findDepths(runs)
  }

  /// Sorts by replica, then by counter.
  private static func sort(_ runs: [StoredRun]) -> ContiguousArray<Int> {
    var places = ContiguousArray(runs.indices)
    places.sortStably { runs[$0].run.first.counter }
    places.sortStably { UInt64(runs[$0].run.first.replica.rawValue) }
    return places
  }

  private mutating func findParents(_ runs: [StoredRun]) throws(Contradiction) {
    for (former, latter) in zip(sorted, sorted.dropFirst()) {
      let (run, next) = (runs[former].run, runs[latter].run)
      guard run.first.replica != next.first.replica || run.first.counter + UInt64(run.count) <= next.first.counter
      else {
        throw Contradiction(reason: .duplicate, run: max(former, latter))
      }
    }
    func offset(of item: DotRow, in run: ItemRun) -> Int? {
      guard item.replica == run.first.replica, item.counter &- run.first.counter < UInt64(run.count) else { return nil }
      return Int(item.counter - run.first.counter)
    }
    let counters = ContiguousArray(sorted.lazy.map { runs[$0].run.first.counter })
    // Where the runs of each replica end.
    let ends = ContiguousArray(
      sorted.indices.filter {
        $0 + 1 == sorted.count || runs[sorted[$0]].run.first.replica != runs[sorted[$0 + 1]].run.first.replica
      }
    )
    func find(_ item: DotRow, near place: Int) -> (run: Int, offset: Int)? {
      if place > 0, let offset = offset(of: item, in: runs[place - 1].run) { return (place - 1, offset) }
      if place + 1 < runs.count, let offset = offset(of: item, in: runs[place + 1].run) { return (place + 1, offset) }
      var (row, rows) = (0, ends.count)
      while row < rows {
        let middle = (row &+ rows) / 2
        if runs[sorted[ends[middle]]].run.first.replica.rawValue < item.replica.rawValue {
          row = middle + 1
        } else {
          rows = middle
        }
      }
      guard row < ends.count else { return nil }
      let start = row == 0 ? 0 : ends[row - 1] + 1
      let slot = counters.withUnsafeBufferPointer { counters in
        start + lastPlace(of: ends[row] + 1 - start, notAbove: item.counter) { counters[start &+ $0] }
      }
      return offset(of: item, in: runs[sorted[slot]].run).map { (sorted[slot], $0) }
    }
    parents.reserveCapacity(runs.count)
    for (place, stored) in runs.enumerated() {
      if stored.place.parent == .start {
        guard stored.place.side == .right else { throw Contradiction(reason: .parent, run: place) }
        parents.append((-1, 0))
      } else {
        // A left child of any but a run's first item would stand between it and the one before.
        guard let found = find(stored.place.parent, near: place), stored.place.side == .right || found.offset == 0
        else {
          throw Contradiction(reason: .parent, run: place)
        }
        parents.append(found)
      }
    }
  }

  private mutating func findDepths(_ runs: [StoredRun]) throws(Contradiction) {
    var path: [Int] = []
    for place in runs.indices where depths[place] == 0 {
      var run = place
      while run >= 0, depths[run] == 0 {
        path.append(run)
        depths[run] = -1
        run = parents[run].run
      }
      guard run < 0 || depths[run] > 0 else { throw Contradiction(reason: .parent, run: place) }
      while let run = path.popLast() {
        let (parent, offset) = parents[run]
        depths[run] = parent < 0 ? 1 : depths[parent] + offset + 1
        topDown.append(run)
      }
    }
  }

  /// Finds the gaps, and that the order is the tree's.
  mutating func measure(_ runs: [StoredRun], _ isBefore: (ReplicaHandle, ReplicaHandle) -> Bool) throws(Contradiction) {
    var sizes = ContiguousArray(repeating: 1, count: runs.count)
    var starts = ContiguousArray(runs.indices)
    var ends = ContiguousArray(runs.indices)
    for run in topDown.reversed() {
      guard ends[run] - starts[run] + 1 == sizes[run] else { throw Contradiction(reason: .order, run: run) }
      let parent = parents[run].run
      guard parent >= 0 else { continue }
      sizes[parent] += sizes[run]
      starts[parent] = min(starts[parent], starts[run])
      ends[parent] = max(ends[parent], ends[run])
    }
    func isNearer(_ item: DotRow, _ sibling: DotRow) -> Bool {
      item.replica == sibling.replica ? item.counter > sibling.counter : isBefore(sibling.replica, item.replica)
    }
    // The child seen last on each side; the root's is the last.
    var lastLeft = ContiguousArray(repeating: -1, count: runs.count)
    var lastRight = ContiguousArray(repeating: -1, count: runs.count + 1)
    for run in runs.indices {
      let (parent, offset) = parents[run]
      let item = runs[run].run.first
      if runs[run].place.side == .left {
        guard run < parent else { throw Contradiction(reason: .order, run: run) }
        if lastLeft[parent] >= 0 {
          guard isNearer(item, runs[lastLeft[parent]].run.first) else { throw Contradiction(reason: .order, run: run) }
          gaps[starts[run]] = depths[parent]
        }
        lastLeft[parent] = run
        gaps[parent] = depths[parent]
        continue
      }
      let slot = parent < 0 ? runs.count : parent
      if parent >= 0 {
        guard run > parent else { throw Contradiction(reason: .order, run: run) }
        let next = runs[parent].run.first.advanced(by: offset + 1)
        guard offset + 1 == runs[parent].run.count || isNearer(next, item) else {
          throw Contradiction(reason: .order, run: run)
        }
      }
      if lastRight[slot] >= 0 {
        let former = lastRight[slot]
        let isInOrder =
          parents[former].offset > offset
          || parents[former].offset == offset && isNearer(runs[former].run.first, item)
        guard isInOrder else { throw Contradiction(reason: .order, run: run) }
      }
      lastRight[slot] = run
      gaps[starts[run]] = parent < 0 ? 0 : depths[parent] + offset
    }
    try refuseDivided(runs)
  }

  private func refuseDivided(_ runs: [StoredRun]) throws(Contradiction) {
    for place in runs.indices.dropFirst() {
      let (former, latter) = (runs[place - 1], runs[place])
      let last = former.run.first.advanced(by: former.run.count - 1)
      guard
        latter.place != Place(parent: last, side: .right) || latter.run.first != last.advanced(by: 1)
          || latter.isLive != former.isLive || gaps[place] == depths[place]
      else { throw Contradiction(reason: .divided, run: place) }
    }
  }
}
