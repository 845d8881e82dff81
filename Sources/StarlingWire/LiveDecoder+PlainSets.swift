import StarlingCore

/// Plain sets that a decoder has read and nobody has merged yet, by columns of plain numbers: what overwrites one of
/// them takes its place, and a value is looked at only if it is still there in the end.
///
/// ```
/// slots[7].row ─────┐
/// rows:   [ ... ][ slot 7, counters 3...9, what 3 replaced, stamp and value of 9 ][ ... ]
///                                                               │
/// bytes:  ... 3: a=1 ... 9: a=4 ◄───────────────────────────────┘
/// ```
struct WaitingSets: Sendable {
  struct Row {
    var slot: Int32
    /// The number of the replica of what was replaced.
    var replacedReplica: Int32
    /// 0 where nothing was.
    var replacedCounter: UInt64
    /// Of the first set in the row, and of the last.
    var firstCounter: UInt64
    var counter: UInt64
    var stamp: Stamp
    /// Where the last value begins.
    var value: Int
  }

  /// Those in use, and behind them memory for more.
  private(set) var rows: ContiguousArray<Row> = []
  private(set) var count = 0
  var listing = LiveDecoder.State.Listing()
  var writer = 0
  var firstCounter: UInt64 = 0
  var lastCounter: UInt64 = 0
  var latestStamp = Stamp(rawValue: 0)
  var frontier: [Dot] = []

  var isEmpty: Bool { count == 0 }

  /// More is given back at once: one large change should not hold its memory for as long as the stream lasts.
  private static let spareCountMax = 64

  /// Whether the sets of a further change may be merged with these, so that it makes no difference.
  func mayBeFollowed(
    by head: borrowing LiveDecoder.State.ChangeHead, writer: ReplicaID, held: VersionVector
  ) -> Bool {
    guard head.writer == self.writer, head.firstCounter == lastCounter + 1, head.frontier.isEmpty else { return false }
    // What is merged already counts as a duplicate only without what is not.
    return held[writer] < firstCounter
  }

  /// A change whose sets wait from now on, the first or one that may follow.
  @inline(__always)
  mutating func begin(_ head: borrowing LiveDecoder.State.ChangeHead) {
    if isEmpty {
      writer = head.writer
      firstCounter = head.firstCounter
      latestStamp = head.stamp
      frontier = head.frontier
    } else {
      latestStamp = max(latestStamp, head.stamp)
    }
    lastCounter = head.firstCounter + UInt64(head.operationCount) - 1
  }

  /// The row at `place`, if it is there and the slot's.
  @inline(__always)
  func hasRow(_ place: Int, of slot: Int) -> Bool { place < count && rows[place].slot == slot }

  @inline(__always)
  mutating func append(_ row: Row) {
    if count < rows.count { rows[count] = row } else { rows.append(row) }
    count += 1
  }

  @inline(__always)
  mutating func update(_ place: Int, counter: UInt64, stamp: Stamp, value: Int) {
    rows[place].counter = counter
    rows[place].stamp = stamp
    rows[place].value = value
  }

  mutating func clear() {
    count = 0
    if rows.count > Self.spareCountMax { rows = [] }
    listing = LiveDecoder.State.Listing()
  }
}

extension LiveDecoder.State {
  /// Whether nothing but plain sets follows the head, all of them well spelled. Only looks.
  func isPlain(_ head: borrowing ChangeHead, _ reader: inout Reader) -> Bool {
    !head.flags.has(ChangeFlags.moreGiven) && reader.plainSetsCome(head.operationCount, objectCount: objects.count)
  }

  /// Reads a change that `isPlain`; its sets wait with those there are.
  mutating func readPlainSets(_ head: borrowing ChangeHead, _ reader: inout Reader) throws(WireError) {
    sets.begin(head)
    var counter = head.firstCounter
    for _ in 0..<head.operationCount {
      let start = reader.offset
      try wait(for: readPlainSet(named: counter, of: head, &reader), at: start, &reader)
      counter += 1
    }
    note(head)
  }

  /// Reads the next set of a change that `isPlain`.
  @inline(__always)
  mutating func readPlainSet(
    named counter: UInt64, of head: borrowing ChangeHead, _ reader: inout Reader
  ) throws(WireError) -> WaitingSets.Row {
    let (slot, last) = try readPlainHead(named: counter, by: head.writer, at: reader.offset, &reader)
    let value = reader.offset
    try reader.skipValue()
    return WaitingSets.Row(
      slot: Int32(truncatingIfNeeded: slot), replacedReplica: Int32(truncatingIfNeeded: last?.replica ?? 0),
      replacedCounter: last?.counter ?? 0, firstCounter: counter, counter: counter, stamp: head.stamp, value: value)
  }

  /// Reads the next set of a change that `isPlain` up to its value. It is the last in its slot from then on.
  ///
  /// - Returns: the slot, and what it replaces; nil for nothing.
  @inline(__always)
  mutating func readPlainHead(
    named counter: UInt64, by writer: Int, at start: Int, _ reader: inout Reader
  ) throws(WireError) -> (slot: Int, replaced: LiveEncoder.SlotEntry.Last?) {
    try checkCounter(counter, at: start, &reader)
    let operation = try reader.byte()
    let slot = try readSlot(operation, at: start, &reader)
    self.slot = slot
    let last = slots[slot].last
    let replacesLast = operation & OperationHead.priorMask == OperationHead.tablePrior
    if replacesLast { try requireKnown(last, at: start, &reader) }
    slots[slot].last = LiveEncoder.SlotEntry.Last(replica: writer, counter: counter)
    return (slot, replacesLast ? last : nil)
  }

  /// Has the set wait: in the place of the one that it replaces, if that waits.
  @inline(__always)
  mutating func wait(
    for set: WaitingSets.Row, at start: Int, _ reader: inout Reader
  ) throws(WireError) {
    let slot = Int(set.slot)
    let row = Int(slots[slot].row)
    if set.replacedCounter > 0, sets.hasRow(row, of: slot) {
      sets.update(row, counter: set.counter, stamp: set.stamp, value: set.value)
    } else {
      try claimChainOfSet(in: slots[slot].object, at: start, &reader)
      slots[slot].row = Int32(truncatingIfNeeded: sets.count)
      sets.append(set)
    }
  }

  /// All of the change's counters are known from now on.
  @inline(__always)
  mutating func note(_ head: borrowing ChangeHead) {
    let last = head.firstCounter + UInt64(head.operationCount) - 1
    replicas[head.writer].counter = max(replicas[head.writer].counter, last)
  }

  @inline(__always)
  private mutating func claimChainOfSet(in object: Int, at start: Int, _ reader: inout Reader) throws(WireError) {
    if sets.listing.onlyObject == object || objects[object].chain.isEmpty { return }
    var listing = Listing()
    swap(&listing, &sets.listing)
    try claimChain(of: object, at: start, listing: &listing, &reader)
    swap(&listing, &sets.listing)
  }

  /// Merges a set that is a change by itself, and that nothing follows in its payload: it need not wait.
  mutating func merge(
    only set: WaitingSets.Row, of head: borrowing ChangeHead, _ merging: inout Merging, at start: Int,
    _ reader: inout Reader, into document: inout Document, patch: inout Patch
  ) throws(WireError) {
    let object = slots[Int(set.slot)].object
    var listing = Listing()
    if !objects[object].chain.isEmpty { try claimChain(of: object, at: start, listing: &listing, &reader) }
    merge(
      only: set, by: head.writer, frontier: head.frontier, objects: listing.definitions, &merging, &reader,
      into: &document, patch: &patch)
  }

  @inline(__always)
  private mutating func merge(
    only row: WaitingSets.Row, by writer: Int, frontier: [Dot], objects: [ObjectDefinition], _ merging: inout Merging,
    _ reader: inout Reader, into document: inout Document, patch: inout Patch
  ) {
    // Made here: within the closure, all of the state would be copied for it.
    let set = Self.plainSet(row, slots, replicas)
    let (value, replica) = (reader.value(at: row.value), replicas[writer].id)
    merging.note { () throws(MergeError) in
      try document.merge(only: set, value: value, by: replica, frontier: frontier, objects: objects, patch: &patch)
    }
  }

  @inline(__always)
  private static func plainSet(
    _ row: WaitingSets.Row, _ slots: [LiveDecoder.SlotEntry], _ replicas: [LiveEncoder.ReplicaEntry]
  ) -> PlainSet {
    let slot = Int(row.slot)
    return PlainSet(
      for: slots[slot].key, in: slots[slot].objectID, hint: SlotHint(slot),
      replacing: row.replacedCounter == 0 ? .origin : Dot(replicas[Int(row.replacedReplica)].id, row.replacedCounter),
      firstCounter: row.firstCounter, counter: row.counter, stamp: row.stamp)
  }

  /// Merges the sets that wait.
  ///
  /// - Parameter reader: Of the bytes that they were read from.
  mutating func mergeSets(
    _ merging: inout Merging, _ reader: inout Reader, into document: inout Document, patch: inout Patch
  ) {
    switch sets.count {
    case 0: return
    case 1 where sets.firstCounter == sets.lastCounter:
      merge(
        only: sets.rows[0], by: sets.writer, frontier: sets.frontier, objects: sets.listing.definitions, &merging,
        &reader, into: &document, patch: &patch)
    default: mergeSeveralSets(&merging, &reader, into: &document, patch: &patch)
    }
    sets.clear()
  }

  private mutating func mergeSeveralSets(
    _ merging: inout Merging, _ reader: inout Reader, into document: inout Document, patch: inout Patch
  ) {
    let plain = PlainSets(
      replica: replicas[sets.writer].id, firstCounter: sets.firstCounter, lastCounter: sets.lastCounter,
      latestStamp: sets.latestStamp, frontier: sets.frontier, objects: sets.listing.definitions, count: sets.count)
    // Taken out of the state, which would be copied whole for each look.
    let (rows, slots, replicas) = (sets.rows, slots, replicas)
    merging.note { () throws(MergeError) in
      try document.merge(
        plain, patch: &patch,
        set: { Self.plainSet(rows[$0], slots, replicas) },
        value: { reader.value(at: rows[$0].value) })
    }
  }
}
