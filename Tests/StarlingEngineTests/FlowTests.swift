import StarlingTestSupport
import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingWire
import Testing

/// Bytes that a state keeps every one of.
private func incompressible(_ count: Int, _ seed: Int64) -> [UInt8] {
  var chance = Dice(seed: UInt64(seed))
  return (0..<count / 8).map { _ in chance.next() }.withUnsafeBytes { Array($0) }
}

@Suite struct `A peer that asks and takes nothing` {
  let world = World()
  static let partByteCount = 1 << 20

  /// Twelve megabytes.
  func fill(_ handle: DocumentHandle) {
    for number in 0..<24 as Range<Int64> {
      handle.write { document, patch in
        document.set(.bytes(incompressible(500_000, number)), for: .integer(number), in: .root, patch: &patch)
      }
    }
  }

  func want(_ request: UInt32, _ document: DocumentID = Node.library) -> Message {
    .want(Message.Want(document: document, request: request, version: VersionVector()))
  }

  func met(_ history: EngineConfiguration.History = .everything) throws -> (Node, DocumentHandle, Stranger) {
    let node = try world.node("node") { $0.history = history }
    let handle = try node.open()
    fill(handle)
    try node.flush(.durable)
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    return (node, handle, stranger)
  }

  @Test(arguments: [.everything, .stateOnly(byteCountMin: 100)] as [EngineConfiguration.History])
  func `is sent a window and one part`(history: EngineConfiguration.History) throws {
    let (_, _, stranger) = try met(history)
    stranger.say(want(1))
    world.run(for: .seconds(5))
    let sent = stranger.messages.answeredByteCount
    #expect(sent >= AnswerFlow.windowByteCount)
    #expect(sent < AnswerFlow.windowByteCount + Self.partByteCount)
    #expect(stranger.messages.resumes.isEmpty)
  }

  @Test(arguments: [.everything, .stateOnly(byteCountMin: 100)] as [EngineConfiguration.History])
  func `is sent the rest as it takes it`(history: EngineConfiguration.History) throws {
    let (_, handle, stranger) = try met(history)
    stranger.say(want(1))
    for _ in 0..<40 where stranger.messages.resumes.isEmpty {
      let taken = UInt64(stranger.messages.answeredWeight)
      stranger.say(.credit(Message.Credit(document: Node.library, request: 1, byteCount: taken)))
      world.run(for: .milliseconds(10))
    }
    #expect(stranger.messages.resumes.map(\.version) == [handle.version])
    #expect(stranger.messages.answeredByteCount >= 24 * 500_000)
  }

  @Test func `is sent no more for asking of many documents`() throws {
    let (node, _, stranger) = try met()
    let other = DocumentID("other")!
    fill(try node.open(other))
    try node.flush(.durable, other)
    stranger.say(want(1))
    stranger.say(want(2, other))
    world.run(for: .seconds(5))
    #expect(stranger.messages.answeredByteCount < AnswerFlow.windowByteCount + 2 * Self.partByteCount)
  }

  @Test func `is sent no more messages than queues hold, however short`() throws {
    let node = try world.node("node")
    let handle = try node.open()
    let other = try world.node("other", dialable: false, dialling: ["node"])
    let there = try other.open()
    // Records of one writer in a row would be joined.
    for value in 0..<2000 as Range<Int64> {
      (value.isMultiple(of: 2) ? handle : there).set(value)
      #expect(world.run { there.version == handle.version && there.version.operationCount > UInt64(value) })
    }
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    stranger.say(want(1))
    world.run(for: .seconds(5))
    #expect((400...512).contains(stranger.messages.changes.count))
  }

  @Test func `is given up, and answered when it asks again`() throws {
    let (node, _, stranger) = try met()
    stranger.say(want(1))
    world.run(for: AnswerFlow.patience + .seconds(2))
    #expect(try node.counters.answersGivenUp == 1)
    let before = stranger.messages.answeredByteCount
    // Too late.
    stranger.say(
      .credit(Message.Credit(document: Node.library, request: 1, byteCount: UInt64(stranger.messages.answeredWeight))))
    world.run(for: .seconds(1))
    #expect(stranger.messages.answeredByteCount == before)
    stranger.say(want(2))
    world.run(for: .seconds(1))
    #expect(stranger.messages.answeredByteCount >= before + AnswerFlow.windowByteCount)
  }

  @Test func `makes nobody else wait, and keeps nothing of what is written since`() throws {
    let (node, handle, stranger) = try met()
    let healthy = try world.node("healthy", dialable: false, dialling: ["node"])
    let there = try healthy.open()
    #expect(world.run { there.version == handle.version })
    stranger.say(want(1))
    for value in 0..<100 as Range<Int64> {
      handle.set(value)
      #expect(world.run(timeout: .milliseconds(5)) { there.value() == .integer(value) })
    }
    try node.flush(.durable)
    #expect(
      node.world.network.executor.run { node.engine.assumeIsolated { $0.retainedRecordCount(of: Node.library) } } == 0)
    // It is handed all of it once it goes on.
    for _ in 0..<40 where stranger.messages.resumes.isEmpty {
      let taken = UInt64(stranger.messages.answeredWeight)
      stranger.say(.credit(Message.Credit(document: Node.library, request: 1, byteCount: taken)))
      world.run(for: .milliseconds(10))
    }
    #expect(stranger.messages.resumes.map(\.version) == [handle.version])
  }

  @Test func `twice with one number is answered once`() throws {
    let (node, _, stranger) = try met()
    stranger.say(want(1))
    stranger.say(want(1))
    world.run(for: .seconds(1))
    #expect(try node.counters.answers == 1)
  }

  @Test func `leaves nothing behind when it goes, or the engine closes`() throws {
    let (node, _, stranger) = try met()
    stranger.say(want(1))
    stranger.link.vanish()
    world.run(for: .seconds(1))
    let other = try Stranger("another", dialling: "node", in: world)
    other.say(Stranger.hello(store: 78))
    other.say(want(1))
    // A task that waited for ever would be told of by the continuation that nobody resumed.
    try node.close()
    #expect(world.network.executor.runJobs() == 0)
  }
}

@Suite struct `A transfer of a state that breaks off` {
  let world = World()

  @Test func `goes on where it broke off`() throws {
    let sent = Box(0)
    let isCut = Box(true)
    let credits = [1 << 20, 2 << 20].map { byteCount in
      Message.credit(Message.Credit(document: Node.library, request: 1, byteCount: byteCount)).encoded().count
    }
    world.network.setFaultPlan { passage, _ in
      if passage.from == "early", passage.byteCount > 100_000 { sent.change { $0 += passage.byteCount } }
      // The credit is lost, which is known by its length.
      if isCut.value, passage.from == "late", credits.contains(passage.byteCount) { return [] }
      return [.milliseconds(1)]
    }
    let early = try world.node("early") { $0.keepStateAlone(byteCountMin: 100) }
    let here = try early.open()
    for number in 0..<40 as Range<Int64> {
      here.write { document, patch in
        document.set(.bytes(incompressible(300_000, number)), for: .integer(number), in: .root, patch: &patch)
      }
    }
    try early.flush(.durable)
    let late = try world.node("late", dialable: false, dialling: ["early"])
    let there = try late.open()
    world.run(for: .milliseconds(200))
    #expect(sent.value > 4_000_000 && sent.value < 6_000_000)
    #expect(there.version.isEmpty)
    try world.perform { await late.engine.setOnline(false) }
    world.run(for: .milliseconds(200))
    isCut.change { $0 = false }
    try world.perform { await late.engine.setOnline(true) }
    #expect(world.run { there.version == here.version })
    #expect(there.digest() == here.digest())
    #expect(sent.value < 40 * 300_000 + 1_000_000)
    #expect(try late.counters.snapshotsMerged == 1)
  }
}
