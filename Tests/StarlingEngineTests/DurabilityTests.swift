import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `A flush` {
  let world = World()
  let held = HeldLog()

  @Test func `until sent returns with the frames handed over`() throws {
    let node = try world.node("node", log: held)
    held.holdAppends()
    try node.open().set(1)
    try node.flush(.sent)
    #expect(try node.counters.framesPublished == 1)
  }

  @Test func `until durable returns once the log has it, and not before`() throws {
    let node = try world.node("node", log: held)
    let handle = try node.open()
    held.holdAppends()
    handle.set(1)
    let flushed = world.begin { try await node.engine.flush(Node.library, until: .durable) }
    world.run(for: .seconds(10))
    #expect(flushed.value == nil)
    held.letThrough()
    world.run(for: .milliseconds(1))
    #expect(throws: Never.self) { try flushed.value?.get() }
    #expect(flushed.value != nil)
  }

  @Test func `until durable covers what others wrote too`() throws {
    let node = try world.node("node", log: held)
    let other = try world.node("other", dialable: false, dialling: ["node"])
    _ = try node.open()
    let there = try other.open()
    world.run(for: .seconds(1))
    held.holdAppends()
    there.set(1)
    world.run(for: .seconds(1))
    let flushed = world.begin { try await node.engine.flush(Node.library, until: .durable) }
    world.run(for: .seconds(1))
    #expect(flushed.value == nil)
    held.letThrough()
    #expect(world.run { flushed.value != nil })
  }

  @Test func `until replicated waits for as many stores as it names`() throws {
    let node = try world.node("node")
    let handle = try node.open()
    let log = HeldLog()
    let first = try world.node("first", dialable: false, dialling: ["node"])
    let second = try world.node("second", dialable: false, dialling: ["node"], log: log)
    _ = try first.open()
    _ = try second.open()
    world.run(for: .seconds(1))
    log.holdAppends()
    handle.set(1)
    try node.flush(.replicated(1))
    let flushed = world.begin { try await node.engine.flush(Node.library, until: .replicated(2)) }
    world.run(for: .seconds(5))
    #expect(flushed.value == nil)
    log.letThrough()
    #expect(world.run(atMost: .milliseconds(50)) { flushed.value != nil })
  }

  @Test func `until replicated hears of what was held before its writer came back`() throws {
    let log = MemoryLog()
    let node = try world.node("node", log: log)
    let other = try world.node("other", dialable: false, dialling: ["node"])
    _ = try other.open()
    try node.open().set(1)
    try node.flush(.replicated(1))
    try node.close()
    let again = try world.node("node", log: log)
    _ = try again.open()
    try again.flush(.replicated(1))
  }

  @Test func `until replicated survives the loss of acknowledgements`() throws {
    let node = try world.node("node")
    let other = try world.node("other", dialable: false, dialling: ["node"])
    let handle = try node.open()
    _ = try other.open()
    world.run(for: .seconds(1))
    handle.set(1)
    world.run(for: .milliseconds(1))
    let back = world.network.now + .milliseconds(500)
    world.network.setWeather { passage, now in
      passage.from == "other" && now < back ? [] : [.milliseconds(1)]
    }
    try node.flush(.replicated(1))
  }

  @Test func `ends when its task is cancelled`() throws {
    let node = try world.node("node", log: held)
    held.holdAppends()
    try node.open().set(1)
    let outcome = Box<Bool?>(nil)
    let task = Task(executorPreference: world.network.executor) {
      do {
        try await node.engine.flush(Node.library, until: .durable)
        outcome.change { $0 = false }
      } catch {
        outcome.change { $0 = error is CancellationError }
      }
    }
    world.run(for: .seconds(1))
    task.cancel()
    world.run(for: .milliseconds(1))
    #expect(outcome.value == true)
    held.letThrough()
  }

  @Test func `ends at once when its task was cancelled before`() throws {
    let node = try world.node("node", log: held)
    held.holdAppends()
    try node.open().set(1)
    let outcome = Box<Bool?>(nil)
    let task = Task(executorPreference: world.network.executor) {
      do {
        try await node.engine.flush(Node.library, until: .durable)
        outcome.change { $0 = false }
      } catch {
        outcome.change { $0 = error is CancellationError }
      }
    }
    task.cancel()
    world.run(for: .milliseconds(1))
    #expect(outcome.value == true)
    held.letThrough()
  }

  @Test func `ends when the engine closes`() throws {
    let node = try world.node("node")
    try node.open().set(1)
    let flushed = world.begin { try await node.engine.flush(Node.library, until: .replicated(5)) }
    world.run(for: .seconds(1))
    try node.close()
    world.run(for: .milliseconds(1))
    #expect(throws: CancellationError.self) { try flushed.value?.get() }
  }

  @Test func `of a document that is not open is refused`() throws {
    let node = try world.node("node")
    #expect(throws: LogError.self) { try node.flush(.sent) }
  }
}

@Suite struct `A replica whose log fails` {
  let world = World()
  let log = HeldLog()

  @Test func `goes on in memory, says so, and promises nothing more`() throws {
    let node = try world.node("node", log: log)
    let other = try world.node("other", dialable: false, dialling: ["node"])
    let handle = try node.open()
    let there = try other.open()
    world.run(for: .seconds(1))
    log.fail()
    handle.set(1)
    #expect(throws: LogError.self) { try node.flush(.durable) }
    #expect(try node.status.logError?.code == .unwritable)
    #expect(try !node.status.isDurable)
    #expect(node.events.value.contains { if case .logFailed = $0 { true } else { false } })
    // It still reads, writes, sends and answers.
    #expect(world.run { there.value() == .integer(1) })
    there.set(2)
    #expect(world.run { handle.value() == .integer(2) })
    let late = try world.node("late", dialable: false, dialling: ["node"])
    let later = try late.open()
    #expect(world.run { later.version == handle.version })
  }

  @Test func `fails those who wait for the disk, and no others`() throws {
    let node = try world.node("node", log: log)
    let other = try world.node("other", dialable: false, dialling: ["node"])
    let handle = try node.open()
    _ = try other.open()
    world.run(for: .seconds(1))
    log.holdAppends()
    handle.set(1)
    let durable = world.begin { try await node.engine.flush(Node.library, until: .durable) }
    world.network.setWeather { _, _ in [.seconds(1)] }
    let replicated = world.begin { try await node.engine.flush(Node.library, until: .replicated(1)) }
    world.run(for: .milliseconds(10))
    log.fail()
    world.run(for: .milliseconds(10))
    #expect(throws: LogError.self) { try durable.value?.get() }
    #expect(replicated.value == nil)
    #expect(world.run { replicated.value != nil })
    #expect(throws: Never.self) { try replicated.value?.get() }
  }

  @Test func `acknowledges nothing`() throws {
    let node = try world.node("node", log: log)
    _ = try node.open()
    log.fail()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    world.run(for: .seconds(1))
    let other = try world.node("other", dialable: false, dialling: ["node"])
    try other.open().set(1)
    world.run(for: .seconds(5))
    #expect(try node.status.logError != nil)
    #expect(stranger.messages.acknowledgements.isEmpty)
  }

  @Test func `keeps nothing for a disk that is gone`() throws {
    let node = try world.node("node", log: log)
    let handle = try node.open()
    log.fail()
    for value in 0..<100 as Range<Int64> {
      handle.set(value)
      world.run(for: .milliseconds(2))
    }
    let (pending, unlogged) = world.network.executor.run {
      node.engine.assumeIsolated { ($0.pendingRecordCount, $0.unloggedRecordCount(of: Node.library)) }
    }
    #expect(pending == 0 && unlogged == 0)
  }

  @Test func `leaves no ticket for the id that it wrote under`() throws {
    let memory = MemoryLog()
    let log = HeldLog(memory)
    let node = try world.node("node", log: log)
    let handle = try node.open()
    log.fail()
    handle.set(1)
    world.run(for: .milliseconds(10))
    try node.close()
    let again = try world.node("again", log: memory)
    #expect(try again.open().replica != handle.replica)
  }
}

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

  @Test func `gives one ticket for one start`() throws {
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
    let node = try world.node("node", log: log) { $0.history = .stateOnly(byteCountMin: 4096) }
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
    // One group beyond the bound is the most that can wait for its fold.
    #expect(byteCountMax < 4 * 4096, "\(byteCountMax) bytes")
    try node.close()
    let again = try world.node("again", log: log)
    #expect(try again.open().value() == .integer(99_999))
  }
}

@Suite struct `A state that came from a peer` {
  let world = World()

  /// A node that has received its document as state, which its log has not folded yet.
  func receiver(_ log: HeldLog) throws -> (giver: Node, here: DocumentHandle, receiver: Node, there: DocumentHandle) {
    let giver = try world.node("giver") { $0.history = .stateOnly(byteCountMin: 10) }
    let here = try giver.open()
    for value in 0..<50 as Range<Int64> {
      here.set(value)
      world.run(for: .milliseconds(2))
    }
    let receiver = try world.node("receiver", dialable: false, dialling: ["giver"], log: log)
    log.holdFolds()
    let there = try receiver.open()
    #expect(world.run { there.version == here.version })
    world.run(for: .milliseconds(10))
    #expect(log.foldsWaiting == 1)
    return (giver, here, receiver, there)
  }

  @Test func `is durable once it is folded, and not before`() throws {
    let log = HeldLog()
    let (giver, _, receiver, _) = try receiver(log)
    let flushed = world.begin { try await receiver.engine.flush(Node.library, until: .durable) }
    let replicated = world.begin { try await giver.engine.flush(Node.library, until: .replicated(1)) }
    world.run(for: .seconds(5))
    #expect(flushed.value == nil)
    #expect(replicated.value == nil)
    log.letThrough()
    #expect(world.run(atMost: .milliseconds(50)) { flushed.value != nil && replicated.value != nil })
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
