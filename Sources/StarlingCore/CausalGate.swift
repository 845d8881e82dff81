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
  /// How many changes, and how many operations in them, are held at most. The oldest go first.
  public let changeCountMax: Int
  public let operationCountMax: Int

  private struct Held: Sendable {
    var change: Change
    /// The dot under which it waits.
    var lacks: Dot
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

  public init(changeCountMax: Int = 10_000, operationCountMax: Int = 1_000_000) {
    precondition(changeCountMax > 0 && operationCountMax > 0, "A gate that holds nothing cannot wait for anything.")
    self.changeCountMax = changeCountMax
    self.operationCountMax = operationCountMax
  }

  /// How many changes wait.
  public var count: Int { held.count }
  public var isEmpty: Bool { held.isEmpty }

  /// Whether changes of that writer wait.
  ///
  /// - Complexity: O(changes that wait)
  public func holdsBack(_ replica: ReplicaID) -> Bool { held.keys.contains { $0.replica == replica } }

  /// How many names of changes it keeps in its lists, for those who watch memory.
  package var retainedCount: Int { arrivals.count + waiting.values.reduce(0) { $0 + $1.count } }

  /// What came of a change.
  public struct Received: Hashable, Sendable {
    /// What merged, in this order: the change itself and those that had waited for it; of a history, these alone.
    public var merged: [Change] = []
    /// What the change rests on and the document lacks: ask for it. Empty unless the change waits.
    public var missing: [Dot] = []
    /// Items that changes are anchored on and that were let go of here: ask for a state that has them. The
    /// changes are dropped; they come again with the state.
    public var anchorsLacking: [Dot] = []
    /// Changes that had waited, and turned out to be ones that nobody may merge. They are dropped.
    public var refusals: [MergeError] = []

    public init() {}

    fileprivate mutating func add(merged changes: ArraySlice<Change>) {
      // All of them are the array that came: nothing is copied.
      if merged.isEmpty { merged = Array(changes) } else { merged += changes }
    }

    package mutating func add(_ later: Received) {
      merged += later.merged
      missing += later.missing
      anchorsLacking += later.anchorsLacking
      refusals += later.refusals
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

  /// The same; what came of it is added to what came of those before.
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
  /// - Returns: The end of those, and what came of the next; nil where there is none.
  private func mergeRun(
    of changes: [Change], from start: Int, into document: inout Document, patch: inout Patch
  ) -> (end: Int, outcome: Result<MergeOutcome, MergeError>?) {
    changes.withLent { lent in
      for place in start..<lent.count {
        do throws(MergeError) {
          let outcome = try document.merge(lent[place], patch: &patch)
          guard outcome == .merged, waiting.isEmpty else { return (place, .success(outcome)) }
        } catch {
          return (place, .failure(error))
        }
      }
      return (lent.count, nil)
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
      hold(change, lacking: missing[0])
      received.missing += missing
    case .lacksAnchors(let dots):
      received.anchorsLacking += dots
    case .merged:
      received.merged.append(change)
      if !waiting.isEmpty { release(waitingFor: change.replica, into: &document, patch: &patch, &received) }
    }
  }

  /// Merges a history as one, and all that waited for its changes.
  ///
  /// - Returns: What had waited and merged; nil, and nothing happened, where its changes are to be received one by one:
  ///   some are merged already, or may not merge yet.
  /// - Throws: `MergeError` if it is one that has no changes.
  public mutating func receive(
    _ history: TextHistory, into document: inout Document, patch: inout Patch
  ) throws(MergeError) -> Received? {
    guard try document.mergeAsOne(history, patch: &patch) else { return nil }
    var received = Received()
    release(waitingFor: history.replica, into: &document, patch: &patch, &received)
    return received
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
        guard let change = take(waiter.name) else { continue }
        do throws(MergeError) {
          switch try document.merge(change, patch: &patch) {
          case .duplicate:
            break
          case .notYet(let missing):
            hold(change, lacking: missing[0])
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

  private mutating func hold(_ change: Change, lacking dot: Dot) {
    let name = Dot(change.replica, change.firstCounter)
    guard held[name] == nil, change.operations.count <= operationCountMax else { return }
    while held.count >= changeCountMax || operationCount + change.operations.count > operationCountMax {
      dropOldest()
    }
    held[name] = Held(change: change, lacks: dot)
    operationCount += change.operations.count
    noteArrival(of: name)
    let place = waiting[dot.replica]?.firstIndex { $0.counter <= dot.counter }
    let waiter = Waiter(counter: dot.counter, name: name)
    waiting[dot.replica, default: []].insert(waiter, at: place ?? waiting[dot.replica]?.count ?? 0)
  }

  private mutating func noteArrival(of name: Dot) {
    if arrivals.count > 2 * held.count + 16 {
      arrivals = arrivals[arrivalsStart...].filter { held[$0] != nil }
      arrivalsStart = 0
    }
    arrivals.append(name)
  }

  private mutating func take(_ name: Dot) -> Change? {
    guard let taken = held.removeValue(forKey: name) else { return nil }
    operationCount -= taken.change.operations.count
    return taken.change
  }

  private mutating func dropOldest() {
    let name = arrivals[arrivalsStart]
    arrivalsStart += 1
    guard let lacks = held[name]?.lacks, take(name) != nil else { return }
    waiting[lacks.replica]?.removeAll { $0.name == name }
  }
}
