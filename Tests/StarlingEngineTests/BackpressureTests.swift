import StarlingCore
import StarlingEngine
import Testing

@Suite struct `A writer that is faster than the log` {
  let world = World()
  let held = HeldLog()

  func node(_ backpressure: EngineConfiguration.Backpressure) throws -> Node {
    try world.node("node", log: held) {
      $0.backpressure = backpressure
      $0.backlogByteCountMax = 10_000
    }
  }

  /// Writes until there is no capacity, while the log accepts nothing.
  func fill(_ handle: DocumentHandle) {
    held.holdAppends()
    for value in 0..<2000 as Range<Int64> {
      handle.set(value)
      // What is not coded yet counts as more than it comes to.
      if !handle.hasCapacity { world.run(for: .milliseconds(1)) }
      if !handle.hasCapacity { return }
    }
  }

  @Test func `has capacity before, also for a write that is larger than the capacity`() throws {
    let handle = try node(.wait).open()
    #expect(handle.hasCapacity)
    handle.write { document, patch in
      document.set(.bytes([UInt8](repeating: 1, count: 50_000)), for: "title", in: .root, patch: &patch)
    }
    #expect(!handle.hasCapacity)
    #expect(world.run { handle.hasCapacity })
    #expect(handle.backlogByteCount == 0)
  }

  @Test(arguments: [.wait, .dropPresence] as [EngineConfiguration.Backpressure])
  func `waits until there is capacity`(backpressure: EngineConfiguration.Backpressure) throws {
    let node = try node(backpressure)
    let handle = try node.open()
    fill(handle)
    let capacity = world.begin { try await node.engine.waitForCapacity(in: Node.library) }
    world.run(for: .seconds(10))
    #expect(capacity.value == nil)
    held.letThrough()
    #expect(world.run { capacity.value != nil })
    #expect(throws: Never.self) { try capacity.value?.get() }
    #expect(handle.hasCapacity)
  }

  @Test func `is told that there is none`() throws {
    let node = try node(.fail)
    let handle = try node.open()
    try world.perform { try await node.engine.waitForCapacity(in: Node.library) }
    fill(handle)
    let error = #expect(throws: FlushError.self) {
      try world.perform { try await node.engine.waitForCapacity(in: Node.library) }
    }
    #expect(error?.code == .full)
    held.letThrough()
    world.run(for: .milliseconds(10))
    try world.perform { try await node.engine.waitForCapacity(in: Node.library) }
  }

  @Test func `may write all the same, and loses nothing of it`() throws {
    let node = try node(.fail)
    let handle = try node.open()
    let other = try world.node("other", dialable: false, dialling: ["node"])
    let there = try other.open()
    world.run(for: .seconds(1))
    fill(handle)
    handle.set(5000)
    held.letThrough()
    #expect(world.run { there.version == handle.version && there.value() == .integer(5000) })
    try node.flush(.durable)
  }

  @Test func `waits no longer than it said, nor than its task lives`() throws {
    let node = try node(.wait)
    fill(try node.open())
    let error = #expect(throws: FlushError.self) {
      try world.perform { try await node.engine.waitForCapacity(in: Node.library, timeout: .seconds(1)) }
    }
    #expect(error?.code == .timedOut)
    let (task, wasCancelled) = world.beginCancellable { try await node.engine.waitForCapacity(in: Node.library) }
    world.run(for: .seconds(1))
    task.cancel()
    world.run(for: .milliseconds(1))
    #expect(wasCancelled.value == true)
    held.letThrough()
  }

  @Test func `may go on in memory where the log fails`() throws {
    let node = try node(.wait)
    let handle = try node.open()
    fill(handle)
    let capacity = world.begin { try await node.engine.waitForCapacity(in: Node.library) }
    world.run(for: .seconds(1))
    held.fail()
    #expect(world.run { capacity.value != nil })
    #expect(throws: Never.self) { try capacity.value?.get() }
    #expect(handle.backlogByteCount == 0)
  }

  @Test(arguments: [(.dropPresence, false), (.wait, true)] as [(EngineConfiguration.Backpressure, Bool)])
  func `keeps presence to itself, if that is the choice, until there is capacity`(
    backpressure: EngineConfiguration.Backpressure, isHeard: Bool
  ) throws {
    let node = try node(backpressure)
    let handle = try node.open()
    let other = try world.node("other", dialable: false, dialling: ["node"])
    let there = try other.open()
    world.run(for: .seconds(1))
    fill(handle)
    handle.setPresence(.integer(3), at: "cursor", lifetime: .seconds(60))
    world.run(for: .seconds(1))
    #expect(there.othersPresence(at: "cursor").isEmpty == !isHeard)
    held.letThrough()
    #expect(world.run { there.othersPresence(at: "cursor").count == 1 })
  }
}

@Suite struct `A relay whose disk is slow` {
  @Test func `holds no more than it may of what others write, and asks for the rest later`() throws {
    let world = World()
    let held = HeldLog()
    let relay = try world.node("relay", log: held) {
      $0.isRelay = true
      $0.backlogByteCountMax = 20_000
    }
    let kept = try relay.open()
    let writer = try world.node("writer", dialable: false, dialling: ["relay"])
    let here = try writer.open()
    world.run(for: .seconds(1))
    held.holdAppends()
    for value in 0..<2000 as Range<Int64> {
      here.set(value)
      world.run(for: .milliseconds(2))
      #expect(kept.backlogByteCount < 25_000)
    }
    #expect(try relay.counters.framesPutOff > 0)
    held.letThrough()
    #expect(world.run(timeout: .seconds(30)) { kept.version == here.version })
    #expect(kept.digest() == here.digest())
  }
}
