// Writes that name less than they see. What others put beside or below stays (Protocol/merge.md, "Undoing").

extension Document {
  /// Puts a value in place of the entries that are named, beside the others; what stands below stays.
  ///
  /// - Parameters:
  ///   - replacing: Entries of the slot, ascending.
  ///   - share: One of the counter's shares that goes too. It must be one of this replica's, and none of what the
  ///     replica wrote before it may stand below, save in the derived object that the value keeps.
  /// - Returns: The entry; nil if nothing was written.
  mutating func put(
    _ value: Value, for key: Key, in object: ObjectID, replacing: [Dot], share: Dot? = nil, patch: inout Patch
  ) -> Dot? {
    guard let handle = objects.locate(object), mayHaveSlot(key, handle),
      admit(value.weight, under: key, in: handle, dots: replacing.count + 1, isNamed: false)
    else { return nil }
    if value.isUnknown, !mayPlace(value, in: handle) { return nil }
    let replacing = DotSet(replacing)
    let clearing = share.map { VersionVector(of: $0) }
    beginCall(&patch)
    let step = takeStep(in: handle)
    log(Operation(object: object, key: key, action: .set(value, replacing: replacing, clearing: clearing)), step)
    if open.isRecording {
      recordSlot(
        key, in: handle, mine: dot(step.dot), replacing: replacing, clearing: clearing, clearsBelow: false)
    }
    applySet(value, at: makeSlot(handle, key), step, replacing: replacing, clearing: clearing, patch: &patch)
    endCall(&patch)
    return dot(step.dot)
  }

  /// Takes one entry away, and none beside or below it. The key is not an element's.
  mutating func retract(_ entry: Dot, _ key: Key, in object: ObjectID, patch: inout Patch) {
    remove(key, in: object, replacing: DotSet(entry), clearing: nil, patch: &patch)
  }

  /// Takes one of this replica's shares of the counter away. The key is not an element's.
  ///
  /// - Parameter kept: the kind of the only derived object below in which something stands that this replica wrote
  ///   before; nil where there is none. To say that it is present does not empty it, and can be taken back.
  mutating func retract(share: Dot, keeping kept: Kind?, _ key: Key, in object: ObjectID, patch: inout Patch) {
    guard let kept else {
      return remove(key, in: object, replacing: DotSet(), clearing: VersionVector(of: share), patch: &patch)
    }
    guard let handle = objects.locate(object) else { return }
    let undoRecordCount = open.recording.undoRecords.count
    let wasRecording = open.isRecording
    if wasRecording {
      recordSlot(
        key, in: handle, mine: nil, replacing: DotSet(), clearing: VersionVector(of: share), clearsBelow: false)
    }
    open.isRecording = false
    defer { open.isRecording = wasRecording }
    guard let presence = put(.derived(kept), for: key, in: object, replacing: [], share: share, patch: &patch) else {
      return open.recording.undoRecords.removeSubrange(undoRecordCount...)
    }
    retract(presence, key, in: object, patch: &patch)
  }

  private mutating func remove(
    _ key: Key, in object: ObjectID, replacing: DotSet, clearing: VersionVector?, patch: inout Patch
  ) {
    guard let handle = objects.locate(object), let slot = locate(key, in: handle),
      admit(0, under: key, in: handle, dots: 1, isNamed: false, adds: false)
    else { return }
    beginCall(&patch)
    let step = takeStep(in: handle)
    log(Operation(object: object, key: key, action: .remove(replacing: replacing, clearing: clearing)), step)
    if open.isRecording {
      recordSlot(key, in: handle, mine: nil, replacing: replacing, clearing: clearing, clearsBelow: false)
    }
    applyRemove(at: slot, step, replacing: replacing, clearing: clearing, patch: &patch)
    endCall(&patch)
  }

  // MARK: What stands

  /// The share that a replica has in a counter.
  mutating func share(of replica: ReplicaID, _ key: Key, in object: ObjectID) -> (birth: Dot, total: Int64)? {
    guard let slot = locate(key, in: object), let replica = replicas.find(replica),
      let share = slots.share(of: replica, at: slot)
    else { return nil }
    return (Dot(replicas[replica], share.birth), share.total)
  }

  /// The kinds of the derived objects below the slot in which a clear that covers the share takes something else.
  mutating func kinds(clearedWith share: Dot, below key: Key, in object: ObjectID) -> Set<Kind> {
    guard let slot = locate(key, in: object) else { return [] }
    return kinds(touchedBy: VersionVector(of: share), below: slot)
  }

  /// The entry that a reader would see if the replica had never counted in the slot.
  func entry(shownWithoutShareOf replica: ReplicaID, _ key: Key, in object: ObjectID) -> Entry? {
    guard let slot = find(key, in: object), slots[slot].hasEntry else { return nil }
    let entry = slots.entry(slot)
    let isHidden =
      slots[slot].isCompound
      && slots[compound: slot].shares.contains { share in
        replicas[share.replica] != replica
          && isLess((entry.stamp, entry.replica, entry.counter), (share.stamp, share.replica, share.last))
      }
    return isHidden ? nil : publicEntry(entry)
  }

  /// The visible ranges of those scalars of the run that are live.
  func liveRanges(of run: DotRun, in sequence: SequenceHandle) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    forEachPart(of: run, in: sequence) { _, count, index, isLive in
      if isLive { ranges.append(index..<index + count) }
    }
    return ranges
  }

  /// Calls `body` with the offset and count of each part of the run whose items are known and stand together, and
  /// with the visible index at which they stand or would.
  func forEachPart(
    of run: DotRun, in sequence: SequenceHandle,
    _ body: (_ offset: Int, _ count: Int, _ index: Int, _ isLive: Bool) -> Void
  ) {
    guard let first = item(run.first) else { return }
    let tree = sequences[sequence].tree
    let end = first.counter + UInt64(run.count)
    var item = first
    while let position = tree.locateFirst(from: item, before: end) {
      let span = tree.span(position)
      let start = tree.item(position)
      let count = min(span.length - position.offset, Int(end - start.counter))
      body(Int(start.counter - first.counter), count, tree.index(of: position), span.isLive)
      item = start.advanced(by: count)
    }
  }

  /// The slots whose only entry points at one of the objects.
  ///
  /// - Complexity: O(slots)
  mutating func references(to targets: Set<ObjectID>) -> [(object: ObjectID, key: Key, entry: Dot, target: ObjectID)] {
    openFully()
    return slots.handles.compactMap { slot in
      guard slots[slot].hasEntry, case .reference(let target) = slots.value(slot), targets.contains(target),
        !slots.hasSiblings(slot)
      else { return nil }
      return (id(ofObjectWith: slot), keys[slots[slot].key], dot(slots.dot(slot)), target)
    }
  }
}

extension VersionVector {
  /// Covers what the replica wrote up to and including `dot`.
  fileprivate init(of dot: Dot) {
    self.init([Entry(replica: dot.replica, counter: dot.counter)])
  }
}
