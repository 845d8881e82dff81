import StarlingCore
import StarlingEngine
import Testing

/// Counts how often the engine is called.
private final class CountingLink: WrappingLink {
  let wrapped: any PeerLink
  private let counter: Box<Int>

  init(_ wrapped: any PeerLink, _ counter: Box<Int>) {
    self.wrapped = wrapped
    self.counter = counter
  }

  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    try wrapped.start(tick: tick) { [counter] events in
      counter.change { $0 += 1 }
      receive(events)
    }
  }
}

@Suite struct `Idle documents` {
  private let world = World()
  private let documents = (0..<50).map { DocumentID("document-\($0)")! }

  private func activeCount(_ node: Node) throws -> Int {
    try world.perform { [engine = node.engine] in await engine.activeCount }
  }

  /// Whether at some moment within a heartbeat and a half nothing is looked after.
  private func comesToRest(_ node: Node) throws -> Bool {
    for _ in 0..<150 {
      if try activeCount(node) == 0 { return true }
      world.run(for: .milliseconds(10))
    }
    return false
  }

  @Test func `cost nothing but a look with each heartbeat`() throws {
    let node = try world.node("node")
    for document in documents { _ = try node.open(document) }
    #expect(try comesToRest(node))
    var restingCount = 0
    for _ in 0..<100 {
      world.run(for: .milliseconds(20))
      if try activeCount(node) == 0 { restingCount += 1 }
    }
    #expect(restingCount > 90)
  }

  @Test func `are woken one by one by writes to them`() throws {
    let (first, second) = (try world.node("first"), try world.node("second", dialling: ["first"]))
    let here = try documents.map { try first.open($0) }
    let there = try documents.map { try second.open($0) }
    #expect(world.run { zip(here, there).allSatisfy { $0.version == $1.version } })
    #expect(try comesToRest(first))
    here[7].set(1)
    #expect(world.run(timeout: .milliseconds(20)) { there[7].value() == .integer(1) })
    #expect(try activeCount(first) <= 1)
    there[9].set(2)
    #expect(world.run(timeout: .milliseconds(20)) { here[9].value() == .integer(2) })
    #expect(try activeCount(first) <= 2)
    try first.flush(.received(1), documents[7])
    try second.flush(.received(1), documents[9])
    #expect(try comesToRest(first) && comesToRest(second))
  }

  @Test func `are not those in which somebody is present, and are once nobody is`() throws {
    let (first, second) = (try world.node("first"), try world.node("second", dialling: ["first"]))
    let (here, there) = (try first.open(), try second.open())
    #expect(try comesToRest(first))
    here.setPresence(.integer(1), at: "cursor", lifetime: .seconds(3))
    #expect(world.run(timeout: .milliseconds(20)) { there.othersPresence(at: "cursor").count == 1 })
    #expect(try !comesToRest(first))
    // Said again and again, it outlives its lifetime.
    world.run(for: .seconds(10))
    #expect(there.othersPresence(at: "cursor").count == 1)
    here.setPresence(nil, at: "cursor", lifetime: .seconds(3))
    #expect(world.run(timeout: .milliseconds(20)) { there.othersPresence(at: "cursor").isEmpty })
    world.run(for: .seconds(4))
    #expect(try comesToRest(first) && comesToRest(second))
  }

  @Test func `let the clock be looked at rarely, until somebody writes`() throws {
    let counter = Box(0)
    let first = try world.node("first")
    let second = try world.idleNode("second", through: { CountingLink($0, counter) })
    try world.perform { [engine = second.engine] in
      try await engine.start()
      _ = try await engine.connect(to: "memory:first")
    }
    let (here, there) = (try first.open(), try second.open())
    here.set(1)
    #expect(world.run { there.value() == .integer(1) })
    func batches(in duration: Duration) -> Int {
      let before = counter.value
      world.run(for: duration)
      return counter.value - before
    }
    #expect(batches(in: .seconds(5)) >= 100)
    world.run(for: .seconds(30))
    #expect(batches(in: .seconds(8)) < 60, "some of them with a message")
    #expect(batches(in: .seconds(8)) >= 32)
    there.set(2)
    #expect(world.run(timeout: .milliseconds(20)) { here.value() == .integer(2) })
    #expect(batches(in: .seconds(5)) >= 100)
  }

  @Test func `are those that a process that joined has not named`() throws {
    let daemon = try world.node("daemon") { $0.isRelay = true }
    for document in documents { _ = try daemon.open(document) }
    let client = try world.node("client", dialable: false, dialling: ["daemon"])
    let there = try client.open(documents[3])
    world.run(for: .seconds(1))
    #expect(try comesToRest(daemon))
    there.set(1)
    try client.flush(.received(1), documents[3])
    #expect(try daemon.open(documents[3]).value() == .integer(1))
  }

  /// A daemon has all documents of its group, and nobody is told of those that are nothing to him.
  @Test func `are told to a process once it speaks of them, and to a relay at once`() throws {
    let daemon = try world.node("daemon") { $0.isRelay = true }
    for document in documents { _ = try daemon.open(document) }
    let process = try Stranger("process", dialling: "daemon", in: world)
    process.say(Stranger.hello())
    world.run(for: .seconds(5))
    #expect(process.messages.haves.isEmpty && process.messages.wants.isEmpty)
    process.name(documents[3])
    #expect(process.messages.haves.map(\.document) == [documents[3]])
    #expect(process.messages.wants.map(\.document) == [documents[3]])
    // One that comes later is no news to it either.
    _ = try daemon.open(DocumentID("later")!)
    world.run(for: .milliseconds(100))
    #expect(!process.messages.haves.contains { $0.document.name == "later" })
    let other = try world.node("other", dialling: ["daemon"]) { $0.isRelay = true }
    let all = Set(documents.map(\.name) + ["later"])
    #expect(world.run(timeout: .seconds(1)) { (try? Set(other.status.documents.map(\.name))) == all })
  }

  // MARK: Heartbeats

  private let many = (0..<300).map { DocumentID("document-\($0)")! }

  /// A relay and two processes that have the same 300 documents open, where nothing is left to be told.
  private func quietGroup() throws -> (daemon: Node, clients: [Node]) {
    let daemon = try world.node("daemon") { $0.isRelay = true }
    let clients = try ["ada", "bob"].map { try world.node($0, dialable: false, dialling: ["daemon"]) }
    for document in many {
      try daemon.open(document).set(1)
      for client in clients { _ = try client.open(document) }
    }
    for client in clients {
      for document in many {
        let handle = try client.open(document)
        #expect(world.run { handle.value() == .integer(1) })
      }
    }
    world.run(for: .seconds(90))
    return (daemon, clients)
  }

  @Test func `are told of in their turn alone`() throws {
    let (daemon, clients) = try quietGroup()
    let former = try daemon.counters.messagesSent
    world.run(for: .seconds(80))
    // To two peers ten turns of one document each: where it stands, what is durable, and a heartbeat.
    let count = try daemon.counters.messagesSent - former
    #expect(count <= 2 * 11 * 3)
    #expect(try daemon.counters.messagesLost == 0 && clients[0].counters.messagesLost == 0)
  }

  @Test func `are told of again once messages were lost`() throws {
    let (daemon, clients) = try quietGroup()
    // Their last, so that not all of them have their turn soon.
    let document = many[299]
    world.network.setFaultPlan { passage, _ in passage.from == "daemon" ? [] : [.milliseconds(1)] }
    try daemon.open(document).set(2)
    // Told, and told again twice, and the digest the same.
    world.run(for: .milliseconds(10_300))
    #expect(try clients[0].open(document).value() == .integer(1))
    world.network.setFaultPlan(MemoryNetwork.calm)
    let handles = try clients.map { try $0.open(document) }
    // The next heartbeat is one of those that are said now and then.
    #expect(world.run(timeout: .seconds(11)) { handles.allSatisfy { $0.value() == .integer(2) } })
  }

  @Test func `leave little to be said where there is one`() throws {
    let nodes = try (0..<5).map { number in
      try world.node("node-\(number)", dialling: (0..<number).map { "node-\($0)" })
    }
    let handles = try nodes.map { try $0.open() }
    handles[0].set(1)
    #expect(world.run { handles.allSatisfy { $0.value() == .integer(1) } })
    world.run(for: .seconds(30))
    let former = try nodes[0].counters.messagesSent
    world.run(for: .seconds(800))
    // To each of four peers, by two connections, once in eight heartbeats.
    let count = try nodes[0].counters.messagesSent - former
    #expect(count <= 4 * 101 * 5)
    #expect(try nodes.allSatisfy { try $0.counters.messagesLost == 0 })
  }

  @Test func `keep a connected member however long nothing is said of them`() throws {
    let (daemon, _) = try quietGroup()
    let handle = try daemon.open(many[150])
    handle.set(3)
    try daemon.flush(.received(2), many[150])
    world.run(for: .seconds(2 * 3600))
    let stable = try world.perform { [engine = daemon.engine, document = many[150]] in
      await engine.stableVersion(of: document)
    }
    #expect(stable == handle.version)
    handle.set(4)
    let behind = try world.perform { [engine = daemon.engine, document = many[150]] in
      await engine.stableVersion(of: document)
    }
    #expect(behind == stable)
  }
}
