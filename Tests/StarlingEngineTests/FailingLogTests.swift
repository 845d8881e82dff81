import StarlingCore
import StarlingEngine
import Testing

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
    world.network.setFaultPlan { _, _ in [.seconds(1)] }
    let replicated = world.begin { try await node.engine.flush(Node.library, until: .received(1)) }
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
