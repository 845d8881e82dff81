import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `What an engine measures` {
  let world = World()

  private func measure(_ node: Node) throws -> EngineMeasurements {
    try world.perform { [engine = node.engine] in await engine.measure() }
  }

  @Test func `tells what was published here and merged there`() throws {
    let (left, right) = (try world.node("left"), try world.node("right", dialable: false, dialling: ["left"]))
    let (here, there) = (try left.open(), try right.open())
    world.run(for: .seconds(1))
    here.set(1)
    #expect(world.run { there.value() == .integer(1) })
    world.run(for: .seconds(3))
    let (sent, received) = (try measure(left), try measure(right))
    #expect(sent.counters.changesPublished == 1)
    #expect(received.counters.changesMerged == 1)
    #expect(received.counters.mergeBatch.count == 1 && received.counters.mergeBatch.sum == 1)
    #expect(received.counters.bytesReceived > sent.counters.bytesPublished)
    #expect(sent.counters.commits == 1 && sent.counters.commitMicroseconds.count == 1)
    #expect(sent.counters.recordsLogged == 1 && sent.counters.bytesLogged > 0)
    #expect(sent.counters.messagesSent > 0 && sent.counters.messageBytesSent > sent.counters.messagesSent)
    #expect(sent.counters.peersJoined == 1)
    #expect(sent.peers == [.member: 1])
    #expect(received.endpointsDialled == 1 && received.endpointsUnreachable == 0)
    try right.close()
    world.run(for: .seconds(1))
    #expect(try left.counters.peersLeft == 1)
    #expect(try measure(left).peers.isEmpty)
  }

  @Test func `tells what others have not got yet`() throws {
    let alone = try world.node("alone")
    let document = try alone.open()
    for value in 0..<3 { document.set(Int64(value)) }
    world.run(for: .seconds(1))
    let before = try #require(try measure(alone).documents.first)
    #expect(before.operationsUnacknowledged == 3 && before.operationsUnlogged == 0)
    #expect(before.writers == 1 && before.members == 0)
    let other = try world.node("other", dialling: ["alone"])
    let there = try other.open()
    #expect(world.run { there.value() == .integer(2) })
    world.run(for: .seconds(3))
    let after = try #require(try measure(alone).documents.first)
    #expect(after.operationsUnacknowledged == 0 && after.operationsUnstable == 0)
    #expect(after.members == 1)
  }

  @Test func `tells of conflicts until they are settled`() throws {
    let (left, right) = (try world.node("left"), try world.node("right", dialling: ["left"]))
    let (here, there) = (try left.open(), try right.open())
    world.run(for: .seconds(1))
    here.set(1)
    there.set(2)
    world.run(for: .seconds(2))
    #expect(try measure(left).documents.map(\.conflicts) == [1])
    #expect(try measure(right).documents.map(\.conflicts) == [1])
    here.set(3)
    world.run(for: .seconds(2))
    #expect(try measure(left).documents.map(\.conflicts) == [0])
    #expect(try measure(right).documents.map(\.conflicts) == [0])
  }

  @Test func `tells refusals by their code`() throws {
    let node = try world.node("node")
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(bytes: [200, 1, 2])
    #expect(try measure(node).peers == [.silent: 1])
    stranger.say(Stranger.hello(versions: 8...9))
    let measured = try measure(node)
    #expect(measured.peers == [.refused: 1])
    let told = Dictionary(uniqueKeysWithValues: measured.counters.refusalsSent.byCode.map { ($0.code, $0.count) })
    #expect(told["incompatibleVersion"] == 1)
    #expect(measured.counters.refusalsSent.total == stranger.messages.refusals.count)
    #expect(told.count == Message.Refusal.Code.allCases.count)
  }

  @Test func `is of no more kinds than there are, whatever peers say`() {
    #expect(RefusalCounts().byCode.map(\.code) == Message.Refusal.Code.allCases.map { "\($0)" })
  }
}
