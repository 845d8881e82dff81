import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `A writer that gives one operation two contents` {
  private static let liar = ReplicaID(rawValue: 99)

  /// A relay that knows the liar's key, and notes the writers that it suspends.
  private func daemon(_ name: String, in world: World, suspended: Box<[String]>) throws -> Node {
    try world.node(name) { configuration in
      configuration.isRelay = true
      configuration.suspend = { user, _ in suspended.change { $0.append(user) } }
      configuration.allowlist = { user, _ in
        suspended.value.contains(user) ? nil : Trust(name: user, role: .writes, documents: [.everything])
      }
    }
  }

  /// One change of the liar's, in answer to a want.
  private func answer(
    to want: Message.Want, _ body: (inout Document, inout Patch) -> Void
  ) -> Message {
    let writer = DocumentHandle(id: Node.library, replica: Self.liar, now: { 1_800_000_000_000 })
    writer.write(body)
    let changes = writer.takeOutbox()
    return .changes(
      Message.Changes(
        document: Node.library, request: want.request, batch: Batch.encode(changes, in: changes.indices)))
  }

  private struct Group {
    let world: World
    let daemons: [Node]
    let documents: [DocumentHandle]
    let suspended: [Box<[String]>]

    var agree: Bool { documents[0].version == documents[1].version && documents[0].digest() == documents[1].digest() }
  }

  /// Two daemons, each told something else by the liar, which then find each other.
  private func group(
    told bodies: [(inout Document, inout Patch) -> Void], before: (Group) -> Void = { _ in }
  ) throws -> Group {
    let world = World()
    let suspended = [Box<[String]>([]), Box<[String]>([])]
    let daemons = try ["left", "right"].enumerated().map {
      try daemon($0.element, in: world, suspended: suspended[$0.offset])
    }
    let group = Group(
      world: world, daemons: daemons, documents: try daemons.map { try $0.open() }, suspended: suspended)
    for (daemon, body) in zip(daemons, bodies) {
      let liar = try Stranger("liar at \(daemon.name)", dialling: daemon.name, as: "mallory", in: world)
      liar.say(Stranger.hello())
      liar.name(Node.library)
      #expect(world.run { !liar.messages.wants.isEmpty })
      liar.say(answer(to: try #require(liar.messages.wants.last), body))
    }
    #expect(group.documents[0].version[Self.liar] > 0 && group.documents[0].version == group.documents[1].version)
    before(group)
    try world.perform { try await daemons[0].engine.connect(to: "memory:right") }
    return group
  }

  private func settlements(_ node: Node) -> [Settlement] {
    node.events.value.compactMap { if case .settled(_, _, let settlement) = $0 { settlement } else { nil } }
  }

  @Test func `is found out, named and cut off, and the document goes on merging with one outcome`() throws {
    let group = try group(told: [
      { $0.set(.integer(1), for: "title", in: .root, patch: &$1) },
      { $0.set(.integer(2), for: "title", in: .root, patch: &$1) },
    ])
    #expect(group.world.run(timeout: .seconds(60)) { group.agree })
    group.world.run(for: .seconds(10))
    #expect(group.agree)
    for (daemon, suspended) in zip(group.daemons, group.suspended) {
      #expect(settlements(daemon).contains { $0.equivocations == [Equivocation(Dot(Self.liar, 1))] })
      #expect(suspended.value == ["mallory"])
      #expect(!daemon.events.value.contains { if case .diverged = $0 { true } else { false } })
      let accesses = daemon.events.value.compactMap { if case .access(let event) = $0 { event } else { nil } }
      #expect(accesses.contains { $0.kind == .equivocated && $0.name == "mallory" && $0.replica == Self.liar })
      #expect(accesses.contains { $0.kind == .revoked })
    }
    group.documents[0].set(7, for: "left")
    group.documents[1].set(8, for: "right")
    #expect(group.world.run(timeout: .seconds(60)) { group.agree && group.documents[0].value(of: "right") != nil })
    #expect(group.documents.allSatisfy { $0.value(of: "left") == .integer(7) && $0.value(of: "right") == .integer(8) })
  }

  @Test func `takes nothing of what others wrote with it`() throws {
    let group = try group(told: [
      { $0.set(.integer(1), for: "title", in: .root, patch: &$1) },
      { $0.set(.integer(2), for: "subtitle", in: .root, patch: &$1) },
    ]) { group in
      group.documents[0].set(3, for: "left")
      group.documents[1].set(4, for: "right")
    }
    #expect(group.world.run(timeout: .seconds(60)) { group.agree })
    #expect(group.documents.allSatisfy { $0.value(of: "left") == .integer(3) && $0.value(of: "right") == .integer(4) })
  }

  @Test func `is named by the changes, and leaves one outcome, where it left no trace in the states`() throws {
    let group = try group(told: [
      { document, patch in
        document.set(.integer(1), for: "title", in: .root, patch: &patch)
        document.remove("title", in: .root, patch: &patch)
      },
      { document, patch in
        document.set(.integer(1), for: "title", in: .root, patch: &patch)
        document.increment("title", in: .root, by: 1, patch: &patch)
      },
    ])
    #expect(group.world.run(timeout: .seconds(60)) { group.agree })
    #expect(group.world.run(timeout: .seconds(10)) { group.suspended.allSatisfy { $0.value == ["mallory"] } })
    for daemon in group.daemons { #expect(settlements(daemon).allSatisfy { $0.equivocations.isEmpty }) }
  }

  private func admits(_ daemon: Node, _ world: World) throws -> Bool {
    let liar = try Stranger("late liar at \(daemon.name)", dialling: daemon.name, as: "mallory", in: world)
    liar.say(Stranger.hello(store: 78))
    liar.name(Node.library)
    return world.run(timeout: .seconds(2)) { !liar.messages.wants.isEmpty }
  }

  @Test
  func `is suspended also by a relay that never saw both contents, and after a restart, until it is let in again`()
    throws
  {
    let group = try group(told: [
      { $0.set(.integer(1), for: "title", in: .root, patch: &$1) },
      { $0.set(.integer(2), for: "title", in: .root, patch: &$1) },
    ])
    #expect(group.world.run(timeout: .seconds(60)) { group.agree })
    let (suspended, kept) = (Box<[String]>([]), Box<[EquivocationReport]>([]))
    func third(_ name: String) throws -> Node {
      try group.world.node(name, dialling: ["left"]) { configuration in
        configuration.isRelay = true
        configuration.equivocations = kept.value
        configuration.noteEquivocation = { report in kept.change { $0.append(report) } }
        configuration.suspend = { user, _ in suspended.change { $0.append(user) } }
        configuration.allowlist = { user, _ in
          suspended.value.contains(user) ? nil : Trust(name: user, role: .writes, documents: [.everything])
        }
      }
    }
    let daemon = try third("third")
    let document = try daemon.open()
    #expect(group.world.run(timeout: .seconds(10)) { suspended.value == ["mallory"] })
    #expect(kept.value == [EquivocationReport(Dot(Self.liar, 1), in: Node.library)])
    #expect(try !admits(daemon, group.world))
    #expect(group.world.run(timeout: .seconds(10)) { document.digest() == group.documents[0].digest() })
    // Its operator lets the name in again: the old operation is no reason to suspend it once more.
    suspended.change { $0 = [] }
    daemon.vanish()
    let restarted = try third("third again")
    _ = try restarted.open()
    group.world.run(for: .seconds(10))
    #expect(suspended.value.isEmpty)
    #expect(try admits(restarted, group.world))
  }

  @Test func `is not suspended on the word of one that is no relay, or claims to be one`() throws {
    let world = World()
    let suspended = Box<[String]>([])
    let daemon = try daemon("daemon", in: world, suspended: suspended)
    _ = try daemon.open()
    let writer = try Stranger("writer", dialling: "daemon", as: "mallory", in: world)
    writer.say(Stranger.hello())
    writer.name(Node.library)
    #expect(world.run { !writer.messages.wants.isEmpty })
    writer.say(
      answer(to: try #require(writer.messages.wants.last)) { $0.set(.integer(1), for: "title", in: .root, patch: &$1) })
    let accuser = try Stranger("accuser", dialling: "daemon", as: "eve", in: world)
    accuser.say(Stranger.hello(store: 5, isRelay: true))
    accuser.say(.equivocations([EquivocationReport(Dot(Self.liar, 1), in: Node.library)]))
    world.run(for: .seconds(3))
    #expect(suspended.value.isEmpty)
  }
}
