import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `A store` {
  let world = World()
  let log = MemoryLog()

  @Test func `is found as it was left, and written on under the same id`() throws {
    let first = try world.node("first", log: log)
    let before = try first.open()
    before.set(1)
    before.write { document, patch in document.increment("count", in: .root, by: 5, patch: &patch) }
    try first.close()
    let second = try world.node("second", log: log)
    let after = try second.open()
    #expect(after.version == before.version)
    #expect(after.digest() == before.digest())
    #expect(after.replica == before.replica)
    after.set(2)
    #expect(after.version[after.replica] == before.version[before.replica] + 1)
  }

  @Test func `takes a new id after a crash, and holds all that was durable`() throws {
    let first = try world.node("first", log: log)
    let before = try first.open()
    before.set(1)
    try first.flush(.durable)
    first.vanish()
    let second = try world.node("second", log: log)
    let after = try second.open()
    #expect(after.value() == .integer(1))
    #expect(after.replica != before.replica)
  }

  @Test func `reads back whatever it accepted, and offers many large changes in pieces`() throws {
    let first = try world.node("first", log: log)
    let before = try first.open()
    for count in 0..<40 {
      before.write { document, patch in
        let value = Value.bytes([UInt8](repeating: UInt8(count), count: 512 << 10))
        document.set(value, for: .integer(Int64(count)), in: .root, patch: &patch)
      }
    }
    before.write { document, patch in
      document.set(.bytes([UInt8](repeating: 7, count: 15 << 20)), for: "huge", in: .root, patch: &patch)
    }
    before.write { document, patch in
      document.set(.null, for: .name(String(repeating: "k", count: 1 << 16)), in: .root, patch: &patch)
    }
    try first.flush(.durable)
    first.vanish()
    let records = try world.perform { try await self.log.recover(Node.library).records }
    #expect(records.filter { $0.firstCounter != $0.lastCounter }.allSatisfy { $0.bytes.count <= 1 << 20 })
    #expect(records.filter { $0.bytes.count > 1 << 20 }.count == 1)
    let second = try world.node("second", log: log)
    let after = try second.open()
    #expect(after.version == before.version)
    #expect(after.digest() == before.digest())
  }

  /// Such records are merged, sent and read back reduced to their strokes.
  @Test func `hands on what somebody typed, and reads it back`() throws {
    let first = try world.node("first", log: log)
    let before = try first.open()
    let text = ObjectID.derived(parent: .root, key: "text", kind: .text)
    for count in 0..<600 {
      before.write { document, patch in
        document.declare(.text, for: "text", in: .root)
        if count % 9 == 8 {
          document.removeItems(count % 5..<count % 5 + 1, in: text, patch: &patch)
        } else {
          document.insert("ß", at: count % 7 == 0 ? 0 : document.count(in: text), in: text, patch: &patch)
        }
      }
    }
    try first.flush(.durable)
    let others = MemoryLog()
    let second = try world.node("second", dialling: ["first"], log: others)
    let copy = try second.open()
    world.run(for: .seconds(1))
    #expect(copy.version == before.version && copy.digest() == before.digest())
    #expect(try second.counters.changesMerged == 600 && second.counters.malformed == 0)
    try second.flush(.durable)
    for (log, name) in [(log, "first again"), (others, "second again")] {
      let records = try world.perform { try await log.recover(Node.library).records }
      #expect(records.reduce(0) { $0 + $1.bytes.count } < 3 * 600)
      let again = try world.node(name, log: log)
      let recovered = try again.open()
      #expect(recovered.version == before.version && recovered.digest() == before.digest())
    }
  }

  @Test func `gives one clean-shutdown marker for one start`() throws {
    let first = try world.node("first", log: log)
    let id = try first.open().replica
    try first.close()
    let second = try world.node("second", log: log)
    #expect(try second.open().replica == id)
    second.vanish()
    let third = try world.node("third", log: log)
    #expect(try third.open().replica != id)
  }

  @Test func `is opened once however many ask`() throws {
    let node = try world.node("node", log: log)
    let handles = Box<[DocumentHandle]>([])
    for _ in 0..<3 {
      _ = world.begin {
        let handle = try await node.engine.open(Node.library)
        handles.change { $0.append(handle) }
      }
    }
    world.run(for: .milliseconds(10))
    #expect(handles.value.count == 3)
    #expect(Set(handles.value.map(ObjectIdentifier.init)).count == 1)
  }

  @Test func `that cannot be read says so, and stays closed`() throws {
    let replica = ReplicaID(rawValue: 1)
    try world.perform { [log] in
      _ = try await log.open()
      try await log.append([
        LogRecord(document: Node.library, replica: replica, firstCounter: 1, lastCounter: 1, bytes: [0xFF])
      ])
    }
    let node = try world.node("node", log: log)
    #expect(throws: LogError.self) { try node.open() }
    #expect(try node.status.documents.isEmpty)
  }

  @Test func `that lacks what a record stands on says so`() throws {
    var one = Document()
    var two = Document()
    var patch = Patch()
    func write(to document: inout Document, as replica: UInt64) -> Change {
      document.begin(as: ReplicaID(rawValue: replica), now: 1)
      document.set(.integer(Int64(replica)), for: "title", in: .root, patch: &patch)
      return document.commit()!
    }
    let first = write(to: &one, as: 1)
    _ = try two.merge(first, patch: &patch)
    let second = write(to: &two, as: 2)
    try world.perform { [log] in
      _ = try await log.open()
      try await log.append([
        LogRecord(
          document: Node.library, replica: second.replica, firstCounter: 1, lastCounter: 1,
          bytes: Batch.encode([second]))
      ])
    }
    let node = try world.node("node", log: log)
    #expect(throws: LogError.self) { try node.open() }
  }

  @Test func `that keeps state alone stays small under any number of overwrites`() throws {
    let node = try world.node("node", log: log) { $0.keepStateAlone(byteCountMin: 4096) }
    let handle = try node.open()
    var byteCountMax = 0
    for round in 0..<200 as Range<Int64> {
      handle.write { document, patch in
        for value in 0..<500 as Range<Int64> {
          document.set(.integer(round * 500 + value), for: "title", in: .root, patch: &patch)
        }
      }
      world.run(for: .milliseconds(1))
      let stored = try world.perform { [log] in try await log.recover(Node.library) }
      byteCountMax = max(byteCountMax, stored.records.reduce(0) { $0 + $1.bytes.count })
    }
    try node.flush(.durable)
    #expect(handle.version[handle.replica] == 100_000)
    // One group beyond the bound is the most that can wait for its compaction.
    #expect(byteCountMax < 4 * 4096, "\(byteCountMax) bytes")
    try node.close()
    let again = try world.node("again", log: log)
    #expect(try again.open().value() == .integer(99_999))
  }

  @Test func `that is to keep state alone from now on compacts also what nobody writes to`() throws {
    let before = try world.node("before", log: log)
    let handle = try before.open()
    for value in 0..<100 as Range<Int64> { handle.set(value) }
    try before.flush(.durable)
    try before.close()
    let after = try world.node("after", log: log) { $0.keepStateAlone(byteCountMin: 100) }
    _ = try after.open()
    let other = DocumentID("other")!
    try after.open(other).set(1)
    try after.flush(.durable, other)
    world.run(for: .milliseconds(10))
    let stored = try world.perform { [log] in try await log.recover(Node.library) }
    #expect(stored.records.isEmpty && stored.snapshot != nil)
  }
}

@Suite struct `A state that came from a peer` {
  let world = World()

  /// A node that has received its document as state, which its log has not compacted yet.
  func receiver(_ log: HeldLog) throws -> (giver: Node, here: DocumentHandle, receiver: Node, there: DocumentHandle) {
    let giver = try world.node("giver") { $0.keepStateAlone(byteCountMin: 10) }
    let here = try giver.open()
    for value in 0..<50 as Range<Int64> {
      here.set(value)
      world.run(for: .milliseconds(2))
    }
    let receiver = try world.node("receiver", dialable: false, dialling: ["giver"], log: log)
    log.holdCompactions()
    let there = try receiver.open()
    #expect(world.run { there.version == here.version })
    world.run(for: .milliseconds(10))
    #expect(log.compactionsWaiting == 1)
    return (giver, here, receiver, there)
  }

  @Test func `is durable once it is compacted, and not before`() throws {
    let log = HeldLog()
    let (giver, _, receiver, _) = try receiver(log)
    let flushed = world.begin { try await receiver.engine.flush(Node.library, until: .durable) }
    let replicated = world.begin { try await giver.engine.flush(Node.library, until: .received(1)) }
    world.run(for: .seconds(5))
    #expect(flushed.value == nil)
    #expect(replicated.value == nil)
    log.letThrough()
    #expect(world.run(timeout: .milliseconds(50)) { flushed.value != nil && replicated.value != nil })
  }

  @Test func `is in the log before anything that stands on it`() throws {
    let memory = MemoryLog()
    let log = HeldLog(memory)
    let (_, here, receiver, there) = try receiver(log)
    here.set(1000)
    there.set(2000, for: "author")
    world.run(for: .seconds(1))
    let stored = try world.perform { try await memory.recover(Node.library) }
    #expect(stored.records.isEmpty && stored.snapshot == nil)
    log.letThrough()
    try receiver.flush(.durable)
    receiver.vanish()
    let again = try world.node("again", log: memory)
    #expect(try again.open().version == there.version)
  }

  @Test func `leaves no clean-shutdown marker if a transaction kept it from the log`() throws {
    let memory = MemoryLog()
    let giver = try world.node("giver") { $0.keepStateAlone(byteCountMin: 10) }
    let here = try giver.open()
    for value in 0..<50 as Range<Int64> {
      here.set(value)
      world.run(for: .milliseconds(2))
    }
    let receiver = try world.node("receiver", dialable: false, dialling: ["giver"], log: memory)
    let there = try receiver.open()
    there.beginTransaction()
    #expect(world.run { there.version == here.version })
    here.set(1000)
    world.run(for: .milliseconds(10))
    try receiver.close()
    let stored = try world.node("again", log: memory).open()
    #expect(stored.version.isEmpty)
    #expect(stored.replica != there.replica)
    there.endTransaction(message: nil)
  }

  @Test func `is passed on as state while no log has it`() throws {
    let log = HeldLog()
    let (giver, _, receiver, there) = try receiver(log)
    try world.perform { try await receiver.engine.bind("memory:receiver") }
    giver.vanish()
    let third = try world.node("third", dialable: false, dialling: ["receiver"])
    let last = try third.open()
    #expect(world.run { last.version == there.version })
    #expect(try third.counters.snapshotsMerged == 1)
    log.letThrough()
  }
}
