import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `A writer that gives one operation two contents` {
  private static let liar = ReplicaID(rawValue: 99)

  /// A relay that knows the liar's key, and notes whom it suspends.
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
    #expect(group.world.run(atMost: .seconds(60)) { group.agree })
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
    #expect(group.world.run(atMost: .seconds(60)) { group.agree && group.documents[0].value(of: "right") != nil })
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
    #expect(group.world.run(atMost: .seconds(60)) { group.agree })
    #expect(group.documents.allSatisfy { $0.value(of: "left") == .integer(3) && $0.value(of: "right") == .integer(4) })
  }

  @Test func `leaves one outcome also where it left no trace`() throws {
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
    #expect(group.world.run(atMost: .seconds(60)) { group.agree })
  }
}
