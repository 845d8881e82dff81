/// Counters at which nothing is left to remove from a sequence, as removals have found out.
///
/// ```
/// named by removals     |------- 40,000 runs looked at -------|      |-- again --|   |- 3 -|
/// bare from then on     [=====================================]      (nothing to do)  (not worth a note)
/// ```
///
/// A removal names a range of counters and looks through whatever of it is there, also what was removed before: a
/// few bytes could have us look through a whole text, again and again. But what is removed never comes back. So a
/// removal that looked at much leaves a note, and no later one looks there again: beyond a constant for each removal,
/// all of them together look at each run once. Whoever removes what he sees finds little to note.
struct BareRanges: Sendable {
  /// A removal that looked at fewer leaves no note.
  static var noteworthyCount: Int { 32 }

  /// Ascending and apart from one another.
  private var ranges: [ReplicaHandle: ContiguousArray<Range<UInt64>>] = [:]
  /// How many runs or elements removals have looked at, and how many of the ranges they have passed.
  private(set) var lookCount = 0

  var isEmpty: Bool { ranges.isEmpty }

  /// What of the run may hold something, in order.
  func rest(of run: ItemRun) -> ContiguousArray<ItemRun> {
    guard let bare = ranges[run.first.replica] else { return [run] }
    var rest: ContiguousArray<ItemRun> = []
    var next = run.first.counter
    let end = next + UInt64(run.count)
    func add(upTo counter: UInt64) {
      guard next < counter else { return }
      rest.append(ItemRun(first: DotRow(replica: run.first.replica, counter: next), count: Int(counter - next)))
    }
    var place = bare.firstPlace(endingAfter: next)
    while place < bare.count, bare[place].lowerBound < end {
      add(upTo: bare[place].lowerBound)
      next = max(next, bare[place].upperBound)
      place += 1
    }
    add(upTo: end)
    return rest
  }

  /// Nothing is left in the run, to find which it took to look at so many.
  mutating func note(_ run: ItemRun, lookCount count: Int) {
    lookCount += count
    guard count >= Self.noteworthyCount else { return }
    var range = run.first.counter..<run.first.counter + UInt64(run.count)
    var bare = ranges.removeValue(forKey: run.first.replica) ?? []
    let start = bare.firstPlace(endingAfter: range.lowerBound - 1)
    var end = start
    while end < bare.count, bare[end].lowerBound <= range.upperBound {
      range = min(range.lowerBound, bare[end].lowerBound)..<max(range.upperBound, bare[end].upperBound)
      end += 1
    }
    bare.replaceSubrange(start..<end, with: CollectionOfOne(range))
    ranges[run.first.replica] = bare
  }
}

extension ContiguousArray<Range<UInt64>> {
  /// The place of the first range that ends after `counter`.
  fileprivate func firstPlace(endingAfter counter: UInt64) -> Int {
    partitioningIndex { $0.upperBound > counter }
  }
}
