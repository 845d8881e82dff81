/// Holds changes that may not merge yet, and lets them go once what they rest on has merged
/// (Protocol/merge.md, "The causal gate").
///
/// What it holds is bounded and counts for nothing: no version covers it, and to drop it costs no
/// more than another pull.
///
/// ```
/// receive ──► merges now ──► document ──► releases, in turn, what waited for it
///        └──► waits, under the first dot that it lacks:   waiting[replica] = [... counter ...]
/// ```
public struct CausalGate: Sendable {
  /// How many changes, how many operations in them, and how many bytes of memory for them are held at most. The oldest
  /// go first.
  public let changeCountMax: Int
  public let operationCountMax: Int
  public let byteCountMax: Int

  /// The peer that brings what is received next, and how many of its bytes may wait; nil for one that is bounded with
  /// all others alone.
  public var bringer: Bringer?

  /// Somebody whose changes may take a part of the space alone.
  public struct Bringer: Hashable, Sendable {
    public var name: String
    public var byteCountMax: Int

    public init(name: String, byteCountMax: Int) {
      self.name = name
      self.byteCountMax = byteCountMax
    }
  }

  private struct Held: Sendable {
    var change: Change
    /// The dot under which it waits.
    var lacks: Dot
    var byteCount: Int
    var bringer: String?
    /// Whether nobody held it when that was last asked.
    var isUnclaimed = false
  }

  /// A change that waits for a dot of one replica.
  private struct Waiter: Sendable {
    var counter: UInt64
    /// Its first dot.
    var name: Dot
  }

  /// By first dot.
  private var held: [Dot: Held] = [:]
  /// Those that wait for a replica, descending by the counter that they wait for.
  private var waiting: [ReplicaID: [Waiter]] = [:]
  /// First dots in the order of arrival, from `arrivalsStart` on; those no longer held are passed over.
  private var arrivals: [Dot] = []
  private var arrivalsStart = 0
  private var operationCount = 0
  /// Bytes of memory that those that wait take, and of those that named bringers brought.
  public private(set) var byteCount = 0
  private var byteCounts: [String: Int] = [:]

  public init(changeCountMax: Int = 10_000, operationCountMax: Int = 1_000_000, byteCountMax: Int = 64 << 20) {
    precondition(
      changeCountMax > 0 && operationCountMax > 0 && byteCountMax > 0,
      "A gate that holds nothing cannot wait for anything.")
    self.changeCountMax = changeCountMax
    self.operationCountMax = operationCountMax
    self.byteCountMax = byteCountMax
  }

  /// Bytes of memory that changes take that wait and that `bringer` brought.
  public func byteCount(of bringer: String) -> Int { byteCounts[bringer] ?? 0 }

  /// Those of whose changes some wait.
  public var bringers: some Collection<String> { byteCounts.keys }

  /// How many changes wait.
  public var count: Int { held.count }
  public var isEmpty: Bool { held.isEmpty }

  /// Whether changes of that writer wait.
  ///
  /// - Complexity: O(changes that wait)
  public func holdsBack(_ replica: ReplicaID) -> Bool { held.keys.contains { $0.replica == replica } }

  /// How many names of changes it keeps in its lists, for those who watch memory.
  package var retainedCount: Int { arrivals.count + waiting.values.reduce(0) { $0 + $1.count } }

  /// The outcome of a change.
  public struct Received: Hashable, Sendable {
    /// What merged, in this order: the change itself and those that had waited for it; of a row that merged as one, these
    /// alone.
    public var merged: [Change] = []
    /// What the change rests on and the document lacks: ask for it. Empty unless the change waits.
    public var missing: [Dot] = []
    /// Items that changes are anchored on and that were collected here: ask for a state that has them. The
    /// changes are dropped; they come again with the state.
    public var anchorsLacking: [Dot] = []
    /// Changes that had waited, and turned out to be ones that nobody may merge. They are dropped.
    public var refusals: [MergeError] = []
    /// Changes that were dropped because no more of their bringer's may wait.
    public var unheldCount = 0

    public init() {}

    fileprivate mutating func add(merged changes: ArraySlice<Change>) {
      // All of them are the array that came: nothing is copied.
      if merged.isEmpty { merged = Array(changes) } else { merged += changes }
    }
  }

  /// Merges a change and all that waited for it, or holds it until it may merge. A change that is
  /// merged or held already is dropped.
  ///
  /// - Throws: `MergeError` if the change is one that nobody may merge.
  public mutating func receive(
    _ change: Change, into document: inout Document, patch: inout Patch
  ) throws(MergeError) -> Received {
    var received = Received()
    try receive(change, into: &document, patch: &patch, &received)
    return received
  }

  /// The same; its outcome is added to that of those before.
  public mutating func receive(
    _ change: Change, into document: inout Document, patch: inout Patch, _ received: inout Received
  ) throws(MergeError) {
    let outcome = try document.merge(change, patch: &patch)
    take(outcome, of: change, into: &document, patch: &patch, &received)
  }

  /// The same, of changes in turn. Where all of them merge, which is so mostly, what merged is their array, and none is
  /// copied.
  ///
  /// - Throws: where one is malformed; those before it have merged.
  package mutating func receive(
    _ changes: [Change], into document: inout Document, patch: inout Patch, _ received: inout Received
  ) throws(MergeError) {
    var place = 0
    while place < changes.count {
      let (end, outcome) = mergeRun(of: changes, from: place, into: &document, patch: &patch)
      received.add(merged: changes[place..<end])
      guard let outcome else { return }
      take(try outcome.get(), of: changes[end], into: &document, patch: &patch, &received)
      place = end + 1
    }
  }

  /// Merges changes for as long as each merges and nothing may have waited for it.
  ///
  /// - Returns: The end of those, and the outcome of the next; nil where there is none.
  private func mergeRun(
    of changes: [Change], from start: Int, into document: inout Document, patch: inout Patch
  ) -> (end: Int, outcome: Result<MergeOutcome, MergeError>?) {
    changes.withBorrowed { borrowed in
      for place in start..<borrowed.count {
        do throws(MergeError) {
          let outcome = try document.merge(borrowed[place], patch: &patch)
          guard outcome == .merged, waiting.isEmpty else { return (place, .success(outcome)) }
        } catch {
          return (place, .failure(error))
        }
      }
      return (borrowed.count, nil)
    }
  }

  private mutating func take(
    _ outcome: MergeOutcome, of change: Change, into document: inout Document, patch: inout Patch,
    _ received: inout Received
  ) {
    switch outcome {
    case .duplicate:
      break
    case .notYet(let missing):
      if !hold(change, lacking: missing[0], broughtBy: bringer) { received.unheldCount += 1 }
      received.missing += missing
    case .lacksAnchors(let dots):
      received.anchorsLacking += dots
    case .merged:
      received.merged.append(change)
      if !waiting.isEmpty { release(waitingFor: change.replica, into: &document, patch: &patch, &received) }
    }
  }

  /// The same, of a row of changes: as one, and all that waited for them, or one by one, where some are merged already
  /// or may not merge yet.
  ///
  /// - Returns: whether it merged as one; then its own changes are not listed among what merged.
  /// - Throws: `MergeError` if it has no changes, or one that nobody may merge.
  public mutating func receive(
    _ part: Contribution, into document: inout Document, patch: inout Patch, _ received: inout Received
  ) throws(MergeError) -> Bool {
    let mergedAsOne: Bool
    switch part {
    case .change(let change):
      try receive(change, into: &document, patch: &patch, &received)
      return false
    case .sets(let history): mergedAsOne = document.mergeAsOne(history, patch: &patch)
    case .history(let history): mergedAsOne = try document.mergeAsOne(history, patch: &patch)
    }
    guard mergedAsOne else {
      for change in part.changes { try receive(change, into: &document, patch: &patch, &received) }
      return false
    }
    if !waiting.isEmpty { release(waitingFor: part.replica, into: &document, patch: &patch, &received) }
    return true
  }

  /// Merges what waited for anything that the document covers by now; to be called after a state was
  /// merged, or changes by another way than this gate.
  public mutating func release(into document: inout Document, patch: inout Patch) -> Received {
    var received = Received()
    for replica in waiting.keys.sorted() {
      release(waitingFor: replica, into: &document, patch: &patch, &received)
    }
    return received
  }

  private mutating func release(
    waitingFor replica: ReplicaID, into document: inout Document, patch: inout Patch, _ received: inout Received
  ) {
    var advanced = [replica]
    while let replica = advanced.popLast() {
      while let waiter = waiting[replica]?.last, document.version.covers(Dot(replica, waiter.counter)) {
        waiting[replica]?.removeLast()
        guard let taken = take(waiter.name) else { continue }
        let change = taken.change
        do throws(MergeError) {
          switch try document.merge(change, patch: &patch) {
          case .duplicate:
            break
          case .notYet(let missing):
            // It goes on to wait in the space that it had.
            _ = hold(
              change, lacking: missing[0], broughtBy: taken.bringer.map { Bringer(name: $0, byteCountMax: .max) })
          case .lacksAnchors(let dots):
            received.anchorsLacking += dots
          case .merged:
            received.merged.append(change)
            advanced.append(change.replica)
          }
        } catch {
          received.refusals.append(error)
        }
      }
      if waiting[replica]?.isEmpty ?? false { waiting[replica] = nil }
    }
  }

  /// False where it is dropped because its bringer has no more space.
  private mutating func hold(_ change: Change, lacking dot: Dot, broughtBy bringer: Bringer?) -> Bool {
    let name = Dot(change.replica, change.firstCounter)
    let size = change.byteCountInMemory
    guard held[name] == nil, change.operations.count <= operationCountMax, size <= byteCountMax else { return true }
    if let bringer, byteCount(of: bringer.name) > bringer.byteCountMax - size { return false }
    while held.count >= changeCountMax || operationCount + change.operations.count > operationCountMax
      || byteCount + size > byteCountMax
    {
      dropOldest()
    }
    held[name] = Held(change: change, lacks: dot, byteCount: size, bringer: bringer?.name)
    operationCount += change.operations.count
    byteCount += size
    if let bringer { byteCounts[bringer.name, default: 0] += size }
    noteArrival(of: name)
    let place = place(in: waiting[dot.replica] ?? [], of: dot.counter)
    waiting[dot.replica, default: []].insert(Waiter(counter: dot.counter, name: name), at: place)
    return true
  }

  /// The place of the first that waits for that counter or for one before it.
  private func place(in waiters: [Waiter], of counter: UInt64) -> Int {
    waiters.partitioningIndex { $0.counter <= counter }
  }

  private mutating func noteArrival(of name: Dot) {
    if arrivals.count > 2 * held.count + 16 {
      arrivals = arrivals[arrivalsStart...].filter { held[$0] != nil }
      arrivalsStart = 0
    }
    arrivals.append(name)
  }

  private mutating func take(_ name: Dot) -> Held? {
    guard let taken = held.removeValue(forKey: name) else { return nil }
    operationCount -= taken.change.operations.count
    byteCount -= taken.byteCount
    if let bringer = taken.bringer, let count = byteCounts[bringer] {
      byteCounts[bringer] = count > taken.byteCount ? count - taken.byteCount : nil
    }
    return taken
  }

  /// Drops what waits and nobody holds any more: its writer gave it up, or has gone.
  ///
  /// - Parameter claimed: all that those say they hold who could send it. The sender may not have said so
  ///   yet: what is not covered is dropped at the second call in a row.
  /// - Complexity: O(changes that wait)
  public mutating func dropUnclaimed(beyond claimed: VersionVector) {
    for (name, change) in held {
      let isUnclaimed = !claimed.covers(name)
      if isUnclaimed, change.isUnclaimed { drop(name) } else { held[name]?.isUnclaimed = isUnclaimed }
    }
  }

  private mutating func dropOldest() {
    let name = arrivals[arrivalsStart]
    arrivalsStart += 1
    drop(name)
  }

  private mutating func drop(_ name: Dot) {
    guard let lacks = take(name)?.lacks, let waiters = waiting[lacks.replica] else { return }
    var place = place(in: waiters, of: lacks.counter)
    while place < waiters.count, waiters[place].counter == lacks.counter, waiters[place].name != name { place += 1 }
    if place < waiters.count, waiters[place].name == name { waiting[lacks.replica]?.remove(at: place) }
    if waiting[lacks.replica]?.isEmpty ?? false { waiting[lacks.replica] = nil }
  }
}

extension Change {
  /// Bytes of memory that the change takes at most, about.
  var byteCountInMemory: Int {
    var count = 192 + 16 * frontier.count + (message?.utf8.count ?? 0)
    for object in objects { count += 64 + object.key.weight }
    operations.forEachBorrowed { borrowed in
      count += 112 + borrowed.value.key.weight + borrowed.value.action.byteCountApart
    }
    return count
  }
}

extension Action {
  /// Bytes that stand beside the action itself.
  fileprivate var byteCountApart: Int {
    func size(_ clearing: VersionVector?) -> Int { 16 * (clearing?.entries.count ?? 0) }
    return switch self {
    case .set(let value, let replaced, let clearing): value.weight + 16 * replaced.count + size(clearing)
    case .remove(let replaced, let clearing): 16 * replaced.count + size(clearing)
    case .increment, .removeRun: 0
    case .insert(.text(let scalars), _): 4 * scalars.count
    case .insert(.values(let values), _): values.reduce(0) { $0 + 32 + $1.weight }
    case .move(_, let replaced): 16 * replaced.count
    case .mark(let mark): 128 + mark.value.weight + 16 * mark.replacing.count
    }
  }
}
