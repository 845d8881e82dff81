import StarlingCore

// Changes as the decoder reads them: each field is read by the decoder's own function and then told, so that the same
// is refused at the same place.

extension FrameNotes {
  /// The mirror of `LiveDecoder.State.change`.
  mutating func explainChange(_ state: inout LiveDecoder.State, _ reader: inout Reader) throws(WireError) {
    begin("a change")
    defer { finish() }
    var preview = (state, reader)
    let head = try preview.0.head(&preview.1)
    try explainHead(head, &state, &reader)
    var listing = LiveDecoder.State.Listing()
    var counter = head.firstCounter
    for _ in 0..<head.operationCount {
      try explainOperation(named: &counter, by: head.writer, listing: &listing, &state, &reader)
    }
    state.replicas[head.writer].counter = max(state.replicas[head.writer].counter, counter - 1)
    if head.flags.has(ChangeFlags.moreGiven) {
      let message = try state.readMore(into: &listing, &reader)
      say(reader.offset, "more: \(message.map { "message \(Words.quoted($0))" } ?? "where its objects stand")")
    }
    if state.load.isTooMuch { state = LiveDecoder.State() }
  }

  private mutating func explainHead(
    _ head: borrowing LiveDecoder.State.ChangeHead, _ state: inout LiveDecoder.State, _ reader: inout Reader
  ) throws(WireError) {
    let start = reader.offset
    let flags = ChangeFlags(rawValue: try reader.byte())
    say(reader.offset, "flags \(Words.binary(flags.rawValue)): \(Words.of(flags))")
    let writer = try state.readWriter(flags, &reader)
    say(reader.offset, "writer: number \(writer), replica \(state.replicas[writer].id)")
    _ = try state.readFirstCounter(flags, writer: writer, &reader)
    say(reader.offset, "first operation: \(head.firstCounter)")
    state.stamp = try state.readStamp(flags, &reader)
    say(reader.offset, "stamp: \(Words.of(state.stamp))")
    if flags.has(ChangeFlags.frontierGiven) {
      let frontier = try state.readFrontier(&reader)
      say(reader.offset, "frontier: \(Words.of(frontier))")
    }
    if flags.has(ChangeFlags.countGiven) { _ = try state.readOperationCount(&reader) }
    say(reader.offset, "\(head.operationCount) operations")
    try reader.spendOperations(head.operationCount, at: start)
  }

  /// The mirror of `LiveDecoder.State.operation`.
  private mutating func explainOperation(
    named counter: inout UInt64, by writer: Int, listing: inout LiveDecoder.State.Listing,
    _ state: inout LiveDecoder.State, _ reader: inout Reader
  ) throws(WireError) {
    let start = reader.offset
    let head = try reader.byte()
    let named = counter
    try state.checkCounter(named, at: start, &reader)
    state.replicas[writer].counter = max(state.replicas[writer].counter, named)
    counter += 1
    let dot = Dot(state.replicas[writer].id, named)
    if head & SequenceHead.flag != 0 {
      say(reader.offset, "operation \(dot), head \(Words.binary(head)): on a list or text")
      let operation = try state.sequenceOperation(
        head, named: named, by: writer, at: start, listing: &listing, &reader)
      counter = named + operation.counterCount
      say(reader.offset, Words.of(operation))
      return
    }
    say(reader.offset, "operation \(dot), head \(Words.binary(head)): \(Words.ofOperation(head))")
    if head & OperationHead.slotMask == OperationHead.slotPassing {
      let operation = try state.passingOperation(
        head, named: named, by: writer, at: start, listing: &listing, &reader)
      say(reader.offset, "an element's slot in passing: \(Words.of(operation))")
      return
    }
    let slot = try state.readSlot(head, at: start, &reader)
    state.slot = slot
    say(
      reader.offset,
      "slot \(slot): \(Words.of(state.slots[slot].key)) of object \(state.slots[slot].object), "
        + Words.of(state.objects[state.slots[slot].object]))
    try state.claimChain(of: state.slots[slot].object, at: start, listing: &listing, &reader)
    try explainAction(head, named: named, by: writer, slot: slot, at: start, &state, &reader)
  }

  /// The mirror of `LiveDecoder.State.readAction`.
  private mutating func explainAction(
    _ head: UInt8, named counter: UInt64, by writer: Int, slot: Int, at start: Int, _ state: inout LiveDecoder.State,
    _ reader: inout Reader
  ) throws(WireError) {
    let last = state.slots[slot].last
    switch head & OperationHead.actionMask {
    case OperationHead.set, OperationHead.remove:
      let isSet = head & OperationHead.actionMask == OperationHead.set
      let replaced = try state.readReplaced(head, last: last, at: start, &reader)
      say(reader.offset, "replaces \(Words.of(Array(replaced)))")
      if !isSet { state.slots[slot].last = LiveEncoder.SlotEntry.nothing }
      if let clearing = try state.readClearing(head, &reader) {
        say(reader.offset, "clears below: \(Words.of(clearing))")
      }
      guard isSet else { return }
      state.slots[slot].last = LiveEncoder.SlotEntry.Last(replica: writer, counter: counter)
      let value = try reader.value()
      say(reader.offset, "value: \(Words.of(value))")
    case OperationHead.increment:
      let birth = try state.readBirth(head, named: counter, by: writer, last: last, at: start, &reader)
      say(reader.offset, "of the share that began at \(birth)")
      state.slots[slot].last = LiveEncoder.SlotEntry.Last(replica: writer, counter: birth)
      let amount = try reader.signedVarint()
      say(reader.offset, "amount: \(amount)")
    default: throw state.unknownOperation(head, at: start, reader)
    }
  }
}
