extension Document {
  /// Collects tombstones, and marks that show nothing, that `stable` covers and on which nothing rests any more
  /// (Protocol/merge.md, "Tombstone collection"). No change may be open.
  ///
  /// - Parameter stable: What every member of the group has durably merged, or less. An acknowledgement counts only
  ///   once this document covers it: before, its member may have written what rests on a tombstone.
  /// - Returns: How many items and marks went. Where others rested on them, those may follow with the next call.
  /// - Complexity: O(tombstones that are kept, in runs; O(log *n*) for each that goes).
  @discardableResult
  public mutating func collectTombstones(stable: VersionVector) -> Int {
    openTexts()
    var collection = TombstoneCollection(stable: stable)
    while !collectTombstones(collection: &collection, workMax: .max) {}
    return collection.count
  }

  /// Does a part of the same, for whoever lets others at the document in between. No change may be open. A text that
  /// lies in a stored snapshot is left there.
  ///
  /// - Parameter workMax: about how much to do: to ask whether a removal is stable counts one, to look at stable items
  ///   counts them and some more.
  /// - Returns: Whether nothing is left to do.
  /// - Complexity: O(`workMax` log *n* + marks of the sequence that it is at); orphans go with the first call
  package mutating func collectTombstones(collection: inout TombstoneCollection, workMax: Int) -> Bool {
    precondition(!isWriting, "A writer may rest something on what would be collected; commit the open change first.")
    var work = workMax
    var patch = Patch()
    beginCall(&patch)
    if collection.begin() { collection.count += collectOrphans(stable: collection.stable, patch: &patch) }
    while collection.place < sequences.extent, work > 0 {
      let sequence = SequenceHandle(collection.place)
      work -= 1
      if !sequences[sequence].object.isNone {
        guard collectTombstones(of: sequence, &collection, &work) else { break }
        let object = sequences[sequence].object
        if sequences[sequence].isEmpty {
          releaseSequence(of: object)
          emptied.objects.append(object)
        }
      }
      collection.endSequence()
    }
    endCall(&patch)
    guard collection.place >= sequences.extent else { return false }
    if collection.count > 0 { capacity.recount() }
    return true
  }

  /// - Returns: whether nothing is left to do in the sequence.
  private mutating func collectTombstones(
    of sequence: SequenceHandle, _ collection: inout TombstoneCollection, _ work: inout Int
  ) -> Bool {
    if collection.step == .marks {
      let markCount = sequences[sequence].marks.count
      if markCount > 0 { dropIdleMarks(of: sequence, stable: collection.stable) }
      collection.count += markCount - sequences[sequence].marks.count
      var removals = Removals()
      swap(&removals, &sequences[sequence].removals)
      sequences[sequence].tombstones.begin(removals)
      collection.step = .removals
    }
    if collection.step == .removals {
      while work > 0, let removal = sequences[sequence].tombstones.takeUnchecked() {
        work -= 1
        if isStable(removal.cause, collection.stable) {
          sequences[sequence].tombstones.add(removal.run)
        } else {
          sequences[sequence].removals.append(removal)
        }
      }
      guard work > 0 else { return false }
      collection.step = .round(0)
    }
    return purge(sequence, &collection, &work)
  }

  /// What it takes to look at a run, in items.
  private static var workPerRun: Int { 8 }

  private mutating func purge(
    _ sequence: SequenceHandle, _ collection: inout TombstoneCollection, _ work: inout Int
  ) -> Bool {
    if sequences[sequence].tombstones.isEmpty { return true }
    var edges: Set<DotRow> = []
    for mark in sequences[sequence].marks { edges.formUnion([mark.start.item, mark.end.item]) }
    let elements = sequences[sequence].elements
    let moved = sequences[sequence].moved
    while work > 0 {
      guard let run = sequences[sequence].tombstones.next() else {
        sequences[sequence].tombstones.endRound()
        guard collection.endRound(), sequences[sequence].tombstones.isAnythingResting else { return true }
        continue
      }
      work -= run.count + Self.workPerRun
      let gone = sequences[sequence].tree.purge(run) { item in
        edges.contains(item) || elements[item] != nil || moved[item]?.contains { $0.item == item } == true
      }
      collection.note(gone)
      if gone < run.count, isKept(run, in: sequence) { sequences[sequence].tombstones.keep(run) }
    }
    return false
  }

  /// Whether any item of the run is one of the sequence.
  private func isKept(_ run: ItemRun, in sequence: SequenceHandle) -> Bool {
    sequences[sequence].tree.locateFirst(from: run.first, before: run.first.counter + UInt64(run.count)) != nil
  }

  private func isStable(_ cause: Removal.Cause, _ stable: VersionVector) -> Bool {
    switch cause {
    case .operation(let row): stable.covers(dot(row))
    case .lateMove(let row, after: let version): stable.covers(dot(row)) && stable.covers(version)
    case .state(let version): stable.covers(version)
    }
  }

  /// Drops the marks that everybody has merged and that take away what no mark gives: whoever gives it later has a
  /// greater rank, since he has merged `stable`.
  private mutating func dropIdleMarks(of sequence: SequenceHandle, stable: VersionVector) {
    let rankMax = stable.operationCount
    var kept: ContiguousArray<MarkRow> = []
    for mark in sequences[sequence].marks {
      let isIdle = mark.value == .null && kept.last?.name != mark.name
      if isIdle, mark.rank <= rankMax, stable.covers(dot(mark.dot)) { noteForgotten(mark) } else { kept.append(mark) }
    }
    setMarks(kept, of: sequence)
  }
}
