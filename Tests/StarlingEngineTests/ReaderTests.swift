import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingWire
import Testing

@Suite struct `A peer that may only read` {
  private let world = World()

  /// A daemon that lets "bob" read and "ada" write.
  private func daemon(_ log: any ChangeLog = MemoryLog(isDurable: true)) throws -> Node {
    try world.node("daemon", log: log) { configuration in
      configuration.isRelay = true
      configuration.allowlist = { key, _ in
        Trust(name: key, role: key == "bob" ? .reads : key == "dan" ? .relays : .writes, documents: [.everything])
      }
    }
  }

  private func stranger(as key: String = "bob", store: UInt64 = 77, epoch: UInt64 = 1, isDurable: Bool = true) throws
    -> Stranger
  {
    let stranger = try Stranger("stranger-\(key)", dialling: "daemon", as: key, in: world)
    stranger.say(
      .hello(
        Message.Hello(
          lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: store), epoch: epoch, agent: key, endpoints: [],
          isDurable: isDurable, relays: false, wantsReply: true)))
    return stranger
  }

  private func have(_ version: VersionVector, _ digest: Digest? = nil, in document: DocumentID = Node.library)
    -> Message
  {
    .have(Message.Have(document: document, version: version, position: nil, digest: digest))
  }

  @Test func `opens no documents`() throws {
    let daemon = try daemon()
    let bob = try stranger()
    let notes = DocumentID("notes")!
    bob.say(have(VersionVector(), in: notes))
    bob.say(.want(Message.Want(document: notes, request: 1, version: VersionVector())))
    bob.say(.lease(Message.Lease(document: notes, request: .ask)))
    world.run(for: .seconds(1))
    #expect(try daemon.status.documents == [])
    #expect(try daemon.counters.documentsRefused == 2)
    // It hears of a document once somebody has begun it.
    let read = try world.node("bob", dialable: false, dialling: ["daemon"], as: "bob").open(notes)
    let written = try world.node("ada", dialable: false, dialling: ["daemon"], as: "ada").open(notes)
    written.set(1)
    #expect(world.run { read.value() == .integer(1) })
  }

  @Test func `acknowledges for nobody, and holds nothing up`() throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    let bob = try stranger()
    bob.say(.want(Message.Want(document: Node.library, request: 1, version: VersionVector())))
    kept.set(1)
    try daemon.flush(.durable)
    bob.say(.acknowledge(Node.library, kept.version))
    for goal in [FlushGoal.replicated(1), .received(1)] {
      #expect(throws: FlushError.self) {
        try world.perform { [engine = daemon.engine] in
          try await engine.flush(Node.library, until: goal, timeout: .seconds(1))
        }
      }
    }
    // It never acknowledges this, and yet everybody has it.
    kept.set(2)
    try daemon.flush(.durable)
    #expect(try daemon.stable == kept.version)
  }

  @Test func `raises no alert of a divergence`() throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    kept.set(1)
    world.run(for: .seconds(5))
    let bob = try stranger()
    bob.say(have(kept.version, Digest(high: 1, low: 1)))
    world.run(for: .seconds(1))
    #expect(try daemon.counters.divergences == 0)
    let ada = try stranger(as: "ada", store: 78)
    ada.say(have(kept.version, Digest(high: 1, low: 1)))
    world.run(for: Disagreements.patience)
    ada.say(have(kept.version, Digest(high: 1, low: 1)))
    #expect(try daemon.counters.divergences == 1)
  }

  @Test func `renames nobody`() throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    let id = kept.replica
    let bob = try stranger()
    bob.say(have(VersionVector([VersionVector.Entry(replica: id, counter: 9)])))
    #expect(kept.replica == id)
    #expect(try daemon.counters.renames == 0)
  }

  @Test func `says nothing of others in presence`() throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    func say(_ origin: UInt64, _ value: Int64, _ stranger: Stranger) {
      let notice = PresenceNotice(
        origin: origin, number: 1, lifetimeMilliseconds: 60_000, key: "field", value: .integer(value))
      let payload = PresencePayload(document: Node.library, notices: [notice]).encoded()
      let frame = PublishedFrame(
        topic: PublishedFrame.topicNumber(of: Node.library), stream: PresencePayload.stream, sequence: 0,
        payload: payload[...])
      stranger.say(.live(frame.encoded()))
    }
    func said() -> [Value] { kept.othersPresence(at: "field").map(\.value).sorted { "\($0)" < "\($1)" } }
    let bob = try stranger(epoch: 5)
    say(6, 1, bob)
    #expect(said() == [])
    say(5, 2, bob)
    #expect(said() == [.integer(2)])
    // A second run that says it is the first one's is not heard either.
    let ada = try stranger(as: "ada", store: 78, epoch: 5)
    say(5, 3, ada)
    #expect(said() == [.integer(2)])
    // A relay passes on what others say.
    let dan = try stranger(as: "dan", store: 79, epoch: 7)
    say(8, 4, dan)
    #expect(said() == [.integer(2), .integer(4)])
  }
}

@Suite struct `A flush until others have it` {
  @Test(arguments: [true, false])
  func `tells those who keep it on a disk from those who do not`(isDurable: Bool) throws {
    let world = World()
    let here = try world.node("here")
    _ = try world.node("there", dialling: ["here"], log: MemoryLog(isDurable: isDurable)).open()
    let written = try here.open()
    written.set(1)
    try here.flush(.received(1))
    let outcome = world.begin {
      try await here.engine.flush(Node.library, until: .replicated(1), timeout: .seconds(2))
    }
    world.run(for: .seconds(3))
    #expect((outcome.value.flatMap { try? $0.get() } != nil) == isDurable)
  }
}
