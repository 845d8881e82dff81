import StarlingCore

extension LiveDecoder.State {
  /// Reads the next change: as sets in a row, where it only sets, plainly.
  mutating func readChange(
    _ reader: inout Reader, into contributions: inout Contributions
  ) throws(WireError) {
    if try readFollower(&reader, into: &contributions.row) { return }
    let head = try head(&reader)
    if head.flags.has(ChangeFlags.moreGiven) { return contributions.append(try change(head, &reader)) }
    if head.operationCount == 1, contributions.isEmpty {
      return contributions.append(first: try change(head, &reader))
    }
    guard reader.plainSetsCome(head.operationCount, objectCount: objects.count) else {
      return contributions.append(try change(head, &reader))
    }
    contributions.beginSets(of: replicas[head.writer].id, from: head.firstCounter, frontier: head.frontier)
    try readSets(of: head, &reader, into: &contributions.row)
    let last = head.firstCounter + UInt64(head.operationCount) - 1
    replicas[head.writer].counter = max(replicas[head.writer].counter, last)
    if load.isTooMuch { self = Self() }
  }

  private mutating func readSets(
    of head: borrowing ChangeHead, _ reader: inout Reader, into sets: inout SetHistory
  ) throws(WireError) {
    var listing = Listing()
    for number in 0..<head.operationCount {
      let start = reader.offset
      let (slot, last) = try readPlainHead(
        named: head.firstCounter + UInt64(number), by: head.writer, at: start, &reader)
      let object = slots[slot].object
      // What a change by itself would define counts.
      if head.operationCount > 1 { try claimChain(of: object, at: start, listing: &listing, &reader) }
      append(
        try reader.value(), in: slot, replacing: last.map { Dot(replicas[$0.replica].id, $0.counter) } ?? .origin,
        stamp: head.stamp, beginsChange: number == 0, to: &sets)
    }
  }

  @inline(__always)
  private mutating func append(
    _ value: consuming Value, in slot: Int, replacing replaced: Dot, stamp: Stamp, beginsChange: Bool,
    to sets: inout SetHistory
  ) {
    let hint = SlotHint(slot)
    let (row, object) = (Int(slots[slot].row), slots[slot].object)
    let definitionCount = objects[object].chain.count
    // An entry that is copied has its key retained.
    let place = slots.withBorrowed { slots in
      let (id, isKnown) = (
        slots[slot].value.objectID,
        sets.hasSlot(
          slots[slot].value.key, in: slots[slot].value.objectID, definedBy: definitionCount, hint: hint, at: row)
      )
      return isKnown ? row : sets.append(slots[slot].value.key, in: id, definedBy: objects[object].chain, hint: hint)
    }
    if place != row { slots[slot].row = Int32(truncatingIfNeeded: place) }
    sets.append(value, in: place, replacing: replaced, stamp: stamp, beginsChange: beginsChange)
  }

  /// Reads the next change if it follows the row as most do: one set, in a slot that is known, named and stamped by what
  /// came before. It is looked at until that is sure, and read by `head` and what follows it otherwise.
  @inline(__always)
  private mutating func readFollower(_ reader: inout Reader, into row: inout SetHistory) throws(WireError) -> Bool {
    guard row.setCount > 0, row.setCount < SetHistory.changeCountMax, let writer,
      replicas[writer].id == row.replica, replicas[writer].counter == row.lastCounter, row.lastCounter < counterMax,
      let follower = reader.followerComes(behind: slot, stamp, slotCount: slots.count)
    else { return false }
    let last = slots[follower.slot].last
    if follower.replacesLast, last == LiveEncoder.SlotEntry.nothing { return false }
    try reader.spendOperations(1, at: reader.offset)
    reader.offset = follower.valueOffset
    let value = try reader.value()
    let counter = replicas[writer].counter + 1
    stamp = follower.stamp
    slot = follower.slot
    slots[slot].last = LiveEncoder.SlotEntry.Last(replica: writer, counter: counter)
    replicas[writer].counter = counter
    append(
      value, in: slot, replacing: follower.replacesLast ? Dot(replicas[last.replica].id, last.counter) : .origin,
      stamp: stamp, beginsChange: true, to: &row)
    return true
  }
}
