import StarlingCore

/// The mirror of `LiveEncoder+Sequences.swift`.
extension LiveDecoder.State {
  mutating func sequenceOperation(
    _ head: UInt8, named counter: UInt64, by writer: Int, at start: Int, listing: inout Listing,
    _ reader: inout Reader
  ) throws(WireError) -> Operation {
    if head & SequenceHead.objectGiven != 0 { cursor = SequenceCursor(object: try object(&reader)) }
    guard cursor.object >= 0 else {
      throw reader.error(.unknownIndex, "The sequence of the operation before is named and none was", at: start)
    }
    let object = objects[cursor.object].id
    try claimChain(of: cursor.object, at: start, listing: &listing, &reader)
    switch head & SequenceHead.actionMask {
    case SequenceHead.insert:
      let anchor = try readAnchor(head, at: start, &reader)
      let content = try readContent(head, &reader)
      guard UInt64(content.count) - 1 <= counterMax - counter else {
        throw reader.error(.malformed, "The items of an insertion pass 2^63 - 1", at: start)
      }
      cursor.inserted(by: writer, upTo: counter + UInt64(content.count) - 1)
      return Operation(object: object, key: .element(anchor.item), action: .insert(content, side: anchor.side))
    case SequenceHead.removeRun:
      let (first, count) = try readRemoval(head, at: start, &reader)
      return Operation(object: object, key: .element(first), action: .removeRun(count: count))
    case SequenceHead.move:
      guard head & SequenceHead.unusedInMoveAndMark == 0 else { throw unknownOperation(head, at: start, reader) }
      let element = try dot(&reader)
      let edge = try readEdge(&reader)
      let replaced = try readReplaced(head, ownItem: element, at: start, &reader)
      return Operation(object: object, key: .element(element), action: .move(to: edge, replacing: replaced))
    default:
      guard head & SequenceHead.unusedInMoveAndMark == 0 else { throw unknownOperation(head, at: start, reader) }
      let name = try tableKey(&reader, in: .stream)
      let (begin, end) = (try readEdge(&reader), try readEdge(&reader))
      let rank = try reader.varint()
      let replaced = try readReplaced(head, ownItem: nil, at: start, &reader)
      let mark = MarkOperation(start: begin, end: end, rank: rank, value: try reader.value(), replacing: replaced)
      return Operation(object: object, key: name, action: .mark(mark))
    }
  }

  private mutating func readAnchor(_ head: UInt8, at start: Int, _ reader: inout Reader) throws(WireError) -> Edge {
    if head & SequenceHead.anchorGiven != 0 { return try readEdge(&reader) }
    return Edge(.right, of: Dot(replicas[try cursorReplica(cursor.before, at: start, reader)].id, cursor.before))
  }

  private func readContent(_ head: UInt8, _ reader: inout Reader) throws(WireError) -> Content {
    let start = reader.offset
    var size = Int(head & SequenceHead.sizeMask) >> 5
    let isText = head & SequenceHead.values == 0
    if size == 0 {
      size =
        isText
        ? try reader.byteCount(atMost: reader.limits.valueByteCountMax)
        : try reader.count(atMost: reader.limits.operationCountMax, ofSize: 1)
      guard size > SequenceHead.sizeMax else {
        throw reader.error(.overlong, "An insertion spells out that its size is \(size)", at: start)
      }
    }
    if isText { return .text(try reader.scalars(byteCount: size)) }
    try reader.spendOperations(size, at: start)
    var values: [Value] = []
    values.reserveCapacity(size)
    for _ in 0..<size { values.append(try reader.value()) }
    return .values(values)
  }

  private mutating func readRemoval(
    _ head: UInt8, at start: Int, _ reader: inout Reader
  ) throws(WireError) -> (first: Dot, count: UInt64) {
    guard head & SequenceHead.unusedInRemoval == 0 else { throw unknownOperation(head, at: start, reader) }
    let replica: Int
    let given: UInt64
    let place = head & SequenceHead.placeMask
    switch place {
    case SequenceHead.itemGiven: (replica, given) = try numberedDot(&reader)
    case SequenceHead.backwards: (replica, given) = (try cursorReplica(cursor.before, at: start, reader), cursor.before)
    case SequenceHead.forwards: (replica, given) = (try cursorReplica(cursor.after, at: start, reader), cursor.after)
    default: throw unknownOperation(head, at: start, reader)
    }
    let countPlace = reader.offset
    let count = head & SequenceHead.countGiven == 0 ? 1 : try reader.varint()
    guard count > 1 || head & SequenceHead.countGiven == 0 else {
      throw reader.error(.overlong, "A removal spells out that it removes \(count)", at: countPlace)
    }
    let most = place == SequenceHead.backwards ? given : counterMax - given + 1
    guard count <= most else {
      throw reader.error(.malformed, "A removal goes beyond 1...2^63 - 1", at: countPlace)
    }
    let first = place == SequenceHead.backwards ? given - count + 1 : given
    cursor.removed(count, from: first, of: replica)
    return (Dot(replicas[replica].id, first), count)
  }

  private mutating func readReplaced(
    _ head: UInt8, ownItem: Dot?, at start: Int, _ reader: inout Reader
  ) throws(WireError) -> [Dot] {
    switch head & SequenceHead.priorMask {
    case SequenceHead.noPrior: return []
    case SequenceHead.listedPrior: return try readDots(&reader)
    default:
      guard let ownItem, head & SequenceHead.priorMask == SequenceHead.ownItem else {
        throw unknownOperation(head, at: start, reader)
      }
      return [ownItem]
    }
  }

  // MARK: Items

  /// The replica at the cursor, if an item of it has this counter.
  func cursorReplica(_ counter: UInt64, at start: Int, _ reader: Reader) throws(WireError) -> Int {
    guard cursor.replica >= 0, 1...counterMax ~= counter else {
      throw reader.error(.unknownIndex, "An item at the cursor is named and none is there", at: start)
    }
    return cursor.replica
  }

  private mutating func readEdge(_ reader: inout Reader) throws(WireError) -> Edge {
    let start = reader.offset
    let head = try reader.varint()
    let side = head & 1 == 0 ? Side.left : .right
    guard head > 1 else { return Edge(side, of: .origin) }
    let number = try replica(numbered: head >> 1 - 1, at: start, &reader)
    return Edge(side, of: Dot(replicas[number].id, try counter(of: number, &reader)))
  }
}

/// Slots of elements that stay out of the table.
extension LiveDecoder.State {
  mutating func passingOperation(
    _ head: UInt8, named counter: UInt64, by writer: Int, at start: Int, listing: inout Listing,
    _ reader: inout Reader
  ) throws(WireError) -> Operation {
    let object = try object(&reader)
    let (replica, element) = try numberedDot(&reader)
    try claimChain(of: object, at: start, listing: &listing, &reader)
    var last = LiveEncoder.SlotEntry.Last(replica: replica, counter: element)
    let action = try readAction(head, named: counter, by: writer, last: &last, at: start, &reader)
    return Operation(object: objects[object].id, key: .element(Dot(replicas[replica].id, element)), action: action)
  }
}
