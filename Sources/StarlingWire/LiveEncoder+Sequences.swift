import StarlingCore

/// Operations on lists and texts (Protocol/wire-format.md, "Operations on sequences").
extension LiveEncoder {
  mutating func writeSequence(
    _ operation: Operation, named counter: UInt64, writer: Int, listing: inout Listing, into payload: inout OutputBuffer
  ) {
    let headPlace = payload.end
    payload.append(0)
    var head = SequenceHead.flag
    let isHere = state.cursor.object >= 0 && state.objects[state.cursor.object].id == operation.object
    if !isHere {
      head |= SequenceHead.objectGiven
      let object = writeObject(operation.object, mustBeDefined: false, listing: &listing, into: &payload)
      state.cursor = SequenceCursor(object: object)
    }
    claimChain(of: state.cursor.object, listing: &listing)
    switch (operation.action, operation.key) {
    case (.insert(let content, let side), .element(let anchor)):
      head |= writeInsertion(of: content, at: Edge(side, of: anchor), into: &payload)
      state.cursor.inserted(by: writer, upTo: counter + UInt64(content.count) - 1)
    case (.removeRun(let count), .element(let first)):
      head |= writeRemoval(of: count, from: first, into: &payload)
    case (.move(let edge, let replaced), .element(let element)):
      head |= writeMove(of: element, to: edge, replacing: replaced, into: &payload)
    case (.mark(let mark), let name):
      head |= write(mark, named: name, into: &payload)
    default:
      preconditionFailure("An operation on a sequence names no item: \(operation).")
    }
    payload.replace(at: headPlace, with: head)
  }

  private mutating func writeInsertion(of content: Content, at anchor: Edge, into payload: inout OutputBuffer) -> UInt8
  {
    precondition(content.count > 0, "An insertion at \(anchor) inserts nothing.")
    var head = SequenceHead.insert
    if anchor.side == .left || !isBeforeCursor(anchor.item) {
      head |= SequenceHead.anchorGiven
      write(anchor, into: &payload)
    }
    switch content {
    case .text(let scalars):
      head |= SequenceHead.size(scalars.utf8Count)
      if scalars.utf8Count > SequenceHead.sizeMax { payload.append(varint: scalars.utf8Count) }
      scalars.withUTF8 { payload.append(contentsOf: $0) }
    case .values(let values):
      head |= SequenceHead.values | SequenceHead.size(values.count)
      if values.count > SequenceHead.sizeMax { payload.append(varint: values.count) }
      for value in values { payload.append(value) }
    }
    return head
  }

  private mutating func writeRemoval(of count: UInt64, from first: Dot, into payload: inout OutputBuffer) -> UInt8 {
    precondition(count > 0, "A removal from \(first) removes nothing.")
    var head = SequenceHead.removeRun
    if isBeforeCursor(Dot(first.replica, first.counter &+ count &- 1)) {
      head |= SequenceHead.backwards
    } else if isAtCursor(first.replica), first.counter == state.cursor.after {
      head |= SequenceHead.forwards
    } else {
      write(first, into: &payload)
    }
    if count > 1 {
      head |= SequenceHead.countGiven
      payload.append(varint: count)
    }
    state.cursor.removed(count, from: first.counter, of: place(of: first.replica)!)
    return head
  }

  private mutating func writeMove(
    of element: Dot, to edge: Edge, replacing replaced: some Collection<Dot>, into payload: inout OutputBuffer
  ) -> UInt8 {
    write(element, into: &payload)
    write(edge, into: &payload)
    if replaced.isEmpty { return SequenceHead.move | SequenceHead.noPrior }
    if replaced.count == 1, replaced.first == element { return SequenceHead.move | SequenceHead.ownItem }
    write(replaced, into: &payload)
    return SequenceHead.move | SequenceHead.listedPrior
  }

  private mutating func write(_ mark: MarkOperation, named name: Key, into payload: inout OutputBuffer) -> UInt8 {
    _ = write(name, into: &payload)
    write(mark.start, into: &payload)
    write(mark.end, into: &payload)
    payload.append(varint: mark.rank)
    if !mark.replacing.isEmpty { write(mark.replacing, into: &payload) }
    payload.append(mark.value)
    return SequenceHead.mark | (mark.replacing.isEmpty ? SequenceHead.noPrior : SequenceHead.listedPrior)
  }

  // MARK: Items

  func isAtCursor(_ replica: ReplicaID) -> Bool {
    state.cursor.replica >= 0 && state.replicas[state.cursor.replica].id == replica
  }

  func isBeforeCursor(_ item: Dot) -> Bool {
    item.counter == state.cursor.before && item.counter > 0 && isAtCursor(item.replica)
  }

  /// A side and a replica's number in one varint, then the counter.
  mutating func write(_ edge: Edge, into payload: inout OutputBuffer) {
    let side = Int(edge.side.rawValue)
    guard edge.item != .origin else {
      payload.append(varint: side)
      return
    }
    let known = place(of: edge.item.replica)
    if let known, state.hasSaid(state.replicas[known].said) {
      payload.append(varint: 2 * (1 + state.replicas[known].said.number) + side)
      writeCounter(of: edge.item, replica: known, into: &payload)
    } else {
      payload.append(varint: 2 * (1 + state.said.replicas) + side)
      payload.append(fixed64: edge.item.replica.rawValue)
      writeCounter(of: edge.item, replica: enter(edge.item.replica, at: known), into: &payload)
    }
  }
}

/// Slots of elements. Most elements are never written again, or once: their slots are named where
/// they stand, and only those that come again take a place in the table.
extension LiveEncoder {
  /// The elements whose slots were named lately and are not in the table.
  struct PassingElements: Sendable {
    private struct Name: Hashable {
      let object: ObjectID
      let element: Dot
    }

    private var names: Set<Name> = []
    private static let countMax = 1024

    /// Whether the element was here before; if not, it was now.
    mutating func comeAgain(_ element: Dot, in object: ObjectID) -> Bool {
      if names.count == Self.countMax { names.removeAll(keepingCapacity: true) }
      return !names.insert(Name(object: object, element: element)).inserted
    }
  }

  /// Writes an operation on a slot that stays out of the table. Its *last* is the element's own dot,
  /// the entry that the insertion put there.
  mutating func writePassing(
    _ operation: Operation, on element: Dot, named counter: UInt64, writer: Int, listing: inout Listing,
    into payload: inout OutputBuffer
  ) {
    let headPlace = payload.end
    payload.append(0)
    let object = writeObject(operation.object, mustBeDefined: false, listing: &listing, into: &payload)
    write(element, into: &payload)
    claimChain(of: object, listing: &listing)
    let last = SlotEntry.Last(replica: place(of: element.replica)!, counter: element.counter)
    let head = self.head(of: operation.action, named: counter, writer: writer, last: last) | OperationHead.slotPassing
    payload.replace(at: headPlace, with: head)
    _ = write(operation.action, head: head, named: counter, writer: writer, into: &payload)
  }
}
