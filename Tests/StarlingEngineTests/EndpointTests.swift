import StarlingCore
import StarlingEngine
import Testing

@Suite struct `The endpoints that are dialled` {
  let world = World()

  @Test func `include those that peers say they listen at`() throws {
    let left = try world.node("left")
    let right = try world.node("right", dialling: ["left"])
    world.run(for: .seconds(1))
    // Each is one peer, by two connections; the one that was dialled here is named.
    #expect(try left.status.peers.map(\.isDialled) == [true])
    #expect(try right.status.peers.map(\.isDialled) == [true])
  }

  @Test func `are dropped where a peer said so and is gone for its lifetime`() throws {
    let left = try world.node("left") { $0.learnedEndpointLifetime = .seconds(5) }
    let right = try world.node("right", dialling: ["left"])
    world.run(for: .seconds(1))
    right.vanish()
    world.run(for: .seconds(4))
    // Back in time.
    let again = try world.node("right")
    world.run(for: .seconds(3))
    #expect(try left.status.peers.count(where: \.isDialled) == 1)
    again.vanish()
    world.run(for: .seconds(10))
    _ = try world.node("right")
    world.run(for: .seconds(5))
    #expect(try left.status.peers.isEmpty)
  }

  /// A replica that is only dialled is heard of through them alone.
  @Test func `are tried again where there was no capacity for one at first`() throws {
    let left = try world.node("left")
    left.link.limitDialled(to: 0)
    _ = try world.node("right", dialling: ["left"])
    world.run(for: .seconds(5))
    #expect(try left.status.peers.count(where: \.isDialled) == 0)
    left.link.limitDialled(to: 1)
    world.run(for: .milliseconds(1200))
    #expect(try left.status.peers.count(where: \.isDialled) == 1)
  }

  /// Its goodbye by the connection that was dialled is lost with it, or that never stood.
  @Test func `are dropped soon after the peer that named them said goodbye`() throws {
    let left = try world.node("left") { $0.learnedEndpointLifetime = .seconds(60) }
    let right = try world.node("right", dialling: ["left"]) { $0.advertised = ["memory:nowhere"] }
    world.run(for: .seconds(1))
    #expect(try world.perform { await left.engine.measure().endpointsDialled } == 1)
    try right.close()
    world.run(for: .seconds(3))
    #expect(try world.perform { await left.engine.measure().endpointsDialled } == 0)
  }

  @Test func `are none of those that may not be dialled back`() throws {
    let left = try world.node("left") {
      $0.mayDialBack = { endpoint, user in endpoint != "memory:forbidden" && user == nil }
    }
    _ = try world.node("right", dialling: ["left"]) { $0.advertised = ["memory:forbidden"] }
    _ = try world.node("forbidden")
    world.run(for: .seconds(3))
    #expect(try left.status.peers.compactMap(\.endpoint) == ["memory:right"])
  }

  @Test func `are kept where they were given by hand`() throws {
    let left = try world.node("left", dialling: ["right"]) { $0.learnedEndpointLifetime = .seconds(1) }
    world.run(for: .seconds(60))
    _ = try world.node("right")
    world.run(for: .seconds(1))
    #expect(try left.status.peers.count(where: \.isDialled) == 1)
  }

  @Test func `follow the directory`() throws {
    let directory = Box(["memory:a"])
    let a = try world.node("a")
    let b = try world.node("b")
    let node = try world.node("node", dialable: false) { $0.discover = { directory.value } }
    world.run(for: .milliseconds(100))
    #expect(try node.status.peers.map(\.agent) == ["a"])
    directory.change { $0 = ["memory:a", "memory:b"] }
    world.run(for: .milliseconds(1200))
    #expect(try Set(node.status.peers.map(\.agent)) == ["a", "b"])
    directory.change { $0 = ["memory:b"] }
    world.run(for: .milliseconds(1200))
    #expect(try node.status.peers.map(\.agent) == ["b"])
    #expect(try a.status.peers.isEmpty)
    #expect(try b.status.peers.count == 1)
  }

  @Test func `do not flap between what peers say and what the directory says`() throws {
    let node = try world.node("node") { $0.discover = { [] } }
    _ = try world.node("peer", dialling: ["node"])
    world.run(for: .milliseconds(500))
    #expect(try node.status.peers.count(where: \.isDialled) == 0)
  }
}
