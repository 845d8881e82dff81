package import StarlingCore

extension LiveEncoder {
  /// Where the slots of a row stand, as far as the encoder has looked. It is of one row and one encoder, from which it
  /// spares a look for each set.
  package struct RowSlots {
    fileprivate struct Known {
      /// -1 where nobody has looked.
      var place: Int32 = -1
      /// Whether a change of one set there defines what the stream implies.
      var impliesDefinitions = false
    }

    /// By the place in the row.
    fileprivate var known: ContiguousArray<Known>

    package init(of history: SetHistory) { known = ContiguousArray(repeating: Known(), count: history.slotCount) }

    fileprivate mutating func forget() {
      for place in known.indices { known[place] = Known() }
    }
  }

  /// The changes at the places of the row.
  ///
  /// - Returns: how many they are.
  package mutating func encode(
    _ history: SetHistory, in places: Range<Int>, _ slots: inout RowSlots, into payload: inout [UInt8]
  ) -> Int {
    OutputBuffer.appending(to: &payload) { payload in
      var changeCount = 0
      history.forEachChange(in: places) { places in
        changeCount += 1
        if places.count == 1, writeFollower(history, at: places.lowerBound, &slots, into: &payload) { return }
        write(history, in: places, &slots, into: &payload)
      }
      return changeCount
    }
  }

  // MARK: A change like the one before

  /// Writes a change of one operation on a slot, if it goes on from the one before and all of it has been named: most do.
  @inline(__always)
  mutating func writeFollower(_ borrowed: borrowing Borrowed<Change>, into payload: inout OutputBuffer) -> Bool {
    guard borrowed.value.operations.count == 1, borrowed.value.message == nil, borrowed.value.frontier.isEmpty,
      let writer = writerFollowed(by: borrowed.value.replica, borrowed.value.firstCounter)
    else { return false }
    return borrowed.value.objects.withUnsafeBufferPointer { definitions in
      borrowed.value.operations.withBorrowed {
        writeFollower(
          $0[0], named: borrowed.value.firstCounter, writer, borrowed.value.stamp, definitions, into: &payload)
      }
    }
  }

  private mutating func writeFollower(
    _ operation: borrowing Borrowed<Operation>, named counter: UInt64, _ writer: Int, _ stamp: Stamp,
    _ definitions: UnsafeBufferPointer<ObjectDefinition>, into payload: inout OutputBuffer
  ) -> Bool {
    // What costs least first: in a record of the log most slots are named once.
    let slot = Int(state.hinted[operation.value.hint])
    guard slot < state.slots.count, state.hasSaid(state.slots[slot].said),
      isChain(definitions, of: state.slots[slot].object), !operation.value.action.isOnSequence,
      hintedPlace(of: operation) == slot
    else { return false }
    let head = head(of: operation.value.action, named: counter, writer: writer, last: state.slots[slot].last)
    guard head & OperationHead.clearing == 0, head & OperationHead.priorMask != OperationHead.listedPrior else {
      return false
    }
    beginFollower(stamp, into: &payload)
    state.replicas[writer].counter = counter
    writeSaidSlot(slot, head, into: &payload)
    state.slots[slot].last = write(operation.value.action, head: head, named: counter, writer: writer, into: &payload)
    return true
  }

  /// Whether these are what the stream says of the object: its own definition behind those of its derived ancestors.
  /// Mutating, as a caller that is would copy the encoder for one that is not.
  @inline(__always)
  private mutating func isChain(_ definitions: UnsafeBufferPointer<ObjectDefinition>, of object: Int) -> Bool {
    var object = object
    for place in definitions.indices.reversed() {
      guard state.objects[object].parent >= 0, definitions[place].id == state.objects[object].id else { return false }
      object = state.objects[object].parent
    }
    return state.objects[object].parent < 0
  }

  /// Writes a change of one set in the same way.
  @inline(__always)
  private mutating func writeFollower(
    _ history: SetHistory, at place: Int, _ slots: inout RowSlots, into payload: inout OutputBuffer
  ) -> Bool {
    let counter = history.firstCounter + UInt64(place)
    guard place > 0 || history.frontier.isEmpty, let writer = writerFollowed(by: history.replica, counter) else {
      return false
    }
    let number = history.slot(at: place)
    if slots.known[number].place < 0 { look(for: number, of: place, in: history, &slots) }
    let known = slots.known[number]
    guard known.impliesDefinitions, let prior = prior(of: history.replaced(at: place), at: Int(known.place)) else {
      return false
    }
    beginFollower(history.stamp(at: place), into: &payload)
    state.replicas[writer].counter = counter
    writeSaidSlot(Int(known.place), OperationHead.set | prior, into: &payload)
    state.slots[Int(known.place)].last = SlotEntry.Last(replica: writer, counter: counter)
    history.withValue(at: place) { payload.append($0.value) }
    return true
  }

  /// Looks where the slot of a set stands, and whether its definitions are those that the stream implies.
  private mutating func look(
    for number: Int, of place: Int, in history: SetHistory, _ slots: inout RowSlots
  ) {
    let found = hintedPlace(of: number, in: history)
    slots.known[number].place = found
    guard found >= 0, state.hasSaid(state.slots[Int(found)].said) else { return }
    let object = state.slots[Int(found)].object
    slots.known[number].impliesDefinitions = history.withDefinitions(at: place..<place + 1) { isChain($0, of: object) }
  }

  /// The place of the writer of the change before, if the next one by it has this name.
  @inline(__always)
  private func writerFollowed(by replica: ReplicaID, _ counter: UInt64) -> Int? {
    guard let writer = state.writer, state.replicas[writer].id == replica,
      state.replicas[writer].counter + 1 == counter
    else { return nil }
    return writer
  }

  /// Writes the flags, and the stamp.
  @inline(__always)
  private mutating func beginFollower(_ stamp: Stamp, into payload: inout OutputBuffer) {
    let flagsPlace = payload.end
    var flags: UInt8 = 0
    payload.append(0)
    writeStamp(stamp, flags: &flags, into: &payload)
    if flags != 0 { payload.replace(at: flagsPlace, with: flags) }
  }

  /// How what a set replaces is spelled, where its slot is said and nothing has to be spelled out.
  @inline(__always)
  private func prior(of replaced: Dot, at slot: Int) -> UInt8? {
    guard slot >= 0, state.hasSaid(state.slots[slot].said) else { return nil }
    if replaced == .origin { return OperationHead.noPrior }
    return isLast(replaced, at: slot) ? OperationHead.tablePrior : nil
  }

  @inline(__always)
  private func isLast(_ dot: Dot, at slot: Int) -> Bool {
    let last = state.slots[slot].last
    return last.counter == dot.counter && last != SlotEntry.nothing && state.replicas[last.replica].id == dot.replica
  }

  @inline(__always)
  private mutating func writeSaidSlot(_ slot: Int, _ head: UInt8, into payload: inout OutputBuffer) {
    let number = state.slots[slot].said.number
    let isNext = number == state.slot + 1
    payload.append(head | (isNext ? OperationHead.slotNext : OperationHead.slotNumber))
    if !isNext { payload.append(varint: number) }
    state.slot = number
  }

  // MARK: Any change

  @inline(__always)
  private mutating func write(
    _ history: SetHistory, in places: Range<Int>, _ slots: inout RowSlots, into payload: inout OutputBuffer
  ) {
    let counter = history.firstCounter + UInt64(places.lowerBound)
    let head = writeHead(
      by: history.replica, from: counter, stamp: history.stamp(at: places.lowerBound),
      frontier: history.frontier(at: places.lowerBound), operationCount: places.count, into: &payload)
    var flags = head.flags
    history.withDefinitions(at: places) { definitions in
      var listing = Listing(definitions)
      for place in places {
        let counter = counter + UInt64(place - places.lowerBound)
        state.replicas[head.writer].counter = max(state.replicas[head.writer].counter, counter)
        write(history, at: place, &slots, named: counter, writer: head.writer, listing: &listing, into: &payload)
      }
      if places.count == 1 {
        slots.known[history.slot(at: places.lowerBound)].impliesDefinitions = listing.isImplied
      }
      if !listing.isImplied {
        flags |= ChangeFlags.moreGiven
        writeMore(message: nil, definitions, listing: &listing, into: &payload)
      }
    }
    if end(head, flags, in: &payload) { slots.forget() }
  }

  private mutating func write(
    _ history: SetHistory, at place: Int, _ slots: inout RowSlots, named counter: UInt64, writer: Int,
    listing: inout Listing, into payload: inout OutputBuffer
  ) {
    let number = history.slot(at: place)
    if slots.known[number].place < 0 {
      slots.known[number].place = hintedPlace(of: number, in: history)
    }
    let slot = Int(slots.known[number].place)
    guard slot >= 0, state.hasSaid(state.slots[slot].said) || !history.isElement(ofSlot: number) else {
      let found = history.withOperation(at: place) {
        write($0, named: counter, writer: writer, listing: &listing, into: &payload)
      }
      slots.known[number].place = Int32(truncatingIfNeeded: found)
      return
    }
    let replaced = history.replaced(at: place)
    let isSaid = state.hasSaid(state.slots[slot].said)
    let isLast = isSaid && isLast(replaced, at: slot)
    let prior =
      isLast
      ? OperationHead.tablePrior : replaced == .origin ? OperationHead.noPrior : OperationHead.listedPrior
    if isSaid {
      writeSaidSlot(slot, OperationHead.set | prior, into: &payload)
    } else {
      payload.append(OperationHead.set | prior | OperationHead.slotNew)
      writeAgain(slot: slot, listing: &listing, into: &payload)
      state.slot = state.slots[slot].said.number
    }
    claimChain(of: state.slots[slot].object, listing: &listing)
    if prior == OperationHead.listedPrior {
      payload.append(varint: 1)
      write(replaced, into: &payload)
    }
    state.slots[slot].last = SlotEntry.Last(replica: writer, counter: counter)
    history.withValue(at: place) { payload.append($0.value) }
  }

  /// The place of the row's slot, if its hint leads there; -1 otherwise.
  @inline(__always)
  private func hintedPlace(of number: Int, in history: SetHistory) -> Int32 {
    let place = Int(state.hinted[history.hint(ofSlot: number)])
    let isRight = state.slots.withBorrowed { slots in
      place < slots.count && history.isSlot(number, slots[place].value.key, in: slots[place].value.objectID)
    }
    return isRight ? Int32(truncatingIfNeeded: place) : -1
  }
}
