import StarlingCore

/// The mirror of `LiveEncoder+History.swift`.
extension LiveDecoder.State {
  mutating func history(_ reader: inout Reader) throws(WireError) -> TextHistory {
    let start = reader.offset
    _ = try reader.byte()
    let countPlace = reader.offset
    let changeCount = try reader.varint()
    guard changeCount > 0 else { throw reader.error(.malformed, "A history has no changes", at: countPlace) }
    guard changeCount <= UInt64(reader.limits.operationCountMax) else {
      throw reader.error(.tooLarge, "A history has \(changeCount) changes", at: countPlace)
    }
    let writer = try replica(&reader)
    self.writer = writer
    let counterPlace = reader.offset
    let due = replicas[writer].counter + 1
    let first = try reader.checkedCounter(due &+ UInt64(bitPattern: reader.signedVarint()), at: counterPlace)
    cursor = SequenceCursor(object: try object(&reader))
    var history = TextHistory(
      replica: replicas[writer].id, firstCounter: first, object: objects[cursor.object].id,
      objects: objects[cursor.object].chain, operationCounts: [], strokes: [], text: Scalars(""), stamps: [])
    let operationCount = try readOperationCounts(of: Int(changeCount), into: &history, &reader)
    try reader.spendOperations(operationCount, at: start)
    let itemCount = try readStrokes(of: operationCount, by: writer, into: &history, &reader)
    try readText(of: itemCount, into: &history, &reader)
    try readStamps(Int(changeCount), into: &history, &reader)
    replicas[writer].counter = max(replicas[writer].counter, history.lastCounter)
    if load.isTooMuch { self = Self() }
    return history
  }

  private func readOperationCounts(
    of changeCount: Int, into history: inout TextHistory, _ reader: inout Reader
  ) throws(WireError) -> Int {
    var changesLeft = UInt64(changeCount)
    var sum: UInt64 = 0
    while changesLeft > 0 {
      let start = reader.offset
      let (changes, operations) = (try reader.varint(), try reader.varint())
      guard 1...changesLeft ~= changes, operations > 0 else {
        throw reader.error(
          .malformed, "\(changes) changes of \(operations) operations where \(changesLeft) are left", at: start)
      }
      let (product, overflow) = changes.multipliedReportingOverflow(by: operations)
      guard !overflow, product <= UInt64(reader.limits.operationCountMax) - sum else {
        throw reader.error(.tooLarge, "More than \(reader.limits.operationCountMax) operations at once", at: start)
      }
      sum += product
      changesLeft -= changes
      history.operationCounts.append(
        TextHistory.OperationCounts(changes: Int(changes), operations: Int(operations)))
    }
    return Int(sum)
  }

  // MARK: Strokes

  /// - Returns: how many items the strokes insert.
  private mutating func readStrokes(
    of operationCount: Int, by writer: Int, into history: inout TextHistory, _ reader: inout Reader
  ) throws(WireError) -> UInt64 {
    var operationsLeft = UInt64(operationCount)
    var counter = history.firstCounter
    var itemCount: UInt64 = 0
    // Not more than a few times what the bytes are that must follow.
    history.strokes.reserveCapacity(min(operationCount, reader.remaining / 4))
    while operationsLeft > 0 {
      let start = reader.offset
      let head = try reader.varint()
      let count = head >> StrokeHead.countShift + 1
      guard count <= operationsLeft else {
        throw reader.error(.malformed, "A stroke of \(count) operations where \(operationsLeft) are left", at: start)
      }
      operationsLeft -= count
      let size = try readSize(head, &reader)
      let action = head & StrokeHead.actionMask
      guard action == StrokeHead.insert || count <= UInt64(TextHistory.removalsPerStrokeMax) else {
        throw reader.error(.malformed, "A stroke of \(count) removals", at: start)
      }
      let (items, overflow) = count.multipliedReportingOverflow(by: size)
      let taken = action == StrokeHead.insert ? items : count
      guard !overflow, counter <= counterMax, taken - 1 <= counterMax - counter else {
        throw reader.error(.malformed, "The counters of a history pass 2^63 - 1", at: start)
      }
      let stroke: TextHistory.Stroke.Action
      if action == StrokeHead.insert {
        stroke = .insert(at: try readInsertionPlace(head, at: start, &reader))
        cursor.inserted(by: writer, upTo: counter + items - 1)
        itemCount += items
      } else {
        stroke = try readRemoval(head, size: size, itemCount: items, at: start, &reader)
      }
      history.strokes.append(TextHistory.Stroke(stroke, operationCount: Int(count), size: size))
      counter += taken
    }
    return itemCount
  }

  private func readSize(_ head: UInt64, _ reader: inout Reader) throws(WireError) -> UInt64 {
    guard head & StrokeHead.sizeGiven != 0 else { return 1 }
    let start = reader.offset
    let size = try reader.varint()
    guard size > 1 else { throw reader.error(.overlong, "A stroke spells out that its size is \(size)", at: start) }
    return size
  }

  private mutating func readInsertionPlace(
    _ head: UInt64, at start: Int, _ reader: inout Reader
  ) throws(WireError) -> Edge {
    guard head & StrokeHead.placeGiven == 0 else { return try readNear(&reader) }
    return Edge(.right, of: Dot(replicas[try cursorReplica(cursor.before, at: start, reader)].id, cursor.before))
  }

  private mutating func readRemoval(
    _ head: UInt64, size: UInt64, itemCount: UInt64, at start: Int, _ reader: inout Reader
  ) throws(WireError) -> TextHistory.Stroke.Action {
    let isBackwards: Bool
    switch head & StrokeHead.actionMask {
    case StrokeHead.removeForwards: isBackwards = false
    case StrokeHead.removeBackwards: isBackwards = true
    default: throw reader.error(.malformed, "No stroke begins with \(head)", at: start)
    }
    let replica: Int
    var item: UInt64
    if head & StrokeHead.placeGiven != 0 {
      let place = reader.offset
      let edge = try readNear(&reader)
      guard edge.side == .right, edge.item != .origin else {
        throw reader.error(.malformed, "A removal begins at no item", at: place)
      }
      (replica, item) = (cursor.replica, edge.item.counter)
    } else {
      item = isBackwards ? cursor.before : cursor.after
      replica = try cursorReplica(item, at: start, reader)
      guard !isBackwards || size <= item else {
        throw reader.error(.malformed, "A removal goes beyond 1...2^63 - 1", at: start)
      }
      if isBackwards { item -= size - 1 }
    }
    // All that is removed, from the first item of the first operation on or up to its last.
    guard size - 1 <= counterMax - item, isBackwards ? itemCount - size < item : itemCount - 1 <= counterMax - item
    else { throw reader.error(.malformed, "A removal goes beyond 1...2^63 - 1", at: start) }
    let last = isBackwards ? item - (itemCount - size) : item + (itemCount - size)
    cursor.removed(size, from: last, of: replica)
    let dot = Dot(replicas[replica].id, item)
    return isBackwards ? .removeBackwards(from: dot) : .removeForwards(from: dot)
  }

  /// An edge whose counter, of the cursor's replica, is spelled by the item before the cursor. The
  /// cursor is at its replica then.
  private mutating func readNear(_ reader: inout Reader) throws(WireError) -> Edge {
    let start = reader.offset
    let head = try reader.varint()
    let side = head & 1 == 0 ? Side.left : .right
    guard head > 1 else { return Edge(side, of: .origin) }
    let number = try replica(numbered: head >> 1 - 1, at: start, &reader)
    guard number == cursor.replica else {
      cursor.replica = number
      return Edge(side, of: Dot(replicas[number].id, try counter(of: number, &reader)))
    }
    let place = reader.offset
    let counter = try reader.checkedCounter(cursor.before &+ UInt64(bitPattern: reader.signedVarint()), at: place)
    return Edge(side, of: Dot(replicas[number].id, counter))
  }

  // MARK: Text and stamps

  private func readText(
    of count: UInt64, into history: inout TextHistory, _ reader: inout Reader
  ) throws(WireError) {
    let start = reader.offset
    let text = try reader.packableBytes()
    guard let scalarCount = text.withUnsafeBytes({ $0.scalarCount }) else {
      throw reader.error(.malformed, "A text is not UTF-8", at: start)
    }
    history.text = Scalars(unchecked: text, count: scalarCount)
    guard UInt64(history.text.count) == count else {
      throw reader.error(
        .malformed, "A text of \(history.text.count) scalars where strokes insert \(count)", at: start)
    }
  }

  private mutating func readStamps(
    _ count: Int, into history: inout TextHistory, _ reader: inout Reader
  ) throws(WireError) {
    while history.stamps.count < count {
      let start = reader.offset
      let head = try reader.varint()
      let runCount = head >> StampRun.countShift
      guard 1...UInt64(count - history.stamps.count) ~= runCount else {
        throw reader.error(
          .malformed, "\(runCount) stamps where \(count - history.stamps.count) are left", at: start)
      }
      switch head & StampRun.formMask {
      case StampRun.successors: readSuccessors(Int(runCount), into: &history)
      case StampRun.evenly: try readEvenStamps(Int(runCount), at: start, into: &history, &reader)
      case StampRun.later:
        for _ in 0..<runCount {
          let place = reader.offset
          stamp = try laterStamp(reader.varint(), logical: 0, at: place, &reader)
          history.stamps.append(stamp)
        }
      default:
        for _ in 0..<runCount {
          let place = reader.offset
          let difference = UInt64(bitPattern: try reader.signedVarint())
          stamp = try laterStamp(difference, logical: reader.varint(), at: place, &reader)
          history.stamps.append(stamp)
        }
      }
    }
  }

  private mutating func readSuccessors(_ count: Int, into history: inout TextHistory) {
    let (last, overflow) = stamp.rawValue.addingReportingOverflow(UInt64(count))
    if overflow {
      for place in 1...UInt64(count) { history.stamps.append(Stamp(rawValue: stamp.rawValue &+ place)) }
    } else {
      history.stamps.append(count, from: Stamp(rawValue: stamp.rawValue + 1), step: 1)
    }
    stamp = Stamp(rawValue: last)
  }

  private mutating func readEvenStamps(
    _ count: Int, at start: Int, into history: inout TextHistory, _ reader: inout Reader
  ) throws(WireError) {
    let step = try reader.varint()
    let (sum, overflow) = step.multipliedReportingOverflow(by: UInt64(count))
    if !overflow, sum <= 0xFFFF_FFFF_FFFF - stamp.milliseconds {
      let first = try laterStamp(step, logical: 0, at: start, &reader)
      history.stamps.append(count, from: first, step: step << 16)
      stamp = try laterStamp(sum, logical: 0, at: start, &reader)
      return
    }
    // The last one is later than there are stamps, or the sums go backwards, where the first may be refused.
    for _ in 0..<count {
      stamp = try laterStamp(step, logical: 0, at: start, &reader)
      history.stamps.append(stamp)
    }
  }
}
