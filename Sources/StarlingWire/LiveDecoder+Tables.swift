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
      try appendObject(form, at: reader.offset - 1, &reader, newNames: false) {
        state, reader throws(WireError) in
        let number = try state.replicaNumber(&reader)
        return Dot(state.replicas[number].id, try reader.counter())
      }
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
      let key = try tableKey(&reader, newNames: false)
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

  private func replicaNumber(_ reader: inout Reader) throws(WireError) -> Int {
    let start = reader.offset
    let number = try reader.varint()
    guard number < UInt64(replicas.count) else {
      throw reader.error(.unknownIndex, "Replica \(number) is named and \(replicas.count) are known", at: start)
    }
    return Int(number)
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
