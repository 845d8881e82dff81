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
      let (slot, last) = try readPlainHead(
        named: head.firstCounter + UInt64(number), by: head.writer, at: start, &reader)
      let object = slots[slot].object
      // What a change by itself would define counts.
      if head.operationCount > 1 { try claimChain(of: object, at: start, listing: &listing, &reader) }
      objects[object].place = sets.place(
        of: objects[object].id, definedBy: objects[object].chain, lookingAt: objects[object].place)
      let replaced = last.map { Dot(replicas[$0.replica].id, $0.counter) } ?? .origin
      let value = try reader.value()
      sets.append(
        Operation(
          object: objects[object].id, key: slots[slot].key, hint: SlotHint(slot),
          action: .set(value, replacing: last == nil ? DotSet() : DotSet(replaced), clearing: nil)),
        in: objects[object].place, replacing: replaced, stamp: head.stamp, beginsChange: number == 0)
    }
  }
}
