import StarlingCore
import StarlingEngine
import Testing

@Suite struct `A flush` {
  let world = World()
  let held = HeldLog()

  @Test func `until sent returns with the frames handed over`() throws {
    let (node, _) = (try world.node("node", log: held), try world.node("other", dialable: false, dialling: ["node"]))
    let handle = try node.open()
    world.run(for: .seconds(1))
    held.holdAppends()
    handle.set(1)
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

  @Test func `until durable waits for nothing that was written after it`() throws {
    let writer = WriterBetween()
    let node = try world.node("node", log: held) { $0.tracer = writer }
    let handle = try node.open()
    held.holdAppends()
    handle.set(1)
    let flushed = world.begin { try await node.engine.flush(Node.library, until: .durable) }
    writer.writeTwice(to: handle)
    world.run(for: .seconds(1))
    #expect(flushed.value == nil)
    #expect(handle.version.entries.map(\.counter) == [3])
    // The next group is held again.
    held.letThrough()
    held.holdAppends()
    world.run(for: .seconds(1))
    #expect(throws: Never.self) { try flushed.value?.get() }
    #expect(flushed.value != nil)
    #expect(held.appendsWaiting == 1)
  }

  /// Writes as another thread may: right after what was written before was taken.
  private final class WriterBetween: EngineTracer {
    private let handle = Box<DocumentHandle?>(nil)
    private let left = Box(0)

    func writeTwice(to handle: DocumentHandle) {
      self.handle.change { $0 = handle }
      left.change { $0 = 2 }
    }

    func origin() -> (any Sendable)? { nil }

    func publishing(_ work: TracedWork, origins: [any Sendable], _ body: () -> Void) {
      body()
      guard left.value > 0 else { return }
      left.change { $0 -= 1 }
      handle.value?.set(Int64(10 + left.value))
    }

    func merging(_ work: TracedWork, _ body: () -> Void) { body() }
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
    try node.flush(.received(1))
    let flushed = world.begin { try await node.engine.flush(Node.library, until: .received(2)) }
    world.run(for: .seconds(5))
    #expect(flushed.value == nil)
    log.letThrough()
    #expect(world.run(timeout: .milliseconds(50)) { flushed.value != nil })
  }

  @Test func `until replicated hears of what was held before its writer came back`() throws {
    let log = MemoryLog()
    let node = try world.node("node", log: log)
    let other = try world.node("other", dialable: false, dialling: ["node"])
    _ = try other.open()
    try node.open().set(1)
    try node.flush(.received(1))
    try node.close()
    let again = try world.node("node", log: log)
    _ = try again.open()
    try again.flush(.received(1))
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
    world.network.setFaultPlan { passage, now in
      passage.from == "other" && now < back ? [] : [.milliseconds(1)]
    }
    try node.flush(.received(1))
  }

  @Test func `ends when its task is cancelled`() throws {
    let node = try world.node("node", log: held)
    held.holdAppends()
    try node.open().set(1)
    let (task, wasCancelled) = world.beginCancellable {
      try await node.engine.flush(Node.library, until: .durable)
    }
    world.run(for: .seconds(1))
    task.cancel()
    world.run(for: .milliseconds(1))
    #expect(wasCancelled.value == true)
    held.letThrough()
  }

  @Test func `ends at once when its task was cancelled before`() throws {
    let node = try world.node("node", log: held)
    held.holdAppends()
    try node.open().set(1)
    let (task, wasCancelled) = world.beginCancellable {
      try await node.engine.flush(Node.library, until: .durable)
    }
    task.cancel()
    world.run(for: .milliseconds(1))
    #expect(wasCancelled.value == true)
    held.letThrough()
  }

  @Test func `ends when the engine closes`() throws {
    let node = try world.node("node")
    try node.open().set(1)
    let flushed = world.begin { try await node.engine.flush(Node.library, until: .received(5)) }
    world.run(for: .seconds(1))
    try node.close()
    world.run(for: .milliseconds(1))
    let error = #expect(throws: FlushError.self) { try flushed.value?.get() }
    #expect(error?.code == .closed)
  }

  @Test func `ends when its time is over, and says how far it got`() throws {
    let node = try world.node("node")
    let handle = try node.open()
    let other = try world.node("other", dialable: false, dialling: ["node"])
    _ = try other.open()
    world.run(for: .seconds(1))
    handle.set(1)
    let begin = world.network.now
    let error = #expect(throws: FlushError.self) {
      try world.perform { try await node.engine.flush(Node.library, until: .received(2), timeout: .seconds(3)) }
    }
    #expect(error?.code == .timedOut)
    #expect(error?.message.contains("1 of 2 stores") == true)
    #expect((Duration.seconds(3)...(.seconds(3) + .milliseconds(60))).contains(world.network.now - begin))
    #expect(waiting(at: node) == 0)
  }

  @Test func `in time is not ended by its limit`() throws {
    let node = try world.node("node")
    try node.open().set(1)
    try world.perform { try await node.engine.flush(Node.library, until: .durable, timeout: .seconds(3)) }
    world.run(for: .seconds(5))
    #expect(waiting(at: node) == 0)
  }

  @Test(arguments: [.durable, .received(1)] as [FlushGoal])
  func `that was cancelled leaves nothing behind`(goal: FlushGoal) throws {
    let node = try world.node("node", log: held)
    held.holdAppends()
    try node.open().set(1)
    let task = Task(executorPreference: world.network.executor) {
      try await node.engine.flush(Node.library, until: goal, timeout: .seconds(60))
    }
    world.run(for: .seconds(1))
    #expect(waiting(at: node) == 1)
    task.cancel()
    world.run(for: .milliseconds(1))
    #expect(waiting(at: node) == 0)
    held.letThrough()
  }

  @Test func `that is cancelled while the engine closes ends at once`() throws {
    let node = try world.node("node", log: held)
    held.holdAppends()
    try node.open().set(1)
    let (task, wasCancelled) = world.beginCancellable {
      try await node.engine.flush(Node.library, until: .durable)
    }
    world.run(for: .seconds(1))
    let closed = world.begin { try await node.engine.close() }
    world.run(for: .milliseconds(1))
    task.cancel()
    world.run(for: .milliseconds(1))
    #expect(wasCancelled.value == true)
    #expect(closed.value == nil)
    held.letThrough()
    #expect(world.run { closed.value != nil })
  }

  @Test func `until durable is told when the log fails, and until replicated goes on`() throws {
    let node = try world.node("node", log: held)
    let handle = try node.open()
    let other = try world.node("other", dialable: false, dialling: ["node"])
    world.run(for: .seconds(1))
    held.holdAppends()
    handle.set(1)
    let durable = world.begin { try await node.engine.flush(Node.library, until: .durable) }
    let replicated = world.begin { try await node.engine.flush(Node.library, until: .received(1)) }
    world.run(for: .seconds(1))
    held.fail()
    world.run(for: .milliseconds(10))
    #expect(throws: LogError.self) { try durable.value?.get() }
    #expect(replicated.value == nil)
    _ = try other.open()
    #expect(world.run { replicated.value != nil })
    #expect(throws: Never.self) { try replicated.value?.get() }
  }

  private func waiting(at node: Node) -> Int {
    world.network.executor.run { node.engine.assumeIsolated { $0.waiterCount } }
  }

  @Test func `of a document that is not open is refused`() throws {
    let node = try world.node("node")
    #expect(throws: LogError.self) { try node.flush(.sent) }
  }
}
