import StarlingCore
import StarlingEngine
import Testing

@Suite struct `Documents at rest` {
  private let world = World()
  private let documents = (0..<50).map { DocumentID("document-\($0)")! }

  private func astirCount(_ node: Node) throws -> Int {
    try world.perform { [engine = node.engine] in await engine.astirCount }
  }

  /// Whether at some moment within a heartbeat and a half nothing is looked after.
  private func comesToRest(_ node: Node) throws -> Bool {
    for _ in 0..<150 {
      if try astirCount(node) == 0 { return true }
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
      if try astirCount(node) == 0 { restingCount += 1 }
    }
    #expect(restingCount > 90)
  }

  @Test func `are woken one by one by who writes in them`() throws {
    let (first, second) = (try world.node("first"), try world.node("second", dialling: ["first"]))
    let here = try documents.map { try first.open($0) }
    let there = try documents.map { try second.open($0) }
    #expect(world.run { zip(here, there).allSatisfy { $0.version == $1.version } })
    #expect(try comesToRest(first))
    here[7].set(1)
    #expect(world.run(atMost: .milliseconds(20)) { there[7].value() == .integer(1) })
    #expect(try astirCount(first) <= 1)
    there[9].set(2)
    #expect(world.run(atMost: .milliseconds(20)) { here[9].value() == .integer(2) })
    #expect(try astirCount(first) <= 2)
    try first.flush(.received(1), documents[7])
    try second.flush(.received(1), documents[9])
    #expect(try comesToRest(first) && comesToRest(second))
  }

  @Test func `are not those in which somebody is present, and are once nobody is`() throws {
    let (first, second) = (try world.node("first"), try world.node("second", dialling: ["first"]))
    let (here, there) = (try first.open(), try second.open())
    #expect(try comesToRest(first))
    here.setPresence(.integer(1), at: "cursor", lifetime: .seconds(3))
    #expect(world.run(atMost: .milliseconds(20)) { there.othersPresence(at: "cursor").count == 1 })
    #expect(try !comesToRest(first))
    // Said again and again, it outlives its lifetime.
    world.run(for: .seconds(10))
    #expect(there.othersPresence(at: "cursor").count == 1)
    here.setPresence(nil, at: "cursor", lifetime: .seconds(3))
    #expect(world.run(atMost: .milliseconds(20)) { there.othersPresence(at: "cursor").isEmpty })
    world.run(for: .seconds(4))
    #expect(try comesToRest(first) && comesToRest(second))
  }

  @Test func `are soon those of which a peer tells nothing`() throws {
    let daemon = try world.node("daemon") { $0.isRelay = true }
    for document in documents { _ = try daemon.open(document) }
    let client = try world.node("client", dialable: false, dialling: ["daemon"])
    let there = try client.open(documents[3])
    #expect(try !comesToRest(daemon))
    // It is asked for the others too, and has none of them.
    world.run(for: .seconds(60))
    #expect(try comesToRest(daemon))
    there.set(1)
    try client.flush(.received(1), documents[3])
    #expect(try daemon.open(documents[3]).value() == .integer(1))
  }
}
