import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingWire
import Testing

@Suite struct `A key that has gone hostile` {
  private let world = World()

  /// A daemon with a durable log; ada and bob write, eve reads, and dan relays.
  private func daemon(_ configure: (inout EngineConfiguration) -> Void = { _ in }) throws -> Node {
    try world.node("daemon", log: MemoryLog(isDurable: true)) { configuration in
      configuration.isRelay = true
      configuration.allowlist = { user, _ in
        Trust(
          name: user, role: user == "eve" ? .reads : user == "dan" ? .relays : .writes, documents: [.everything])
      }
      configure(&configuration)
    }
  }

  private func key(_ user: String, store: UInt64 = 77) throws -> Stranger {
    let stranger = try Stranger("\(user)-\(store)", dialling: "daemon", as: user, in: world)
    stranger.say(Stranger.hello(store: store, epoch: store))
    return stranger
  }

  private func document(_ number: Int) -> DocumentID { DocumentID("document-\(number)")! }

  private func overBudget(_ node: Node) -> [String] {
    node.events.value.compactMap { event in
      if case .access(let access) = event, access.kind == .overBudget { "\(access)" } else { nil }
    }
  }

  /// Under a fresh replica id each, and without the others.
  private func batch(_ replicas: Range<UInt64>) -> [UInt8] {
    Batch.encode(
      replicas.map { replica in
        Change(
          replica: ReplicaID(rawValue: replica), firstCounter: 1, stamp: Stamp(rawValue: 1), frontier: [], objects: [],
          operations: [
            Operation(
              object: .root, key: .integer(Int64(replica)), action: .set(.integer(1), replacing: [], clearing: nil))
          ])
      })
  }

  /// Changes that stand on one that nobody has, of so many bytes each.
  private func waiting(_ counters: Range<UInt64>, under replica: UInt64, byteCount: Int) -> [UInt8] {
    Batch.encode(
      counters.map { counter in
        let value = Value.bytes([UInt8](repeating: 1, count: byteCount))
        return Change(
          replica: ReplicaID(rawValue: replica), firstCounter: counter, stamp: Stamp(rawValue: 1), frontier: [],
          objects: [],
          operations: [
            Operation(object: .root, key: "waiting", action: .set(value, replacing: [], clearing: nil))
          ])
      })
  }

  private func answer(_ stranger: Stranger, _ batch: [UInt8]) throws {
    stranger.name(Node.library)
    let want = try #require(stranger.messages.wants.last { $0.document == Node.library })
    stranger.say(.changes(Message.Changes(document: Node.library, request: want.request, batch: batch)))
  }

  /// Ends its answer, so that the next is asked.
  private func finish(_ stranger: Stranger) throws {
    let want = try #require(stranger.messages.wants.last { $0.document == Node.library })
    stranger.say(
      .resume(
        Message.Resume(
          document: Node.library, request: want.request, version: VersionVector(),
          position: StreamPosition(stream: 1, sequence: 0), tables: LiveEncoder().tables())))
  }

  /// So many ids that nobody has heard of.
  private func claim(_ count: UInt64) -> VersionVector {
    VersionVector((1...count).map { VersionVector.Entry(replica: ReplicaID(rawValue: $0), counter: 1) })
  }

  // MARK: Documents

  @Test func `opens no more documents by asking for leases than it may at all`() throws {
    let daemon = try world.node("daemon", log: MemoryLog(isDurable: true)) { configuration in
      configuration.isRelay = true
      configuration.documentCountMax = 10
    }
    let stranger = try Stranger("stranger", dialling: "daemon", in: world)
    stranger.say(Stranger.hello())
    for number in 0..<40 {
      stranger.say(.lease(Message.Lease(document: document(number), request: .ask)))
    }
    #expect(try daemon.status.documents.count == 10)
    #expect(try daemon.counters.documentsRefused == 30)
  }

  @Test func `has its share of documents opened, and the others theirs`() throws {
    let daemon = try daemon { $0.budgets.documentsPerKey = 5 }
    let ada = try key("ada")
    for number in 0..<20 {
      let have = Message.Have(document: document(number), version: VersionVector(), position: nil, digest: nil)
      ada.say(number.isMultiple(of: 2) ? .have(have) : .lease(Message.Lease(document: document(number), request: .ask)))
    }
    #expect(try daemon.status.documents.count == 5)
    #expect(try daemon.counters.budgetRefusals["documents"] == 15)
    let what = "it passed a budget with 'document-5': the budget of documents opened for a key is 5"
    #expect(overBudget(daemon) == ["ada (key ada): \(what)"])
    #expect(ada.messages.refusals.map(\.code) == [.tooLarge])
    #expect(ada.messages.refusals.first?.explanation.contains("The key of ada passed a budget") == true)
    // Another connection of hers has no more.
    let again = try key("ada", store: 78)
    again.say(.have(Message.Have(document: document(100), version: VersionVector(), position: nil, digest: nil)))
    #expect(try daemon.status.documents.count == 5)
    let bob = try key("bob", store: 79)
    bob.say(.want(Message.Want(document: document(200), request: 1, version: VersionVector())))
    #expect(try daemon.status.documents.contains(document(200)))
    #expect(bob.messages.resumes.count == 1)
  }

  // MARK: Replica ids

  @Test func `begins to write under so many ids a day`() throws {
    let daemon = try daemon { $0.budgets.replicaIDsPerKeyAndDay = 10 }
    let kept = try daemon.open()
    let (ada, bob) = (try key("ada"), try key("bob", store: 78))
    try answer(ada, batch(1..<9))
    #expect(kept.version.entries.count == 8)
    try answer(ada, batch(9..<12))
    #expect(kept.version.entries.count == 8)
    #expect(try daemon.counters.budgetRefusals["replicaIDs"] == 1)
    #expect(overBudget(daemon).count == 1)
    #expect(overBudget(daemon).first?.contains("is 10 a day") == true)
    // What it writes under those that it has is taken, and so is what others write.
    try answer(ada, batch(1..<3))
    try finish(ada)
    try answer(bob, batch(20..<30))
    #expect(kept.version.entries.count == 18)
  }

  @Test func `has its ids bound to it in one batch, before the log accepts what it wrote`() throws {
    let log = HeldLog()
    let kept = Box<[[WriterBinding]]>([])
    let daemon = try world.node("daemon", log: log) { configuration in
      configuration.isRelay = true
      configuration.allowlist = { user, _ in Trust(name: user, role: .writes, documents: [.everything]) }
      configuration.noteWriters = { writers in kept.change { $0.append(writers) } }
    }
    _ = try daemon.open()
    log.holdAppends()
    try answer(try key("ada"), batch(1..<501))
    #expect(world.run { log.appendsWaiting == 1 })
    #expect(kept.value.map(\.count) == [500])
    #expect(Set(kept.value[0].map(\.name)) == ["ada"])
    log.letThrough()
  }

  // MARK: Changes that wait

  @Test func `has so many bytes wait, and leaves the others their capacity`() throws {
    let daemon = try daemon { $0.budgets.heldBytesPerKey = 50_000 }
    let kept = try daemon.open()
    let (ada, bob) = (try key("ada"), try key("bob", store: 78))
    try answer(ada, waiting(2..<102, under: 5, byteCount: 10_000))
    let measured = try world.perform { [engine = daemon.engine] in await engine.measure() }
    #expect(measured.documents.map(\.changesHeld) == [4])
    #expect(try daemon.counters.budgetRefusals["heldBytes"] == 1)
    #expect(overBudget(daemon).first?.contains("bytes of changes that wait for others is 50000") == true)
    try finish(ada)
    try answer(bob, waiting(2..<4, under: 6, byteCount: 10_000))
    let later = try world.perform { [engine = daemon.engine] in await engine.measure() }
    #expect(later.documents.map(\.changesHeld) == [6])
    #expect(kept.version.isEmpty)
  }

  // MARK: Versions

  @Test func `claims to hold what nobody knows, and is heeded in part`() throws {
    let daemon = try daemon { $0.budgets.versionStrangerCountMax = 100 }
    let kept = try daemon.open()
    kept.set(1)
    let ada = try key("ada")
    ada.say(.have(Message.Have(document: Node.library, version: claim(1000), position: nil, digest: nil)))
    ada.say(.acknowledge(Node.library, claim(1000), behind: nil))
    #expect(try daemon.counters.budgetRefusals["versionEntries"] == 2)
    #expect(overBudget(daemon).count == 1)
    let progress = try world.perform { [engine = daemon.engine] in await engine.progress(of: Node.library) }
    #expect(progress?.knownOperationCount == 101)
  }

  @Test func `claims more than could be checked soon, and is told so before it is read`() throws {
    let daemon = try daemon { $0.budgets.versionStrangerCountMax = 100 }
    _ = try daemon.open()
    let ada = try key("ada")
    ada.say(.have(Message.Have(document: Node.library, version: claim(1601), position: nil, digest: nil)))
    #expect(try daemon.counters.budgetRefusals["versionEntries"] == 1)
    #expect(try daemon.counters.malformed == 0)
    #expect(overBudget(daemon).count == 1)
    #expect(ada.messages.refusals.last?.explanation.contains("unknown here is 100") == true)
    #expect(!ada.messages.wants.contains { $0.request > 1 })
  }

  // MARK: Greetings

  @Test func `greets as so many runs on one connection, and is told of no document after that`() throws {
    let daemon = try daemon()
    _ = try daemon.open()
    let ada = try key("ada")
    for run in 100..<140 as Range<UInt64> { ada.say(Stranger.hello(store: run, epoch: run)) }
    #expect(ada.messages.hellos.count == TrustTable.runCountMax)
    #expect(ada.messages.refusals.map(\.code) == [.notWelcome])
    #expect(ada.messages.refusals.first?.explanation.contains("more than 16 runs greeted") == true)
    // On a connection of its own each is welcome, also another of the same key.
    #expect(try key("ada", store: 141).messages.hellos.count == 1)
  }

  @Test func `has as many entries stored as all members may have together`() throws {
    let daemon = try daemon()
    _ = try daemon.open()
    for store in 100..<120 as Range<UInt64> {
      let dan = try key("dan", store: store)
      dan.say(
        .hello(
          Message.Hello(
            lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: store), epoch: 2, agent: "dan",
            endpoints: [], isDurable: true, relays: false, wantsReply: true)))
      let base = store << 32
      dan.say(
        .acknowledge(
          Node.library,
          VersionVector((1...4096).map { VersionVector.Entry(replica: ReplicaID(rawValue: base + $0), counter: 1) }),
          behind: nil))
    }
    world.run(for: .seconds(2))
    let stored = try world.perform { [log = daemon.log] in try await log.recover(Node.library).members }
    #expect(stored.count == 20)
    #expect(stored.reduce(0) { $0 + $1.acknowledged.entries.count } == 16 * 4096)
    #expect(try daemon.counters.budgetRefusals["versionEntries"] == 4)
  }

  // MARK: The log, leases, presence

  @Test func `has the log keep so many bytes a day`() throws {
    let daemon = try daemon { $0.budgets.loggedBytesPerKeyAndDay = 100 }
    let kept = try daemon.open()
    let ada = try key("ada")
    try answer(ada, batch(1..<101))
    #expect(kept.version.entries.count == 100)
    try answer(ada, batch(101..<102))
    #expect(kept.version.entries.count == 100)
    #expect(try daemon.counters.budgetRefusals["loggedBytes"] == 1)
    kept.set(7)
    #expect(throws: Never.self) { try daemon.flush(.durable) }
    world.run(for: .seconds(86_401))
    try answer(ada, batch(101..<102))
    #expect(kept.version.entries.count == 102)
  }

  @Test func `is leased so many ids`() throws {
    let daemon = try daemon { $0.budgets.leasesPerKey = 3 }
    for store in 1...5 as ClosedRange<UInt64> {
      try key("ada", store: store).say(.lease(Message.Lease(document: Node.library, request: .ask)))
    }
    world.run(for: .seconds(1))
    let leases = try world.perform { [engine = daemon.engine] in await engine.leases(of: Node.library) }
    #expect(leases.count == 3)
    #expect(try daemon.counters.budgetRefusals["leases"] == 2)
    try key("bob", store: 9).say(.lease(Message.Lease(document: Node.library, request: .ask)))
    world.run(for: .seconds(1))
    let later = try world.perform { [engine = daemon.engine] in await engine.leases(of: Node.library) }
    #expect(later.count == 4)
  }

  @Test func `says of itself no more than its budget, and the others what they like`() throws {
    let daemon = try daemon { $0.budgets.presenceBytesPerKey = 1000 }
    let kept = try daemon.open()
    func say(_ stranger: Stranger, _ origin: UInt64) {
      for number in 1...20 as ClosedRange<UInt64> {
        let notice = PresenceNotice(
          origin: origin, number: number, lifetimeMilliseconds: 60_000, key: "key-\(number)", value: .integer(1))
        let payload = PresencePayload.payloads(of: Node.library, [notice])[0].encoded()
        stranger.say(
          .live(PublishedFrame(topic: 0, stream: PresencePayload.stream, sequence: 0, payload: payload[...]).encoded()))
      }
    }
    say(try key("eve"), 77)
    #expect((1...20).count { !kept.othersPresence(at: "key-\($0)").isEmpty } < 8)
    #expect(try daemon.counters.budgetRefusals["presenceBytes"] > 10)
    let bob = try key("bob", store: 78)
    let notice = PresenceNotice(origin: 78, number: 1, lifetimeMilliseconds: 60_000, key: "bob", value: .integer(1))
    let payload = PresencePayload.payloads(of: Node.library, [notice])[0].encoded()
    bob.say(
      .live(PublishedFrame(topic: 0, stream: PresencePayload.stream, sequence: 0, payload: payload[...]).encoded()))
    #expect(kept.othersPresence(at: "bob").count == 1)
  }
}
