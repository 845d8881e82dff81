import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `Two holders of one replica id` {
  let world = World()

  /// A node whose log says that it may go on as `replica`.
  func node(_ name: String, as replica: ReplicaID, dialling peers: [String] = []) throws -> Node {
    let log = MemoryLog()
    try world.perform {
      _ = try await log.open()
      try await log.close(continuing: replica)
    }
    return try world.node(name, dialling: peers, log: log)
  }

  @Test func `part as soon as one hears of what the other wrote`() throws {
    let id = ReplicaID(rawValue: 42)
    let left = try node("left", as: id)
    let right = try node("right", as: id, dialling: ["left"])
    let here = try left.open()
    let there = try right.open()
    world.run(for: .seconds(1))
    #expect(here.replica == id && there.replica == id)
    here.set(1)
    world.run(for: .milliseconds(10))
    #expect(there.replica != id)
    #expect(right.events.value.contains { if case .renamed = $0 { true } else { false } })
    there.set(2)
    world.run(for: .milliseconds(10))
    here.set(3)
    world.run(for: .seconds(3))
    #expect(here.version == there.version)
    #expect(here.digest() == there.digest())
  }

  @Test func `part when one hears how far the other is, before any change comes`() throws {
    let node = try node("node", as: ReplicaID(rawValue: 42))
    let handle = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    let version = Version([Version.Entry(replica: handle.replica, counter: 3)])
    stranger.say(.have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)))
    #expect(handle.replica.rawValue != 42)
  }

  @Test func `part after the transaction that is open`() throws {
    let node = try node("node", as: ReplicaID(rawValue: 42))
    let handle = try node.open()
    handle.beginTransaction()
    handle.set(1)
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    let version = Version([Version.Entry(replica: handle.replica, counter: 3)])
    stranger.say(.have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)))
    #expect(handle.replica.rawValue == 42)
    handle.set(2, for: "other")
    handle.endTransaction(message: nil)
    #expect(handle.replica.rawValue != 42)
    handle.set(3)
    #expect(handle.version[handle.replica] == 1)
  }

  @Test func `leave a ticket for the new name`() throws {
    let log = MemoryLog()
    try world.perform {
      _ = try await log.open()
      try await log.close(continuing: ReplicaID(rawValue: 42))
    }
    let node = try world.node("node", log: log)
    let handle = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    let version = Version([Version.Entry(replica: handle.replica, counter: 3)])
    stranger.say(.have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)))
    let id = handle.replica
    try node.close()
    #expect(try world.node("again", log: log).open().replica == id)
  }
}
