import StarlingCore

extension LiveDecoder.State {
  /// Reads what `LiveEncoder.tables()` wrote (Protocol/wire-format.md, "Tables").
  init(tables reader: inout Reader) throws(WireError) {
    self.init()
    try reader.requireLiveVersion("tables")
    stamp = Stamp(rawValue: try reader.fixed64())
    let writerPlace = reader.offset
    let writerNumber = try reader.varint()
    let slotPlace = reader.offset
    let slotNumber = try reader.varint()
    let cursor = try CursorNumbers(&reader)
    try readReplicas(&reader)
    let nameCount = try reader.count(atMost: TableLoad.namesMax, ofSize: 1)
    for _ in 0..<nameCount { try appendName(&reader) }
    try readObjects(&reader)
    try readSlots(&reader)

    guard writerNumber <= UInt64(replicas.count) else {
      throw reader.error(
        .unknownIndex, "The last writer is replica \(writerNumber) of \(replicas.count)", at: writerPlace)
    }
    writer = writerNumber == 0 ? nil : Int(writerNumber) - 1
    guard slotNumber <= UInt64(slots.count) else {
      throw reader.error(.unknownIndex, "The last slot is number \(slotNumber) of \(slots.count)", at: slotPlace)
    }
    slot = Int(slotNumber) - 1
    self.cursor = try cursor.checked(replicaCount: replicas.count, objectCount: objects.count, reader)
    if load.isTooMuch {
      throw reader.error(.tooLarge, "The tables weigh more than any stream's may between two changes")
    }
  }

  private mutating func readReplicas(_ reader: inout Reader) throws(WireError) {
    let count = try reader.count(atMost: TableLoad.replicasMax, ofSize: 9)
    replicas.reserveCapacity(count)
    for _ in 0..<count {
      let dot = try reader.dot()
      replicas.append(LiveEncoder.ReplicaEntry(id: dot.replica, counter: dot.counter))
    }
    load.replicas = count
  }

  private mutating func readObjects(_ reader: inout Reader) throws(WireError) {
    let count = try reader.count(atMost: TableLoad.definitionsMax, ofSize: 3)
    for _ in 0..<count {
      let form = try reader.byte()
      try appendObject(form, at: reader.offset - 1, &reader, in: .tables)
    }
  }

  private mutating func readSlots(_ reader: inout Reader) throws(WireError) {
    let count = try reader.count(atMost: TableLoad.slotsMax, ofSize: 3)
    slots.reserveCapacity(count)
    for _ in 0..<count {
      let start = reader.offset
      let object = try reader.varint()
      guard object < UInt64(objects.count) else {
        throw reader.error(.unknownIndex, "Object \(object) is named and \(objects.count) are known", at: start)
      }
      let key = try tableKey(&reader, in: .tables)
      var slot = LiveDecoder.SlotEntry(object: Int(object), objectID: objects[Int(object)].id, key: key)
      slot.last = try readLast(&reader)
      slots.append(slot)
    }
    load.slots = count
  }

  private func readLast(_ reader: inout Reader) throws(WireError) -> LiveEncoder.SlotEntry.Last {
    let start = reader.offset
    let number = try reader.varint()
    guard number > 0 else { return LiveEncoder.SlotEntry.nothing }
    guard number <= UInt64(replicas.count) else {
      throw reader.error(.unknownIndex, "Replica \(number - 1) is named and \(replicas.count) are known", at: start)
    }
    return LiveEncoder.SlotEntry.Last(replica: Int(number) - 1, counter: try reader.counter())
  }

  func tableDot(_ reader: inout Reader) throws(WireError) -> Dot {
    let number = try replicaNumber(&reader)
    return Dot(replicas[number].id, try reader.counter())
  }

  private func replicaNumber(_ reader: inout Reader) throws(WireError) -> Int {
    let start = reader.offset
    let number = try reader.varint()
    guard number < UInt64(replicas.count) else {
      throw reader.error(.unknownIndex, "Replica \(number) is named and \(replicas.count) are known", at: start)
    }
    return Int(number)
  }
}

/// A cursor as the tables begin with it, before the tables that it names entries of.
private struct CursorNumbers {
  private var object: UInt64 = 0
  private var replica: UInt64 = 0
  private var cursor = SequenceCursor()
  private let objectPlace: Int
  private var replicaPlace = 0

  init(_ reader: inout Reader) throws(WireError) {
    objectPlace = reader.offset
    object = try reader.varint()
    guard object > 0 else { return }
    replicaPlace = reader.offset
    replica = try reader.varint()
    guard replica > 0 else { return }
    cursor.before = try Self.counter(&reader, atMost: counterMax)
    cursor.after = try Self.counter(&reader, atMost: counterMax + 1)
  }

  private static func counter(_ reader: inout Reader, atMost most: UInt64) throws(WireError) -> UInt64 {
    let start = reader.offset
    let counter = try reader.varint()
    guard counter <= most else {
      throw reader.error(.malformed, "A counter at the cursor is \(counter), above \(most)", at: start)
    }
    return counter
  }

  func checked(replicaCount: Int, objectCount: Int, _ reader: Reader) throws(WireError) -> SequenceCursor {
    guard object <= UInt64(objectCount) else {
      throw reader.error(.unknownIndex, "The cursor is in object \(object) of \(objectCount)", at: objectPlace)
    }
    guard replica <= UInt64(replicaCount) else {
      throw reader.error(.unknownIndex, "The cursor is at replica \(replica) of \(replicaCount)", at: replicaPlace)
    }
    var checked = cursor
    checked.object = Int(object) - 1
    checked.replica = Int(replica) - 1
    return checked
  }
}

extension Reader {
  /// The version byte that batches and tables begin with.
  mutating func requireLiveVersion(_ what: String) throws(WireError) {
    let start = offset
    let version = try byte()
    guard version == liveVersion else {
      throw error(
        .unsupportedVersion, "The \(what) are in version \(version), this program reads \(liveVersion)", at: start)
    }
  }
}
