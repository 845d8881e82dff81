/// What took the place of what: things that an undo writes again have new names, and the steps before it know
/// the former ones.
///
/// ```
/// insert "x"  (a1)      remove "x"      undo: insert "x"  (a9)      undo: a1 ──► a9, remove it
/// ```
///
/// Each is numbered by when it came, so that it can go with the last step that is older.
struct IDRemappings: Sendable {
  /// Entries, the objects that they brought into being, and increments that began a share.
  private var entries: [Dot: Successor] = [:]
  /// Elements of lists and scalars of texts, by replica and ascending: they come in runs.
  private var items: [ReplicaID: [Run]] = [:]
  /// Candidates of elements.
  private var candidates: [Dot: Successor] = [:]
  /// Marks: one may be continued by several, and itself still stand.
  private var marks: [Dot: [Successor]] = [:]

  private struct Successor: Sendable {
    var dot: Dot
    var number: UInt64
  }

  private struct Run: Sendable {
    var counter: UInt64
    var count: Int
    var successor: Dot
    var number: UInt64
  }

  /// That of the remappings that come from now on.
  var number: UInt64 = 0

  /// How many are held.
  private(set) var count = 0
  /// No remapping has a lesser number.
  private var oldest = UInt64.max

  /// What each takes in memory, roughly.
  static let byteCount = 64

  // MARK: Telling

  mutating func addEntry(_ former: Dot, _ latter: Dot) {
    countOne()
    entries[former] = Successor(dot: latter, number: number)
  }

  mutating func addCandidate(_ former: Dot, _ latter: Dot) {
    guard former != latter else { return }
    countOne()
    candidates[former] = Successor(dot: latter, number: number)
  }

  mutating func addMark(_ former: Dot, _ latter: Dot) {
    countOne()
    marks[former, default: []].append(Successor(dot: latter, number: number))
  }

  mutating func addItems(_ former: DotRun, _ latter: Dot) {
    let run = Run(counter: former.first.counter, count: former.count, successor: latter, number: number)
    countOne()
    let replica = former.first.replica
    items[replica, default: []].insert(run, at: place(after: run.counter, in: items[replica] ?? []))
  }

  private mutating func countOne() {
    count += 1
    oldest = min(oldest, number)
  }

  // MARK: Asking

  func entry(_ dot: Dot) -> Dot { last(dot, entries) }

  func candidate(_ dot: Dot) -> Dot { last(dot, candidates) }

  private func last(_ dot: Dot, _ successors: [Dot: Successor]) -> Dot {
    var dot = dot
    while let next = successors[dot] { dot = next.dot }
    return dot
  }

  func object(_ id: ObjectID) -> ObjectID {
    id.dot.map { .assigned(by: entry($0)) } ?? id
  }

  func item(_ dot: Dot) -> Dot { runs(DotRun(first: dot, count: 1))[0].first }

  func key(_ key: Key) -> Key {
    if case .element(let dot) = key { .element(item(dot)) } else { key }
  }

  /// The mark, and all that continue it.
  func allMarks(_ dot: Dot) -> Set<Dot> {
    var found: Set<Dot> = [dot]
    var rest = [dot]
    while let dot = rest.popLast() {
      for next in marks[dot] ?? [] where found.insert(next.dot).inserted { rest.append(next.dot) }
    }
    return found
  }

  /// The items of the run as they are called now, in order.
  func runs(_ run: DotRun) -> [DotRun] {
    if items.isEmpty { return [run] }
    var found: [DotRun] = []
    var rest = [run]
    while var next = rest.popLast() {
      let known = items[next.first.replica] ?? []
      let after = place(after: next.first.counter, in: known)
      if after > 0, known[after - 1].counter + UInt64(known[after - 1].count) > next.first.counter {
        let run = known[after - 1]
        let offset = next.first.counter - run.counter
        let count = min(next.count, run.count - Int(offset))
        if count < next.count {
          rest.append(
            DotRun(first: Dot(next.first.replica, next.first.counter + UInt64(count)), count: next.count - count))
        }
        rest.append(DotRun(first: Dot(run.successor.replica, run.successor.counter + offset), count: count))
        continue
      }
      if after < known.count, known[after].counter - next.first.counter < UInt64(next.count) {
        let count = Int(known[after].counter - next.first.counter)
        rest.append(DotRun(first: Dot(next.first.replica, known[after].counter), count: next.count - count))
        next.count = count
      }
      found.append(next)
    }
    return found
  }

  /// The place of the first run that begins behind the counter.
  private func place(after counter: UInt64, in runs: [Run]) -> Int {
    runs.partitioningIndex { $0.counter > counter }
  }

  // MARK: Forgetting

  /// Forgets what came before the step of this number: whatever was recorded since names what stands.
  ///
  /// - Complexity: O(1) where nothing is as old, else O(remappings)
  mutating func forget(before number: UInt64) {
    guard count > 0, oldest < number else { return }
    entries = entries.filter { $0.value.number >= number }
    candidates = candidates.filter { $0.value.number >= number }
    marks = marks.mapValues { $0.filter { $0.number >= number } }.filter { !$0.value.isEmpty }
    items = items.mapValues { $0.filter { $0.number >= number } }.filter { !$0.value.isEmpty }
    count =
      entries.count + candidates.count + marks.values.reduce(0) { $0 + $1.count }
      + items.values.reduce(0) { $0 + $1.count }
    oldest = .max
    for number in entries.values.lazy.map(\.number) { oldest = min(oldest, number) }
    for number in candidates.values.lazy.map(\.number) { oldest = min(oldest, number) }
    for number in marks.values.joined().lazy.map(\.number) { oldest = min(oldest, number) }
    for number in items.values.joined().lazy.map(\.number) { oldest = min(oldest, number) }
  }
}
