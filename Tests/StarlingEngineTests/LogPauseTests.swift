import StarlingCore
import StarlingEngine
import Testing

@Suite struct `Writes that follow each other closely` {
  private let world = World()
  private let log = HeldLog()

  private var appendCount: Int { log.stored.count { $0 == "records" } }

  @Test func `are logged together, the first at once, and the last within the pause`() throws {
    let node = try world.node("node", log: log)
    let handle = try node.open()
    handle.set(1)
    world.run(for: .milliseconds(1))
    #expect(appendCount == 1)
    for value in 2...4 {
      handle.set(Int64(value))
      world.run(for: .milliseconds(1))
    }
    #expect(appendCount == 1)
    world.run(for: .milliseconds(6))
    #expect(appendCount == 2)
    let durable = world.network.executor.run { node.engine.assumeIsolated { $0.durableVersion(of: Node.library) } }
    #expect(durable == handle.version)
  }

  @Test func `are logged at once where somebody waits`() throws {
    let node = try world.node("node", log: log)
    let handle = try node.open()
    for value in 1...3 {
      handle.set(Int64(value))
      let flushed = world.begin { try await node.engine.flush(Node.library, until: .durable) }
      world.run(for: .milliseconds(1))
      #expect(flushed.value != nil)
    }
    #expect(appendCount == 3)
  }

  @Test func `are logged when the replica closes`() throws {
    let node = try world.node("node", log: log)
    let handle = try node.open()
    for value in 1...3 {
      handle.set(Int64(value))
      world.run(for: .milliseconds(1))
    }
    try world.perform(timeout: .milliseconds(1)) { try await node.engine.close(linger: .zero) }
    #expect(appendCount == 2)
  }
}
