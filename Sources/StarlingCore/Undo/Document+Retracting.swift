// Writes that name less than they see. What others put beside or beneath stays (Protocol/merge.md, "Undoing").

extension Document {
  /// Puts a value in place of the entries that are named, beside the others; what stands beneath stays.
  ///
  /// - Parameters:
  ///   - replacing: Entries of the slot, ascending.
  ///   - share: One of the counter's shares that goes too; then no derived object beneath may hold anything.
  /// - Returns: The entry; nil if nothing was written.
  mutating func put(
    _ value: Value, for key: Key, in object: ObjectID, replacing: [Dot], share: Dot? = nil, patch: inout Patch
  ) -> Dot? {
    guard let handle = objects.locate(object), mayHaveSlot(key, handle),
      admit(value.weight, under: key, in: handle, dots: replacing.count + 1, isNamed: false)
    else { return nil }
    let replacing = DotSet(replacing)
    let clearing = share.map { Version(of: $0) }
    beginCall(&patch)
    let step = takeStep(in: handle)
    log(Operation(object: object, key: key, action: .set(value, replacing: replacing, clearing: clearing)), step)
    if open.isRecording { recordSlot(key, in: handle, mine: dot(step.dot), replacing: replacing, clearing: clearing) }
    applySet(value, at: makeSlot(handle, key), step, replacing: replacing, clearing: clearing, patch: &patch)
    endCall(&patch)
    return dot(step.dot)
  }

  /// Takes one entry away, and none beside or beneath it. The key is not an element's.
  mutating func retract(_ entry: Dot, _ key: Key, in object: ObjectID, patch: inout Patch) {
    remove(key, in: object, replacing: DotSet(entry), clearing: nil, patch: &patch)
  }

  /// Takes one share of the counter away. No derived object beneath may hold anything; the key is not an element's.
  mutating func retract(share: Dot, _ key: Key, in object: ObjectID, patch: inout Patch) {
    remove(key, in: object, replacing: DotSet(), clearing: Version(of: share), patch: &patch)
  }

  private mutating func remove(
    _ key: Key, in object: ObjectID, replacing: DotSet, clearing: Version?, patch: inout Patch
  ) {
    guard let handle = objects.locate(object), let slot = locate(key, in: handle),
      admit(0, under: key, in: handle, dots: 1, isNamed: false)
    else { return }
    beginCall(&patch)
    let step = takeStep(in: handle)
    log(Operation(object: object, key: key, action: .remove(replacing: replacing, clearing: clearing)), step)
    if open.isRecording { recordSlot(key, in: handle, mine: nil, replacing: replacing, clearing: clearing) }
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

  /// Whether a derived object beneath the slot holds anything.
  func holdsBeneath(_ key: Key, in object: ObjectID) -> Bool {
    guard let slot = find(key, in: object), slots[slot].isCompound else { return false }
    return slots[compound: slot].presentChildCount > 0
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
    let strand = sequences[sequence].strand
    let end = first.counter + UInt64(run.count)
    var item = first
    while let spot = strand.locateFirst(from: item, before: end) {
      let span = strand.span(spot)
      let start = strand.item(spot)
      let count = min(span.length - spot.offset, Int(end - start.counter))
      body(Int(start.counter - first.counter), count, strand.index(of: spot), span.isLive)
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

extension Version {
  /// Covers what the replica wrote up to and including `dot`.
  fileprivate init(of dot: Dot) {
    self.init([Entry(replica: dot.replica, counter: dot.counter)])
  }
}
