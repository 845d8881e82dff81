import StarlingCore

extension LiveDecoder.State {
  /// Reads the next change: as sets in a row, where it only sets, plainly.
  mutating func readChange(
    _ reader: inout Reader, into contributions: inout Contributions
  ) throws(WireError) {
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
      let counter = head.firstCounter + UInt64(number)
      try checkCounter(counter, at: start, &reader)
      let operation = try reader.byte()
      let slot = try readSlot(operation, at: start, &reader)
      self.slot = slot
      let object = slots[slot].object
      // What a change by itself would define counts.
      if head.operationCount > 1 { try claimChain(of: object, at: start, listing: &listing, &reader) }
      let last = slots[slot].last
      let replacesLast = operation & OperationHead.priorMask == OperationHead.tablePrior
      if replacesLast { try requireKnown(last, at: start, &reader) }
      slots[slot].last = LiveEncoder.SlotEntry.Last(replica: head.writer, counter: counter)
      objects[object].place = sets.place(
        of: objects[object].id, definedBy: objects[object].chain, lookingAt: objects[object].place)
      let replaced = replacesLast ? Dot(replicas[last.replica].id, last.counter) : .origin
      var set = Operation(
        object: objects[object].id, key: slots[slot].key,
        action: .set(try reader.value(), replacing: replacesLast ? DotSet(replaced) : DotSet(), clearing: nil))
      set.hint = SlotHint(slot)
      sets.append(
        set, in: objects[object].place, replacing: replaced, stamp: head.stamp, beginsChange: number == 0)
    }
  }
}
