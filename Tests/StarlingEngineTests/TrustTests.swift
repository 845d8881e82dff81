import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingWire
import Testing

/// An allowlist that a test changes while the engine runs.
private typealias Allowlist = Box<[String: Trust]>

extension Allowlist {
  fileprivate func allow(_ name: String, _ role: Trust.Role, _ documents: [DocumentPattern] = [.everything]) {
    change { $0[name] = Trust(name: name, role: role, documents: documents) }
  }
}

@Suite struct `A peer whose entry in the allowlist changes` {
  private let world = World()
  private let allowed = Allowlist([:])

  private func daemon(_ name: String = "daemon", dialling: [String] = []) throws -> Node {
    try world.node(name, dialling: dialling) { [allowed] configuration in
      configuration.isRelay = true
      configuration.allowlist = { key, _ in allowed.value[key] }
    }
  }

  private func kinds(_ node: Node) -> [AccessEvent.Kind] {
    node.events.value.compactMap { if case .access(let event) = $0 { event.kind } else { nil } }
  }

  @Test func `writes no more within a second once it may only read`() throws {
    allowed.allow("ada", .writes)
    let daemon = try daemon()
    let kept = try daemon.open()
    let ada = try world.node("ada", dialable: false, dialling: ["daemon"], as: "ada").open()
    ada.set(1)
    #expect(world.run { kept.value() == .integer(1) })
    allowed.allow("ada", .reads)
    world.run(for: .seconds(1))
    ada.set(2)
    kept.set(3, for: "other")
    #expect(world.run { ada.value(of: "other") == .integer(3) })
    world.run(for: .seconds(5))
    #expect(kept.value() == .integer(1))
    #expect(kinds(daemon).contains(.changed))
    // And goes on as soon as it may again.
    allowed.allow("ada", .writes)
    #expect(world.run { kept.value() == .integer(2) })
  }

  @Test func `hears no more within a second of a document that it lost`() throws {
    allowed.allow("ada", .writes)
    let daemon = try daemon()
    let kept = try daemon.open()
    let ada = try world.node("ada", dialable: false, dialling: ["daemon"], as: "ada").open()
    kept.set(1)
    #expect(world.run { ada.value() == .integer(1) })
    allowed.allow("ada", .writes, [DocumentPattern("notes")!])
    world.run(for: .seconds(1))
    kept.set(2)
    ada.set(3, for: "mine")
    world.run(for: .seconds(5))
    #expect(kept.value(of: "mine") == nil)
    #expect(ada.value() == .integer(1))
  }

  @Test func `is cut off within a second of its revocation, though it was dialled`() throws {
    allowed.allow("server", .relays)
    let server = try world.node("server", as: "server") { $0.isRelay = true }
    let there = try server.open()
    let daemon = try daemon(dialling: ["server"])
    let kept = try daemon.open()
    there.set(1)
    #expect(world.run { kept.value() == .integer(1) })
    allowed.change { $0 = [:] }
    world.run(for: .seconds(1))
    #expect(try daemon.status.peers.isEmpty)
    there.set(2)
    world.run(for: .seconds(5))
    #expect(kept.value() == .integer(1))
    #expect(kinds(daemon).contains(.revoked))
    allowed.allow("server", .relays)
    #expect(world.run { kept.value() == .integer(2) })
  }

  @Test func `is not trusted after a restart though it is dialled by hand`() throws {
    let server = try world.node("server", as: "server") { $0.isRelay = true }
    let there = try server.open()
    there.set(1)
    let daemon = try daemon(dialling: ["server"])
    let kept = try daemon.open()
    kept.set(2, for: "mine")
    world.run(for: .seconds(5))
    #expect(kept.value() == nil && there.value(of: "mine") == nil)
    // Told once, and not with every attempt.
    #expect(kinds(daemon) == [.untrusted])
  }

  @Test func `that we dialled passes on what others wrote only if it relays`() throws {
    allowed.allow("server", .writes)
    let server = try world.node("server", as: "server") { $0.isRelay = true }
    let there = try server.open()
    let daemon = try daemon(dialling: ["server"])
    let kept = try daemon.open()
    there.set(1)
    #expect(world.run { kept.value() == .integer(1) })
    let other = try world.node("other", dialable: false, dialling: ["server"]).open()
    other.set(2, for: "theirs")
    world.run(for: .seconds(2))
    // It may say that the other's id is its own, as nobody wrote under that before; it may not send a state.
    allowed.allow("server", .reads)
    world.run(for: .seconds(1))
    there.set(3)
    world.run(for: .seconds(5))
    #expect(kept.value() == .integer(1))
  }
}

@Suite struct `A peer that the link knows nothing of` {
  @Test(arguments: [true, false])
  func `may do nothing, whoever dialled`(isDialled: Bool) throws {
    let world = World()
    let daemon = try world.node("daemon", dialling: isDialled ? ["stranger"] : []) { $0.isRelay = true }
    let kept = try daemon.open()
    kept.set(1)
    let stranger = try Stranger("stranger", dialling: isDialled ? nil : "daemon", identity: .unknown, in: world)
    world.run(for: .seconds(2))
    stranger.say(Stranger.hello())
    stranger.say(.want(Message.Want(document: Node.library, request: 1, version: VersionVector())))
    stranger.say(bytes: [1, 2, 3])
    world.run(for: .seconds(2))
    #expect(stranger.messages.hellos.isEmpty)
    #expect(stranger.messages.changes.isEmpty && stranger.messages.parts.isEmpty && stranger.messages.live.isEmpty)
    #expect(try daemon.status.peers.isEmpty)
    // What it sends is not even decoded.
    #expect(try daemon.counters.malformed == 0)
    #expect(stranger.messages.refusals.map(\.explanation) == (isDialled ? [] : ["This key may do nothing here."]))
  }
}
