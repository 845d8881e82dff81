import StarlingCore
import StarlingEngine
import Testing

@Suite struct `A daemon that nobody can dial` {
  let world = World()

  private func relay(_ name: String, dialling peers: [String] = [], at advertised: [String] = []) throws -> Node {
    try world.node(name, dialable: advertised.isEmpty, dialling: peers) {
      $0.isRelay = true
      $0.advertised = advertised
    }
  }

  @Test func `hands on what it holds over the connection that it made`() throws {
    let b = try relay("b")
    let a = try relay("a", dialling: ["b"], at: ["memory:firewalled"])
    let (written, read) = (try a.open(), try b.open())
    // Of one who is behind it, too.
    let process = try world.node("process", dialable: false, dialling: ["b"]).open()
    written.set(1)
    #expect(world.run { process.value() == .integer(1) })
    for number in 2...20 as ClosedRange<Int64> {
      written.set(number)
      read.set(number, for: "other")
      // Live, and not by asking: within a few milliseconds.
      world.run(for: .milliseconds(20))
      #expect(process.value() == .integer(number))
      #expect(written.value(of: "other") == .integer(number))
    }
    try a.flush(.received(1))
  }

  @Test func `has its changes acknowledged, and those of documents opened later`() throws {
    let b = try relay("b")
    let a = try relay("a", dialling: ["b"], at: ["memory:firewalled"])
    world.run(for: .seconds(5))
    let notes = DocumentID("notes")!
    try a.open(notes).set(5)
    try a.flush(.received(1), notes)
    #expect(try b.open(notes).value() == .integer(5))
  }

  @Test func `is named at both ends, and to a peer that joins`() throws {
    let b = try relay("b")
    let a = try relay("a", dialling: ["b"], at: ["memory:firewalled"])
    _ = try (a.open(), b.open())
    #expect(try a.status.oneWayLinks.isEmpty && b.status.oneWayLinks.isEmpty)
    world.run(for: .seconds(6))
    let (here, there) = (try a.status, try b.status)
    #expect(
      here.oneWayLinks == [OneWayLink(store: there.store, isDialled: true, endpoints: ["memory:firewalled"])])
    #expect(
      there.oneWayLinks == [OneWayLink(store: here.store, isDialled: false, endpoints: ["memory:firewalled"])])
    for node in [a, b] {
      #expect(node.events.value.count { if case .oneWayLink = $0 { true } else { false } } == 1)
    }
    let newcomer = try world.node("newcomer", dialable: false, dialling: ["b"])
    world.run(for: .seconds(1))
    let notice = try newcomer.status.peers.first { $0.agent == "b" }?.notice
    #expect(notice == "\(there.oneWayLinks[0])")
  }

  @Test func `is followed over its own endpoint once that is reached, and there alone`() throws {
    let b = try relay("b")
    let a = try relay("a", dialling: ["b"], at: ["memory:late"])
    let (written, read) = (try a.open(), try b.open())
    world.run(for: .seconds(6))
    #expect(try b.status.oneWayLinks.count == 1)
    try world.perform { try await a.engine.bind("memory:late") }
    world.run(for: .seconds(15))
    #expect(try a.status.oneWayLinks.isEmpty && b.status.oneWayLinks.isEmpty)
    let before = try b.counters.framesReceived
    for number in 1...10 as ClosedRange<Int64> {
      written.set(number)
      world.run(for: .milliseconds(50))
    }
    #expect(read.value() == .integer(10))
    #expect(try b.counters.framesReceived - before == 10)
  }

  @Test func `takes part in a group whose daemons know each other`() throws {
    var group = try DaemonGroup(3)
    let walled = try group.add(dialling: ["d1"], dialable: false) { $0.advertised = ["memory:firewalled"] }
    let others = [try group.process(of: 0, named: "p0"), try group.process(of: 2, named: "p2")]
    let written = try walled.open()
    group.world.run(for: .seconds(8))
    written.set(1)
    #expect(group.world.run { others.allSatisfy { $0.document.value() == .integer(1) } })
    others[0].document.set(2, for: "back")
    #expect(group.world.run { written.value(of: "back") == .integer(2) })
  }
}
