/// The tombstones of one sequence that collection has come to, on their way out.
///
/// ```
/// removals ──► unchecked ──► stable: fresh ──┐
///     ▲            │                         ├──► looked at ──► gone
///     └────────────┘ not yet     resting ────┘        │
///                                   ▲                 ▼  something rests on them
///                                   └───────────── kept
/// ```
///
/// The latest are looked at first: what was removed last rests on what was removed before. Collection may pause between
/// any two steps, and the sequence may be written in between.
struct StableTombstones: Sendable {
  /// Removals that some members may not have merged yet.
  private var unchecked = Removals()
  /// Found to be stable since the last round, the earliest first.
  private var fresh: ContiguousArray<ItemRun> = []
  /// Those that something rested on in the last round, the latest first.
  private var resting: ContiguousArray<ItemRun>.SubSequence = []
  /// Those that something rested on in this round, the latest first.
  private var kept: ContiguousArray<ItemRun> = []

  /// A longer run is looked at in parts, the last one first.
  static var partCountMax: Int { 64 }

  var isEmpty: Bool { unchecked.isEmpty && fresh.isEmpty && resting.isEmpty && kept.isEmpty }

  /// All of them, in no order.
  var runs: ContiguousArray<ItemRun> { unchecked.runs + fresh + resting + kept }

  /// Takes over what was removed since the last time.
  mutating func begin(_ removals: Removals) {
    // A collection that was given up may have left some.
    unchecked.append(removals)
    if !kept.isEmpty { endRound() }
  }

  mutating func takeUnchecked() -> Removal? { unchecked.popFirst() }

  mutating func add(_ run: ItemRun) { fresh.append(run) }

  /// The next items to look at in this round.
  mutating func next() -> ItemRun? {
    if let last = fresh.last {
      guard last.count > Self.partCountMax else { return fresh.popLast() }
      fresh[fresh.count - 1].count -= Self.partCountMax
      return last.suffix(Self.partCountMax)
    }
    guard let first = resting.first else { return nil }
    guard first.count > Self.partCountMax else { return resting.popFirst() }
    resting[resting.startIndex].count -= Self.partCountMax
    return first.suffix(Self.partCountMax)
  }

  /// Something rests on some of the items.
  mutating func keep(_ run: ItemRun) {
    // Parts of one run come one before the other.
    if let last = kept.last, run.first.advanced(by: run.count) == last.first {
      kept[kept.count - 1] = ItemRun(first: run.first, count: run.count + last.count)
    } else {
      kept.append(run)
    }
  }

  /// Looks at those again that were kept.
  mutating func endRound() {
    resting = resting.isEmpty ? kept[...] : (kept + resting)[...]
    kept = []
  }

  /// Whether there is something to look at in another round.
  var isAnythingResting: Bool { !resting.isEmpty }
}

extension ItemRun {
  fileprivate func suffix(_ count: Int) -> ItemRun {
    ItemRun(first: first.advanced(by: self.count - count), count: count)
  }
}
