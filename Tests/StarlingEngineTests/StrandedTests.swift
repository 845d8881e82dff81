import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingTestSupport
import StarlingWire
import Testing

/// A program hears a change of Ada's from a daemon, which says nothing of what it holds for as long as it is not asked:
/// it may be busy, or its heartbeats lost.
@Suite struct `Changes that a daemon passed on` {
  private let world = World()
  private let ada = ReplicaID(rawValue: 5)

  /// How often what is stranded was told of after a minute and a half, and how often the daemon was asked in between.
  ///
  /// - Parameters:
  ///   - identity: as what the daemon is known.
  ///   - holds: whether the daemon has the change when it is asked.
  private func toldCount(_ identity: PeerIdentity, holds: Bool) throws -> (told: Int, asked: Int) {
    let daemon = try Stranger("daemon", dialling: nil, identity: identity, in: world)
    let program = try world.node("bob", dialable: false, dialling: ["daemon"], as: "bob") { configuration in
      configuration.allowlist = { key, _ in Trust(name: key, role: .relays, documents: [.everything]) }
    }
    _ = try program.open()
    world.run(for: .seconds(1))
    daemon.say(Stranger.hello(isRelay: true))
    daemon.name(Node.library)
    world.run(for: .seconds(1))
    let change = Change(
      replica: ada, firstCounter: 1, stamp: Stamp(rawValue: 1), frontier: [], objects: [],
      operations: [Operation(object: .root, key: "title", action: .set(.integer(1), replacing: [], clearing: nil))])
    let first = try #require(daemon.messages.wants.last?.request)
    daemon.say(
      .changes(Message.Changes(document: Node.library, request: first, batch: Batch.encode([change]))))
    answer(first, holding: VersionVector(), from: daemon)
    var (answered, asked) = (first, 0)
    for _ in 0..<90 {
      world.run(for: .seconds(1))
      guard let want = daemon.messages.wants.last?.request, want != answered else { continue }
      answered = want
      asked += 1
      answer(want, holding: VersionVector(holds ? [VersionVector.Entry(replica: ada, counter: 1)] : []), from: daemon)
    }
    #expect(try program.open().version[ada] == 1)
    let told = program.events.value.count { if case .stranded = $0 { true } else { false } }
    return (told, asked)
  }

  private func answer(_ request: UInt32, holding version: VersionVector, from daemon: Stranger) {
    daemon.say(
      .resume(
        Message.Resume(
          document: Node.library, request: request, version: version,
          position: StreamPosition(stream: 1, sequence: 0), tables: LiveEncoder().tables())))
  }

  @Test func `are not stranded if the daemon holds them, as it says where it is asked`() throws {
    let (told, asked) = try toldCount(.key("daemon"), holds: true)
    #expect(told == 0)
    #expect(asked == 1)
  }

  @Test func `are told of once if the daemon has lost them`() throws {
    let (told, asked) = try toldCount(.key("daemon"), holds: false)
    #expect(told == 1)
    #expect(asked == 1)
  }

  @Test func `are brought to a daemon without keys, which takes them from anybody`() throws {
    let (told, asked) = try toldCount(.sameUser, holds: false)
    #expect(told == 0)
    #expect(asked == 0)
  }
}
