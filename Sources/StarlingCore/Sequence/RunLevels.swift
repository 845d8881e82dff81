/// Depths and gaps of stored runs, found and validated in one pass up the tree and one along it.
///
/// The runs stand in the order of the tree exactly if what stands below each of them is one stretch,
/// with left children before it and right children behind, and siblings in their order.
struct RunLevels {
  private var rows: ContiguousArray<Row>
  /// All runs, ascending by their dots.
  private(set) var sorted: ContiguousArray<Int32>

  init(
    _ runs: [StoredRun], _ isBefore: (ReplicaHandle, ReplicaHandle) -> Bool
  ) throws(Contradiction) {
    rows = ContiguousArray(runs.indices.lazy.map { Row(start: $0, end: $0) })
    sorted = Self.sort(runs)
    try followPredecessors(runs)
    try findParents(runs)
    let topDown = try findDepths()
    try findStretches(topDown.reversed())
    try findGaps(runs, isBefore)
    try refuseDivided(runs)
  }

  /// The depth of the run's first item.
  func depth(of run: Int) -> Int { rows[run].depth }
  /// The gap of the run's first item.
  func gap(of run: Int) -> Int { rows[run].gap }

  /// What is known of a run: all in one place, as most of it is asked for out of order.
  private struct Row {
    /// The run that holds the first item's parent, and where; `root` and 0 for children of the root.
    @Narrow var parent = Row.unknown
    @Narrow var offset = 0
    @Narrow var depth = 0
    @Narrow var gap = 0
    /// How many runs stand below it and are it, and from where to where they do.
    @Narrow var size = 1
    @Narrow var start: Int
    @Narrow var end: Int
    /// The child seen last on each side.
    @Narrow var lastLeft = Row.unknown
    @Narrow var lastRight = Row.unknown

    static var unknown: Int { -2 }
    static var root: Int { -1 }
  }

  /// Sorts by replica, then by counter.
  private static func sort(_ runs: [StoredRun]) -> ContiguousArray<Int32> {
    var places = ContiguousArray(runs.indices.lazy.map { Int32(truncatingIfNeeded: $0) })
    places.sortStably { runs[$0].run.first.counter }
    if let replica = runs.first?.run.first.replica, runs.contains(where: { $0.run.first.replica != replica }) {
      places.sortStably { UInt64(runs[$0].run.first.replica.rawValue) }
    }
    return places
  }

  // MARK: Upwards

  /// Finds the parents of all runs that hang on their predecessor's last item, as the rest of a run does within which
  /// something was inserted; and that no item stands twice.
  private mutating func followPredecessors(_ runs: [StoredRun]) throws(Contradiction) {
    guard var former = sorted.first.map({ Int($0) }) else { return }
    for latter in sorted.dropFirst() {
      let latter = Int(latter)
      let (run, next) = (runs[former].run, runs[latter].run)
      if run.first.replica == next.first.replica {
        let end = run.first.counter + UInt64(run.count)
        guard end <= next.first.counter else { throw Contradiction(reason: .duplicate, run: max(former, latter)) }
        if end == next.first.counter, runs[latter].place == Place(parent: run.last, side: .right) {
          (rows[latter].parent, rows[latter].offset) = (former, run.count - 1)
        }
      }
      former = latter
    }
  }

  private mutating func findParents(_ runs: [StoredRun]) throws(Contradiction) {
    let search = ParentSearch(sorted, runs)
    for place in runs.indices where rows[place].parent == Row.unknown {
      let (item, side) = (runs[place].place.parent, runs[place].place.side)
      if item == .start {
        guard side == .right else { throw Contradiction(reason: .parent, run: place) }
        rows[place].parent = Row.root
      } else {
        // A left child of any but a run's first item would stand between it and the one before.
        guard let found = search.find(item, near: place, runs), side == .right || found.offset == 0 else {
          throw Contradiction(reason: .parent, run: place)
        }
        (rows[place].parent, rows[place].offset) = found
      }
    }
  }

  /// - Returns: All runs, parents first.
  private mutating func findDepths() throws(Contradiction) -> ContiguousArray<Int32> {
    var topDown: ContiguousArray<Int32> = []
    topDown.reserveCapacity(rows.count)
    var path: ContiguousArray<Int32> = []
    for place in rows.indices where rows[place].depth == 0 {
      var run = place
      while run >= 0, rows[run].depth == 0 {
        path.append(Int32(run))
        rows[run].depth = -1
        run = rows[run].parent
      }
      guard run < 0 || rows[run].depth > 0 else { throw Contradiction(reason: .parent, run: place) }
      var depth = run < 0 ? 0 : rows[run].depth
      while let run = path.popLast() {
        depth += rows[Int(run)].offset + 1
        rows[Int(run)].depth = depth
        topDown.append(run)
      }
    }
    return topDown
  }

  /// Finds from where to where what is below each run stands, which has nothing else between.
  private mutating func findStretches(_ bottomUp: some Sequence<Int32>) throws(Contradiction) {
    for run in bottomUp {
      let row = rows[Int(run)]
      guard row.end - row.start + 1 == row.size else { throw Contradiction(reason: .order, run: Int(run)) }
      guard row.parent >= 0 else { continue }
      rows[row.parent].size += row.size
      rows[row.parent].start = min(rows[row.parent].start, row.start)
      rows[row.parent].end = max(rows[row.parent].end, row.end)
    }
  }

  // MARK: Along

  /// Finds the gaps, and that the order is the tree's.
  private mutating func findGaps(
    _ runs: [StoredRun], _ isBefore: (ReplicaHandle, ReplicaHandle) -> Bool
  ) throws(Contradiction) {
    func isNearer(_ item: DotRow, _ sibling: DotRow) -> Bool {
      item.replica == sibling.replica ? item.counter > sibling.counter : isBefore(sibling.replica, item.replica)
    }
    var lastOfRoot = Row.unknown
    for run in runs.indices {
      let (parent, offset) = (rows[run].parent, rows[run].offset)
      let item = runs[run].run.first
      if runs[run].place.side == .left {
        guard run < parent else { throw Contradiction(reason: .order, run: run) }
        let former = rows[parent].lastLeft
        if former >= 0 {
          guard isNearer(item, runs[former].run.first) else { throw Contradiction(reason: .order, run: run) }
          rows[rows[run].start].gap = rows[parent].depth
        }
        rows[parent].lastLeft = run
        rows[parent].gap = rows[parent].depth
        continue
      }
      if parent >= 0 {
        guard run > parent else { throw Contradiction(reason: .order, run: run) }
        let next = runs[parent].run.first.advanced(by: offset + 1)
        guard offset + 1 == runs[parent].run.count || isNearer(next, item) else {
          throw Contradiction(reason: .order, run: run)
        }
      }
      let former = parent < 0 ? lastOfRoot : rows[parent].lastRight
      if former >= 0 {
        let isInOrder =
          rows[former].offset > offset || rows[former].offset == offset && isNearer(runs[former].run.first, item)
        guard isInOrder else { throw Contradiction(reason: .order, run: run) }
      }
      if parent < 0 { lastOfRoot = run } else { rows[parent].lastRight = run }
      rows[rows[run].start].gap = parent < 0 ? 0 : rows[parent].depth + offset
    }
  }

  private func refuseDivided(_ runs: [StoredRun]) throws(Contradiction) {
    for place in runs.indices.dropFirst() {
      let (former, latter) = (runs[place - 1], runs[place])
      let last = former.run.first.advanced(by: former.run.count - 1)
      guard
        latter.place != Place(parent: last, side: .right) || latter.run.first != last.advanced(by: 1)
          || latter.isLive != former.isLive || rows[place].gap == rows[place].depth
      else { throw Contradiction(reason: .divided, run: place) }
    }
  }
}

/// A number of runs or of items: there are less than 2^31 (`SequenceTree.itemCountMax`).
@propertyWrapper
private struct Narrow {
  private var rawValue: Int32

  init(wrappedValue: Int) { rawValue = Int32(wrappedValue) }

  var wrappedValue: Int {
    get { Int(rawValue) }
    set { rawValue = Int32(newValue) }
  }
}

/// Finds the run that holds an item.
private struct ParentSearch {
  private let sorted: ContiguousArray<Int32>
  private let counters: ContiguousArray<UInt64>
  /// Where among the sorted runs those of each replica end.
  private let ends: ContiguousArray<Int>

  init(_ sorted: ContiguousArray<Int32>, _ runs: [StoredRun]) {
    self.sorted = sorted
    counters = ContiguousArray(sorted.lazy.map { runs[Int($0)].run.first.counter })
    func replica(_ place: Int) -> ReplicaHandle { runs[Int(sorted[place])].run.first.replica }
    ends = ContiguousArray(sorted.indices.filter { $0 + 1 == sorted.count || replica($0) != replica($0 + 1) })
  }

  func find(_ item: DotRow, near place: Int, _ runs: [StoredRun]) -> (run: Int, offset: Int)? {
    if place > 0, let offset = Self.offset(of: item, in: runs[place - 1].run) { return (place - 1, offset) }
    if place + 1 < runs.count, let offset = Self.offset(of: item, in: runs[place + 1].run) {
      return (place + 1, offset)
    }
    var (row, rows) = (0, ends.count)
    while row < rows {
      let middle = (row &+ rows) / 2
      if runs[Int(sorted[ends[middle]])].run.first.replica.rawValue < item.replica.rawValue {
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
    let run = Int(sorted[slot])
    return Self.offset(of: item, in: runs[run].run).map { (run, $0) }
  }

  private static func offset(of item: DotRow, in run: ItemRun) -> Int? {
    guard item.replica == run.first.replica, item.counter &- run.first.counter < UInt64(run.count) else { return nil }
    return Int(item.counter - run.first.counter)
  }
}
