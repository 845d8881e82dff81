import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `A greeting` {
  let world = World()

  @Test func `is answered, and makes a peer`() throws {
    let node = try world.node("node")
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    #expect(stranger.messages.hellos.map(\.agent) == ["node"])
    #expect(stranger.messages.hellos.map(\.wantsReply) == [false])
    let peers = try node.status.peers
    #expect(peers.map(\.agent) == ["stranger"])
    #expect(peers.map(\.isDialled) == [false])
  }

  @Test func `tells where the replica can be dialled, if it can`() throws {
    _ = try world.node("node")
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    #expect(stranger.messages.hellos.map(\.endpoints) == [["memory:node"]])
    let other = try Stranger("other", dialling: nil, in: world)
    _ = try world.node("client", dialable: false, dialling: ["other"])
    world.run(for: .milliseconds(100))
    #expect(other.messages.hellos.first?.endpoints == [])
  }

  @Test func `of a version that nobody here speaks is refused by name`() throws {
    let node = try world.node("node")
    _ = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello(versions: 8...9))
    #expect(stranger.messages.refusals.map(\.code) == [.incompatibleVersion])
    #expect(try node.status.peers.isEmpty)
    #expect(node.events.value.contains { if case .refused = $0 { true } else { false } })
    // It is no peer: nothing is told to it, and nothing is taken from it.
    stranger.say(.want(Message.Want(document: Node.library, request: 1, version: Version())))
    #expect(stranger.messages.resumes.isEmpty)
  }

  @Test func `that was refused is not repeated`() throws {
    let stranger = try Stranger("stranger", dialling: nil, in: world)
    let node = try world.node("node", dialable: false, dialling: ["stranger"])
    world.run(for: .milliseconds(100))
    stranger.say(.refuse(Message.Refusal(code: .incompatibleVersion, explanation: "Too old.")))
    let heard = stranger.messages.hellos.count
    world.run(for: .seconds(10))
    #expect(stranger.messages.hellos.count == heard)
    #expect(node.events.value.contains { if case .refused(nil, "Too old.") = $0 { true } else { false } })
  }

  @Test func `that was not answered is repeated`() throws {
    let stranger = try Stranger("stranger", dialling: nil, in: world)
    let node = try world.node("node", dialable: false, dialling: ["stranger"])
    world.run(for: .milliseconds(3500))
    #expect((3...5).contains(stranger.messages.hellos.count))
    stranger.say(Stranger.hello(endpoints: ["memory:stranger"], wantsReply: false))
    world.run(for: .milliseconds(100))
    let heard = stranger.messages.hellos.count
    world.run(for: .seconds(5))
    #expect(stranger.messages.hellos.count == heard)
    #expect(try node.status.peers.count == 1)
  }

  @Test func `is asked of whoever speaks without one`() throws {
    _ = try world.node("node")
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(.want(Message.Want(document: Node.library, request: 1, version: Version())))
    #expect(stranger.messages.hellos.map(\.wantsReply) == [true])
    #expect(stranger.messages.count == 1)
  }

  @Test func `is not asked of whoever only refuses, leaves, or says what we do not know`() throws {
    _ = try world.node("node")
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(.refuse(Message.Refusal(code: .unknown, explanation: "")))
    stranger.say(.goodbye)
    stranger.say(.unknown(kind: 1000))
    #expect(stranger.messages.isEmpty)
  }

  @Test func `from ourselves ends the connection for good`() throws {
    let node = try world.node("node")
    // A name of its own that the engine does not know.
    _ = try node.link.bind("memory:alias")
    let frames = Box(0)
    world.network.setWeather { passage, _ in
      if passage.byteCount > 0 { frames.change { $0 += 1 } }
      return [.milliseconds(1)]
    }
    try world.perform { try await node.engine.connect(to: "memory:alias") }
    world.run(for: .seconds(3))
    #expect((2...4).contains(frames.value))
    #expect(try node.status.peers.isEmpty)
    // Found again, by a directory say, it is not dialled.
    let before = frames.value
    try world.perform { try await node.engine.connect(to: "memory:alias") }
    world.run(for: .seconds(3))
    #expect(frames.value == before)
  }

  @Test func `of a new run of the same store takes the place of the old`() throws {
    let node = try world.node("node")
    _ = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello(epoch: 1))
    let wants = stranger.messages.wants.count
    stranger.say(Stranger.hello(epoch: 2, wantsReply: false))
    #expect(stranger.messages.wants.count == wants + 1)
    #expect(try node.status.peers.count == 1)
    #expect(node.events.value.count { if case .joined = $0 { true } else { false } } == 2)
  }

  @Test func `that is repeated brings back what was lost, once it asks for an answer`() throws {
    let node = try world.node("node")
    _ = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    let wants = stranger.messages.wants.count
    stranger.say(Stranger.hello(wantsReply: false))
    #expect(stranger.messages.wants.count == wants)
    stranger.say(Stranger.hello(wantsReply: true))
    #expect(stranger.messages.wants.count == wants + 1)
    #expect(node.events.value.count { if case .joined = $0 { true } else { false } } == 1)
  }

  @Test func `ends with a goodbye`() throws {
    let node = try world.node("node")
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    stranger.say(.goodbye)
    #expect(try node.status.peers.isEmpty)
    #expect(node.events.value.contains { if case .left = $0 { true } else { false } })
    stranger.say(Stranger.hello(epoch: 2))
    try node.close()
    world.run(for: .milliseconds(10))
    #expect(stranger.messages.goodbyes == 1)
  }
}

@Suite struct `What a stranger sends` {
  let world = World()

  func met() throws -> (Node, DocumentHandle, Stranger) {
    let node = try world.node("node")
    let handle = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    return (node, handle, stranger)
  }

  @Test func `and nobody can read is counted, refused, and survived`() throws {
    let (node, handle, stranger) = try met()
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
    var chance = Chance(state: seed)
    for _ in 0..<300 {
      let count = Int.random(in: 0..<60, using: &chance)
      // A first byte that is no kind of message.
      stranger.say(bytes: [0] + (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) })
    }
    #expect(try node.counters.malformed > 0, "seed \(seed)")
    #expect(stranger.messages.refusals.allSatisfy { $0.code == .malformed }, "seed \(seed)")
    handle.set(1)
    #expect(throws: Never.self) { try node.flush(.durable) }
  }

  @Test func `in place of each byte of each message is survived`() throws {
    let (node, handle, stranger) = try met()
    handle.set(1)
    world.run(for: .milliseconds(10))
    let version = handle.version
    let messages: [Message] = [
      .have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)),
      .want(Message.Want(document: Node.library, request: 3, version: version)),
      .changes(Message.Changes(document: Node.library, request: 1, batch: [1, 0])),
      .resume(
        Message.Resume(
          document: Node.library, request: 1, version: version, position: StreamPosition(stream: 1, sequence: 0),
          tables: LiveEncoder().tables())),
      .acknowledge(Node.library, version),
    ]
    for message in messages {
      let bytes = message.encoded()
      for place in bytes.indices {
        for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
          var damaged = bytes
          damaged[place] = value
          stranger.say(bytes: damaged)
        }
        stranger.say(bytes: Array(bytes[..<place]))
      }
    }
    #expect(handle.value() == .integer(1))
    handle.read { $0.checkInvariants() }
    #expect(throws: Never.self) { try node.flush(.durable) }
  }

  @Test func `and is larger than any message is refused before it is looked at`() throws {
    let (node, _, stranger) = try met()
    var bytes = Message.want(Message.Want(document: Node.library, request: 1, version: Version())).encoded()
    bytes += [UInt8](repeating: 0, count: WireLimits.standard.frameByteCountMax)
    stranger.say(bytes: bytes)
    #expect(try node.counters.malformed == 1)
    #expect(stranger.messages.refusals.map(\.code) == [.malformed])
  }

  @Test func `as a frame that cannot be read is counted`() throws {
    let stranger = try Stranger("stranger", dialling: nil, in: world)
    let node = try world.node("node", dialable: false, dialling: ["stranger"])
    _ = try node.open()
    world.run(for: .milliseconds(100))
    stranger.publish(PublishedFrame.topic(of: Node.library) + [1])
    #expect(try node.counters.malformed == 1)
    #expect(try node.counters.framesReceived == 1)
  }

  @Test func `as a change that contradicts itself is refused, and what came before it stays`() throws {
    let (node, handle, stranger) = try met()
    let request = try #require(stranger.messages.wants.last?.request)
    var author = Document()
    var patch = Patch()
    func write(_ value: Int64) -> Change {
      author.begin(as: ReplicaID(rawValue: 5), now: 1)
      author.set(.integer(value), for: "title", in: .root, patch: &patch)
      return author.commit()!
    }
    let good = write(1)
    var bad = write(2)
    // It says that it replaces what it cannot have seen.
    bad.operations[0].action = .set(.integer(2), replacing: [Dot(ReplicaID(rawValue: 6), 9)], clearing: nil)
    stranger.say(
      .changes(Message.Changes(document: Node.library, request: request, batch: Batch.encode([good, bad]))))
    #expect(stranger.messages.refusals.map(\.code) == [.malformed])
    #expect(handle.value() == .integer(1))
    #expect(try node.counters.malformed == 1)
  }

  @Test func `with a stamp of the far future merges, and is reported`() throws {
    let (node, handle, stranger) = try met()
    let request = try #require(stranger.messages.wants.last?.request)
    var author = Document()
    var patch = Patch()
    author.begin(as: ReplicaID(rawValue: 5), now: 1_900_000_000_000)
    author.set(.integer(1), for: "title", in: .root, patch: &patch)
    let change = author.commit()!
    stranger.say(.changes(Message.Changes(document: Node.library, request: request, batch: Batch.encode([change]))))
    #expect(handle.value() == .integer(1))
    #expect(node.events.value.contains { if case .farFutureStamp = $0 { true } else { false } })
    // And drags our own clock no further than the bound.
    handle.set(2, for: "other")
    #expect(handle.read { $0.entries("other", in: .root)[0].stamp.milliseconds } < 1_800_000_100_000)
  }

  @Test func `as equal version and another state ends the merging with it`() throws {
    let (node, handle, stranger) = try met()
    handle.set(1)
    world.run(for: .seconds(3))
    let wrong = Digest(high: 1, low: 2)
    stranger.say(.have(Message.Have(document: Node.library, version: handle.version, position: nil, digest: wrong)))
    #expect(stranger.messages.refusals.map(\.code) == [.digestMismatch])
    #expect(node.events.value.contains { if case .diverged = $0 { true } else { false } })
    stranger.say(.want(Message.Want(document: Node.library, request: 1, version: Version())))
    #expect(stranger.messages.resumes.isEmpty)
    // Said once.
    stranger.say(.have(Message.Have(document: Node.library, version: handle.version, position: nil, digest: wrong)))
    #expect(stranger.messages.refusals.count == 1)
  }
}

@Suite struct `The endpoints that are dialled` {
  let world = World()

  @Test func `include those that peers say they listen at`() throws {
    let left = try world.node("left")
    let right = try world.node("right", dialling: ["left"])
    world.run(for: .seconds(1))
    #expect(try left.status.peers.count == 2)
    #expect(try left.status.peers.count(where: \.isDialled) == 1)
    #expect(try right.status.peers.count == 2)
  }

  @Test func `are let go where a peer said so and is gone for its lifetime`() throws {
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

/// Chance that a failure can name.
struct Chance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
