extension Document {
  /// Forgets removed items, and marks that show nothing, that `stable` covers and on which nothing rests any more
  /// (Protocol/merge.md, "Letting go"). No change may be open.
  ///
  /// - Parameter stable: What every member of the group has durably merged, or less. An acknowledgement counts only
  ///   once this document covers it: before, its member may have written what rests on a removed item.
  /// - Returns: How many items and marks went. Where others rested on them, those may follow with the next call.
  /// - Complexity: O(removed items that are kept, in runs; O(log *n*) for each that goes).
  @discardableResult
  public mutating func letGo(stable: Version) -> Int {
    precondition(!isWriting, "A writer may rest something on what would be let go of; commit the open change first.")
    openTexts()
    var count = 0
    var patch = Patch()
    beginCall(&patch)
    count += letGoOfOrphans(stable: stable, patch: &patch)
    for sequence in Array(sequenceHandles) {
      if sequences[sequence].object.isNone { continue }
      count += letGo(of: sequence, stable: stable)
      let object = sequences[sequence].object
      if sequences[sequence].isEmpty {
        releaseSequence(of: object)
        emptied.objects.append(object)
      }
    }
    endCall(&patch)
    if count > 0 { capacity.recount() }
    return count
  }

  private mutating func letGo(of sequence: SequenceHandle, stable: Version) -> Int {
    let markCount = sequences[sequence].marks.count
    dropIdleMarks(of: sequence, stable: stable)
    let droppedMarkCount = markCount - sequences[sequence].marks.count
    noteWhatIsStable(in: sequence, stable)
    guard !sequences[sequence].stable.isEmpty else { return droppedMarkCount }
    var edges: Set<DotRow> = []
    for mark in sequences[sequence].marks { edges.formUnion([mark.start.item, mark.end.item]) }
    let elements = sequences[sequence].elements
    let moved = sequences[sequence].moved
    let itemCount = sequences[sequence].strand.itemCount
    // What something rested on may follow it, at once in all but contrived cases.
    var isShrinking = true
    for _ in 0..<8 where isShrinking {
      isShrinking = false
      for run in sequences[sequence].stable.reversed() {
        let gone = sequences[sequence].strand.purge(run) { item in
          edges.contains(item) || elements[item] != nil || moved[item]?.contains { $0.item == item } == true
        }
        if gone > 0 { isShrinking = true }
      }
      sequences[sequence].stable = sequences[sequence].stable.filter { isKept($0, in: sequence) }
    }
    return droppedMarkCount + itemCount - sequences[sequence].strand.itemCount
  }

  /// Whether any item of the run is one of the sequence.
  private func isKept(_ run: ItemRun, in sequence: SequenceHandle) -> Bool {
    sequences[sequence].strand.locateFirst(from: run.first, before: run.first.counter + UInt64(run.count)) != nil
  }

  private mutating func noteWhatIsStable(in sequence: SequenceHandle, _ stable: Version) {
    var waiting: ContiguousArray<Removal> = []
    for removal in sequences[sequence].removals {
      let isStable =
        switch removal.cause {
        case .operation(let row): stable.covers(dot(row))
        case .lateMove(let row, after: let version): stable.covers(dot(row)) && stable.covers(version)
        case .state(let version): stable.covers(version)
        }
      if isStable {
        sequences[sequence].stable.append(removal.run)
      } else {
        waiting.append(removal)
      }
    }
    sequences[sequence].removals = waiting
  }

  /// Drops the marks that everybody has merged and that take away what no mark gives: whoever gives it later has a
  /// greater rank, since he has merged `stable`.
  private mutating func dropIdleMarks(of sequence: SequenceHandle, stable: Version) {
    let rankMax = stable.operationCount
    var kept: ContiguousArray<MarkRow> = []
    for mark in sequences[sequence].marks {
      let isIdle = mark.value == .null && kept.last?.name != mark.name
      if isIdle, mark.rank <= rankMax, stable.covers(dot(mark.dot)) { noteForgotten(mark) } else { kept.append(mark) }
    }
    setMarks(kept, of: sequence)
  }
}
