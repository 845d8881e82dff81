public import StarlingCore

/// Writes the changes of one live stream, each against all that the stream said before
/// (Protocol/wire-format.md, "Live streams").
///
/// - Complexity: one hash look-up an operation, none where it comes with a hint.
public struct LiveEncoder: Sendable {
  var state = State()

  public init() {}

  /// Appends `change` to `payload`. What is appended must be sent, in order: a frame left out is a
  /// gap that makes every reader ask for the tables.
  ///
  /// The change must have operations, and counters of at least 1.
  public mutating func encode(_ change: Change, into payload: inout [UInt8]) {
    change.borrow { encode($0, into: &payload) }
  }

  /// The same, of a change that is not copied.
  package mutating func encode(_ borrowed: borrowing Borrowed<Change>, into payload: inout [UInt8]) {
    OutputBuffer.appending(to: &payload) { write(borrowed, into: &$0) }
  }

  @inline(__always)
  private mutating func write(_ borrowed: borrowing Borrowed<Change>, into payload: inout OutputBuffer) {
    precondition(!borrowed.value.operations.isEmpty, "A change by \(borrowed.value.replica) has no operations.")
    if writeFollower(borrowed, into: &payload) { return }
    let head = writeHead(
      by: borrowed.value.replica, from: borrowed.value.firstCounter, stamp: borrowed.value.stamp,
      frontier: borrowed.value.frontier, operationCount: borrowed.value.operations.count, into: &payload)
    var flags = head.flags
    borrowed.value.objects.withUnsafeBufferPointer { definitions in
      var listing = Listing(definitions)
      writeOperations(of: borrowed, writer: head.writer, listing: &listing, into: &payload)
      if borrowed.value.message != nil || !listing.isImplied {
        flags |= ChangeFlags.moreGiven
        writeMore(message: borrowed.value.message, definitions, listing: &listing, into: &payload)
      }
    }
    end(head, flags, in: &payload)
  }

  struct Head {
    let flagsPlace: Int
    let flags: UInt8
    let writer: Int
  }

  @inline(__always)
  mutating func writeHead(
    by replica: ReplicaID, from firstCounter: UInt64, stamp: Stamp, frontier: [Dot], operationCount: Int,
    into payload: inout OutputBuffer
  ) -> Head {
    let flagsPlace = payload.end
    var flags: UInt8 = 0
    payload.append(0)
    let writer = writeWriter(replica, firstCounter, flags: &flags, into: &payload)
    writeStamp(stamp, flags: &flags, into: &payload)
    if !frontier.isEmpty {
      assert(
        zip(frontier, frontier.dropFirst()).allSatisfy(<),
        "The frontier of a change by \(replica) does not ascend: \(frontier)")
      flags |= ChangeFlags.frontierGiven
      payload.append(varint: frontier.count)
      for dot in frontier { write(dot, into: &payload) }
    }
    if operationCount != 1 {
      flags |= ChangeFlags.countGiven
      payload.append(varint: operationCount)
    }
    return Head(flagsPlace: flagsPlace, flags: flags, writer: writer)
  }

  /// - Returns: whether the tables were too much, and begin again.
  @inline(__always) @discardableResult
  mutating func end(_ head: Head, _ flags: UInt8, in payload: inout OutputBuffer) -> Bool {
    payload.replace(at: head.flagsPlace, with: flags)
    guard state.load.isTooMuch else { return false }
    state = State()
    return true
  }

  /// Goes on with another stream, which nobody has heard anything of yet.
  mutating func beginAgain() { state.beginAgain() }

  // MARK: The head of a change

  private mutating func writeWriter(
    _ replica: ReplicaID, _ firstCounter: UInt64, flags: inout UInt8, into payload: inout OutputBuffer
  ) -> Int {
    let writer: Int
    if let previous = state.writer, state.replicas[previous].id == replica {
      writer = previous
    } else {
      flags |= ChangeFlags.writerGiven
      writer = write(replica, into: &payload)
      state.writer = writer
    }
    let known = state.replicas[writer].counter
    if firstCounter != known + 1 {
      flags |= ChangeFlags.counterGiven
      payload.append(signedVarint: Int64(bitPattern: firstCounter &- known &- 1))
    }
    return writer
  }

  @inline(__always)
  mutating func writeStamp(_ stamp: Stamp, flags: inout UInt8, into payload: inout OutputBuffer) {
    let previous = state.stamp
    state.stamp = stamp
    if stamp.rawValue == previous.rawValue &+ 1 {
      flags |= StampForm.successor
    } else if stamp == previous {
      flags |= StampForm.same
    } else if stamp.logical == 0, stamp.milliseconds > previous.milliseconds {
      flags |= StampForm.laterMillisecond
      payload.append(varint: stamp.milliseconds - previous.milliseconds)
    } else {
      flags |= StampForm.difference
      payload.append(signedVarint: Int64(stamp.milliseconds) - Int64(previous.milliseconds))
      payload.append(varint: stamp.logical)
    }
  }

  mutating func writeMore(
    message: String?, _ objects: UnsafeBufferPointer<ObjectDefinition>, listing: inout Listing,
    into payload: inout OutputBuffer
  ) {
    payload.append((message == nil ? 0 : ChangeMore.message) | (listing.isImplied ? 0 : ChangeMore.objects))
    if let message { payload.append(counted: message) }
    guard !listing.isImplied else { return }
    payload.append(varint: objects.count)
    for object in objects { writeDefined(object, listing: &listing, into: &payload) }
  }

  // MARK: Operations

  @inline(__always)
  private mutating func writeOperations(
    of borrowed: borrowing Borrowed<Change>, writer: Int, listing: inout Listing, into payload: inout OutputBuffer
  ) {
    var counter = borrowed.value.firstCounter
    borrowed.value.operations.forEachBorrowed { borrowed in
      state.replicas[writer].counter = max(state.replicas[writer].counter, counter)
      write(borrowed, named: counter, writer: writer, listing: &listing, into: &payload)
      counter += borrowed.value.counterCount
    }
    state.replicas[writer].counter = max(state.replicas[writer].counter, counter - 1)
  }

  /// - Returns: the place of its slot; -1 where the operation acts on none, or on one in passing.
  @discardableResult
  mutating func write(
    _ borrowed: borrowing Borrowed<Operation>, named counter: UInt64, writer: Int, listing: inout Listing,
    into payload: inout OutputBuffer
  ) -> Int {
    if borrowed.value.action.isOnSequence {
      writeSequence(borrowed.value, named: counter, writer: writer, listing: &listing, into: &payload)
      return -1
    }
    let head: UInt8
    let slot: Int
    let found = hintedPlace(of: borrowed) ?? place(of: borrowed)
    if let found, state.hasSaid(state.slots[found].said) {
      slot = found
      let number = state.slots[slot].said.number
      let isNext = number == state.slot + 1
      head =
        self.head(of: borrowed.value.action, named: counter, writer: writer, last: state.slots[slot].last)
        | (isNext ? OperationHead.slotNext : OperationHead.slotNumber)
      payload.append(head)
      if !isNext { payload.append(varint: number) }
    } else {
      if case .element(let element) = borrowed.value.key,
        !state.passing.comeAgain(element, in: borrowed.value.object)
      {
        writePassing(borrowed.value, on: element, named: counter, writer: writer, listing: &listing, into: &payload)
        return -1
      }
      head =
        self.head(of: borrowed.value.action, named: counter, writer: writer, last: SlotEntry.nothing)
        | OperationHead.slotNew
      payload.append(head)
      if let found {
        slot = found
        writeAgain(slot: found, listing: &listing, into: &payload)
      } else {
        slot = writeNewSlot(borrowed.value.object, borrowed.value.key, listing: &listing, into: &payload)
        state.hinted.remember(UInt32(truncatingIfNeeded: slot), for: borrowed.value.hint)
      }
    }
    state.slot = state.slots[slot].said.number
    claimChain(of: state.slots[slot].object, listing: &listing)

    state.slots[slot].last = write(
      borrowed.value.action, head: head, named: counter, writer: writer, into: &payload)
    return slot
  }

  /// Writes what follows the slot.
  ///
  /// - Returns: what the slot's *last* is from now on.
  mutating func write(
    _ action: Action, head: UInt8, named counter: UInt64, writer: Int, into payload: inout OutputBuffer
  ) -> SlotEntry.Last {
    let isListed = head & OperationHead.priorMask == OperationHead.listedPrior
    switch action {
    case .set(let value, let replaced, let clearing):
      if isListed { write(replaced, into: &payload) }
      if let clearing { write(clearing, into: &payload) }
      payload.append(value)
      return SlotEntry.Last(replica: writer, counter: counter)
    case .remove(let replaced, let clearing):
      if isListed { write(replaced, into: &payload) }
      if let clearing { write(clearing, into: &payload) }
      return SlotEntry.nothing
    case .increment(let amount, let birth):
      if isListed { payload.append(varint: counter &- birth) }
      payload.append(signedVarint: amount)
      return SlotEntry.Last(replica: writer, counter: birth)
    case .insert, .removeRun, .move, .mark: preconditionFailure("\(action) acts on no slot.")
    }
  }

  /// The place of the operation's slot, if its hint leads there.
  @inline(__always)
  func hintedPlace(of borrowed: borrowing Borrowed<Operation>) -> Int? {
    let number = Int(state.hinted[borrowed.value.hint])
    // An entry that is copied has its key retained.
    let isRight = state.slots.withBorrowed { slots in
      number < slots.count && slots[number].value.objectID == borrowed.value.object
        && slots[number].value.key == borrowed.value.key
    }
    return isRight ? number : nil
  }

  private mutating func place(of borrowed: borrowing Borrowed<Operation>) -> Int? {
    let hash = state.slotIndex.hash(borrowed.value.object, borrowed.value.key)
    let found = state.slotIndex.number(hash) {
      state.slots[$0].objectID == borrowed.value.object && state.slots[$0].key == borrowed.value.key
    }
    if let found { state.hinted.remember(UInt32(truncatingIfNeeded: found), for: borrowed.value.hint) }
    return found
  }

  @inline(__always)
  func head(of action: Action, named counter: UInt64, writer: Int, last: SlotEntry.Last) -> UInt8 {
    switch action {
    case .set(_, let replaced, let clearing):
      OperationHead.set | prior(replaced, last: last) | (clearing == nil ? 0 : OperationHead.clearing)
    case .remove(let replaced, let clearing):
      OperationHead.remove | prior(replaced, last: last) | (clearing == nil ? 0 : OperationHead.clearing)
    case .increment(_, let birth):
      OperationHead.increment
        | (birth == counter
          ? OperationHead.noPrior
          : last == SlotEntry.Last(replica: writer, counter: birth)
            ? OperationHead.tablePrior : OperationHead.listedPrior)
    case .insert, .removeRun, .move, .mark: preconditionFailure("\(action) acts on no slot.")
    }
  }

  @inline(__always)
  private func prior(_ replaced: DotSet, last: SlotEntry.Last) -> UInt8 {
    if last != SlotEntry.nothing, replaced.isOnly(Dot(state.replicas[last.replica].id, last.counter)) {
      return OperationHead.tablePrior
    }
    return replaced.isEmpty ? OperationHead.noPrior : OperationHead.listedPrior
  }

  // MARK: Dots

  /// Writes a replica's number, and the replica where it is new.
  ///
  /// - Returns: Its place.
  mutating func write(_ replica: ReplicaID, into payload: inout OutputBuffer) -> Int {
    let known = place(of: replica)
    if let known, state.hasSaid(state.replicas[known].said) {
      payload.append(varint: state.replicas[known].said.number)
      state.latestReplica = known
      return known
    }
    payload.append(varint: state.said.replicas)
    payload.append(fixed64: replica.rawValue)
    return enter(replica, at: known)
  }

  /// Where the replica stands, whichever stream named it. More often than not it is the one that was named last.
  func place(of replica: ReplicaID) -> Int? {
    let latest = state.latestReplica
    if latest < state.replicas.count, state.replicas[latest].id == replica { return latest }
    return state.replicaPlaces[replica]
  }

  /// Gives `replica` the next number.
  ///
  /// - Parameter known: Its place, if an earlier stream named it.
  mutating func enter(_ replica: ReplicaID, at known: Int?) -> Int {
    let place = known ?? state.replicas.count
    let entry = ReplicaEntry(id: replica, counter: 0, said: Said(stream: state.stream, next: &state.said.replicas))
    if known == nil {
      state.replicaPlaces[replica] = place
      state.replicas.append(entry)
    } else {
      state.replicas[place] = entry
    }
    state.latestReplica = place
    state.load.replicas += 1
    return place
  }

  mutating func write(_ dot: Dot, into payload: inout OutputBuffer) {
    let replica = write(dot.replica, into: &payload)
    writeCounter(of: dot, replica: replica, into: &payload)
  }

  mutating func writeCounter(of dot: Dot, replica: Int, into payload: inout OutputBuffer) {
    let known = state.replicas[replica].counter
    payload.append(signedVarint: Int64(bitPattern: dot.counter &- known))
    state.replicas[replica].counter = max(known, dot.counter)
  }

  mutating func write(_ dots: some Collection<Dot>, into payload: inout OutputBuffer) {
    payload.append(varint: dots.count)
    for dot in dots { write(dot, into: &payload) }
  }

  private mutating func write(_ version: VersionVector, into payload: inout OutputBuffer) {
    payload.append(varint: version.entries.count)
    for entry in version.entries { write(Dot(entry.replica, entry.counter), into: &payload) }
  }
}
