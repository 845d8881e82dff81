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
    // Both sides are told who speaks what.
    let words = "node speaks protocol versions 1 to 1, stranger 8 to 9."
    #expect(stranger.messages.refusals.first?.explanation.contains(words) == true)
    #expect(node.refusals.contains { $0.contains(words) })
    // It is no peer: nothing is told to it, and nothing is taken from it.
    stranger.say(.want(Message.Want(document: Node.library, request: 1, version: VersionVector())))
    stranger.say(Stranger.hello(versions: 8...9))
    #expect(stranger.messages.count == 1)
  }

  @Test(arguments: [true, false]) func `of another protocol is refused, and told of once`(isDialled: Bool) throws {
    let node = try world.node("node", dialling: isDialled ? ["stranger"] : [])
    let stranger = try Stranger("stranger", dialling: isDialled ? nil : "node", in: world)
    world.run(for: .milliseconds(200))
    // As a hello, but for its magic.
    var greeting = Stranger.hello().encoded()
    greeting[1] = UInt8(ascii: "Q")
    for _ in 0..<3 { stranger.say(bytes: greeting) }
    #expect(stranger.messages.refusals.map(\.code) == [.malformed, .malformed, .malformed])
    #expect(stranger.messages.refusals.allSatisfy { $0.explanation.contains("does not say 'Star'") })
    #expect(node.refusals.count == 1)
    #expect(node.refusals.first?.contains(isDialled ? "at 'memory:stranger'" : "who dialled here") == true)
    #expect(node.refusals.first?.contains("does not say 'Star'") == true)
    #expect(try node.status.peers.isEmpty)
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
    stranger.say(.want(Message.Want(document: Node.library, request: 1, version: VersionVector())))
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
    world.network.setFaultPlan { passage, _ in
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
    stranger.name(Node.library)
    let wants = stranger.messages.wants.count
    stranger.say(Stranger.hello(epoch: 2, wantsReply: false))
    stranger.name(Node.library)
    #expect(stranger.messages.wants.count == wants + 1)
    #expect(try node.status.peers.count == 1)
    #expect(node.events.value.count { if case .joined = $0 { true } else { false } } == 2)
  }

  @Test func `that is repeated brings back what was lost, once it asks for an answer`() throws {
    let node = try world.node("node")
    _ = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    stranger.name(Node.library)
    let wants = stranger.messages.wants.count
    stranger.say(Stranger.hello(wantsReply: false))
    stranger.name(Node.library)
    #expect(stranger.messages.wants.count == wants)
    stranger.say(Stranger.hello(wantsReply: true))
    stranger.name(Node.library)
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
