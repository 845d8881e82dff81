import StarlingCore
import StarlingEngine
import Testing

@Suite struct `A log that fails for a while` {
  let world = World()
  let disk = MemoryLog(isDurable: true)
  let log: HeldLog

  init() { log = HeldLog(disk) }

  @Test func `takes everything that was written since it failed, once it works again`() throws {
    let node = try world.node("node", log: log)
    let handle = try node.open()
    handle.set(1)
    try node.flush(.durable)
    log.fail(HeldLog.isFull)
    for value in 2...100 as ClosedRange<Int64> {
      handle.set(value)
      world.run(for: .milliseconds(2))
    }
    #expect(try node.status.logError != nil)
    log.mend()
    #expect(world.run { isWorking(node) })
    try node.flush(.durable)
    #expect(try node.status.isDurable)
    try expectKept(handle.version, .integer(100))
  }

  @Test func `loses nothing acknowledged when it fails three times under load`() throws {
    let node = try world.node("node", log: log) { $0.isRelay = true }
    let writer = try world.node("writer", dialable: false, dialling: ["node"])
    let (kept, there) = (try node.open(), try writer.open())
    world.run(for: .seconds(1))
    var acknowledged = VersionVector()
    var value: Int64 = 0
    for _ in 1...3 {
      for isFailing in [true, false] {
        if isFailing { log.fail(HeldLog.isFull) } else { log.mend() }
        for _ in 0..<200 {
          value += 1
          there.set(value)
          kept.set(value, for: "own")
          let flushed = world.begin {
            try await writer.engine.flush(Node.library, until: .replicated(1), timeout: .milliseconds(20))
          }
          let version = there.version
          world.run(for: .milliseconds(25))
          if case .success? = flushed.value { acknowledged.merge(version) }
        }
        let version = there.version
        if !isFailing {
          #expect(world.run { acknowledgedDurably(by: node).covers(version) })
          acknowledged.merge(version)
        }
      }
      // As a crash would leave the disk.
      let survivor = try world.node("survivor \(value)", log: MemoryLog(copying: disk))
      #expect(try survivor.open().version.covers(acknowledged))
    }
    #expect(try node.status.logError == nil)
    #expect(acknowledged.entries.allSatisfy { $0.counter > 0 } && !acknowledged.isEmpty)
  }

  @Test func `says once that it fails, and once that it works again`() throws {
    let node = try world.node("node", log: log)
    let handle = try node.open()
    log.fail(HeldLog.isFull)
    handle.set(1)
    world.run(for: .seconds(60))
    #expect(try node.status.isLogRetried)
    #expect(try node.status.unsaved == [Node.library: 1])
    // 0.1 s, 0.2 s, ... 3.2 s, and then every 5 s.
    #expect(10...20 ~= log.appendsFailed, "\(log.appendsFailed)")
    log.mend()
    #expect(world.run { isWorking(node) })
    let events = node.events.value.map { "\($0)" }.filter { $0.hasPrefix("the log") }
    #expect(events.count == 2 && events.last?.hasPrefix("the log works again after 6") == true, "\(events)")
    #expect(try node.counters.logRecoveries == 1 && node.counters.logFailures == log.appendsFailed)
    #expect(try node.status.unsaved.isEmpty)
  }

  @Test func `is waited for by a caller that gave a time limit, and by no other`() throws {
    let node = try world.node("node", log: log)
    let handle = try node.open()
    log.fail(HeldLog.isFull)
    handle.set(1)
    let patient = world.begin { try await node.engine.flush(Node.library, until: .durable, timeout: .seconds(30)) }
    let hasty = world.begin { try await node.engine.flush(Node.library, until: .durable, timeout: .seconds(2)) }
    let unlimited = world.begin { try await node.engine.flush(Node.library, until: .durable) }
    world.run(for: .seconds(3))
    #expect(patient.value == nil)
    let refusal = #expect(throws: LogError.self) { try unlimited.value?.get() }
    #expect(refusal?.message.contains("tried again") == true)
    let late = #expect(throws: FlushError.self) { try hasty.value?.get() }
    #expect(late?.code == .timedOut && late?.message.contains("The disk is full.") == true)
    log.mend()
    #expect(world.run { patient.value != nil })
    #expect(throws: Never.self) { try patient.value?.get() }
  }

  @Test func `keeps little of a writer that does not ask, and stores the state in its place`() throws {
    let node = try world.node("node", log: log) { $0.backlogByteCountMax = 4096 }
    let handle = try node.open()
    log.fail(HeldLog.isFull)
    for value in 1...5000 as ClosedRange<Int64> {
      handle.set(value)
      if value.isMultiple(of: 10) { world.run(for: .milliseconds(10)) }
      #expect(handle.backlogByteCount < 16_384)
    }
    #expect(try node.counters.recordsDropped > 0)
    log.mend()
    #expect(world.run { isWorking(node) })
    try node.flush(.durable)
    try expectKept(handle.version, .integer(5000))
  }

  @Test func `puts peers off once the backlog is full, and takes up what they hold afterwards`() throws {
    let node = try world.node("node", log: log) {
      $0.backlogByteCountMax = 4096
      $0.isRelay = true
    }
    let writer = try world.node("writer", dialable: false, dialling: ["node"])
    let (here, there) = (try node.open(), try writer.open())
    world.run(for: .seconds(1))
    log.fail(HeldLog.isFull)
    for value in 1...2000 as ClosedRange<Int64> {
      there.set(value)
      if value.isMultiple(of: 10) { world.run(for: .milliseconds(10)) }
    }
    #expect(here.backlogByteCount < 16_384)
    log.mend()
    #expect(world.run(timeout: .seconds(30)) { acknowledgedDurably(by: node).covers(there.version) })
    try expectKept(there.version, .integer(2000))
  }

  @Test func `is not tried again where that cannot help`() throws {
    let node = try world.node("node", log: log)
    let handle = try node.open()
    log.fail(LogError(.corrupt, "The file is damaged."))
    handle.set(1)
    world.run(for: .seconds(30))
    log.mend()
    handle.set(2)
    world.run(for: .seconds(30))
    #expect(log.appendsFailed == 1)
    #expect(try node.status.logError?.code == .corrupt && !node.status.isLogRetried)
    #expect(try node.status.unsaved == [Node.library: 2])
  }

  @Test func `is not tried again where that is not wanted`() throws {
    let node = try world.node("node", log: log) { $0.onLogFailure = .stop }
    let handle = try node.open()
    log.fail(HeldLog.isFull)
    handle.set(1)
    world.run(for: .seconds(30))
    log.mend()
    world.run(for: .seconds(30))
    #expect(log.appendsFailed == 1)
    #expect(try !node.status.isLogRetried)
  }

  @Test func `is tried once more when the replica closes`() throws {
    let node = try world.node("node", log: log)
    let handle = try node.open()
    handle.set(1)
    try node.flush(.durable)
    log.fail(HeldLog.isFull)
    handle.set(2)
    world.run(for: .seconds(20))
    log.mend()
    try node.close()
    #expect(try node.status.unsaved.isEmpty)
    try expectKept(handle.version, .integer(2))
  }

  @Test func `is believed again by peers that have heard that it fails`() throws {
    let node = try world.node("node", log: log) { $0.isRelay = true }
    _ = try node.open()
    log.fail(HeldLog.isFull)
    try node.open().set(1)
    world.run(for: .seconds(1))
    let writer = try world.node("writer", dialable: false, dialling: ["node"])
    _ = try writer.open()
    world.run(for: .seconds(1))
    #expect(try writer.status.peers.map(\.isDurable) == [false])
    log.mend()
    #expect(world.run { isWorking(node) })
    world.run(for: .seconds(1))
    #expect(try writer.status.peers.map(\.isDurable) == [true])
  }

  /// The shortest trace of a simulated group in which a flush that waits for another disk returned for a memory.
  @Test func `that keeps nothing is not taken for one that does once it works again`() throws {
    let memory = HeldLog()
    let node = try world.node("node", log: memory)
    let handle = try node.open()
    let writer = try world.node("writer", dialable: false, dialling: ["node"])
    _ = try writer.open()
    world.run(for: .seconds(1))
    memory.fail(HeldLog.isFull)
    handle.set(1)
    world.run(for: .seconds(1))
    memory.mend()
    #expect(world.run { isWorking(node) })
    world.run(for: .seconds(1))
    #expect(try !node.status.isDurable)
    #expect(try writer.status.peers.map(\.isDurable) == [false])
  }

  func isWorking(_ node: Node) -> Bool {
    world.network.executor.run { node.engine.assumeIsolated { !$0.hasLogFailed } }
  }

  func acknowledgedDurably(by node: Node) -> VersionVector {
    world.network.executor.run { node.engine.assumeIsolated { $0.durableVersion(of: Node.library) } }
  }

  /// A process that starts from what the disk holds now reads that.
  func expectKept(_ version: VersionVector, _ value: Value) throws {
    let survivor = try world.node("survivor", log: MemoryLog(copying: disk))
    let handle = try survivor.open()
    #expect(handle.version == version)
    #expect(handle.value() == value)
  }
}
