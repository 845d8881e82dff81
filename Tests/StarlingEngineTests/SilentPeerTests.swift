import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `A peer that is silent` {
  @Test func `holds up nobody with claims of what it never hands over`() throws {
    let world = World()
    let node = try world.node("node")
    let handle = try node.open()
    var strangers: [Stranger] = []
    for number in 1...5 as ClosedRange<UInt64> {
      let stranger = try Stranger("stranger \(number)", dialling: "node", in: world)
      stranger.say(Stranger.hello(store: 100 + number))
      let claimed = VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 1000 + number), counter: 9)])
      stranger.say(
        .have(
          Message.Have(
            document: Node.library, version: claimed, position: StreamPosition(stream: 7, sequence: 5), digest: nil)))
      strangers.append(stranger)
    }
    for (name, isLater) in [("ada", false), ("bob", true)] {
      if isLater { world.run(for: .seconds(30)) }
      let honest = try world.node(name, dialable: false, dialling: ["node"])
      let written = try honest.open()
      written.set(1, for: .name(name))
      let began = world.network.now
      #expect(world.run(timeout: .seconds(60)) { handle.value(of: .name(name)) == .integer(1) })
      #expect(world.network.now - began <= .seconds(1), "\(name): \(world.network.now - began)")
      written.set(2, for: .name(name))
      #expect(world.run(timeout: .milliseconds(100)) { handle.value(of: .name(name)) == .integer(2) })
    }
    _ = strangers
  }

  /// Each keeps its place among those that are asked for as long as it answers others, and they fill all places.
  @Test func `about one document holds up nobody in it for long, however busily it answers about others`() throws {
    let world = World()
    let node = try world.node("node")
    let handle = try node.open()
    let claimed = VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 1000), counter: 9)])
    let claim = Message.Have(
      document: Node.library, version: claimed, position: StreamPosition(stream: 7, sequence: 5), digest: nil)
    let strangers = try (1...8 as ClosedRange<UInt64>).map { number in
      let stranger = try Stranger("stranger \(number)", dialling: "node", in: world)
      stranger.say(Stranger.hello(store: 100 + number))
      stranger.say(.have(claim))
      return stranger
    }
    let answer = Message.changes(Message.Changes(document: DocumentID("garden")!, request: 1, batch: []))
    func answerOthers(for time: Duration, until condition: () -> Bool) -> Bool {
      let end = world.network.now + time
      while !condition() && world.network.now < end {
        for stranger in strangers { stranger.say(answer) }
        world.run(for: .milliseconds(400))
      }
      return condition()
    }
    _ = answerOthers(for: .seconds(10)) { false }
    let honest = try world.node("honest", dialable: false, dialling: ["node"])
    try honest.open().set(1)
    #expect(answerOthers(for: .seconds(60)) { handle.value() == .integer(1) })
  }

  @Test(arguments: [0, 1, 20]) func `about a document holds up none of its first writes`(seconds: Int) throws {
    let world = World()
    let node = try world.node("node")
    for number in 1...6 { _ = try world.node("peer \(number)", dialable: false, dialling: ["node"]) }
    let ada = try world.node("ada", dialable: false, dialling: ["node"])
    world.run(for: .seconds(2))
    let handle = try node.open()
    world.run(for: .seconds(seconds))
    let written = try ada.open()
    written.set(1)
    #expect(world.run(timeout: .milliseconds(500)) { handle.value() == .integer(1) })
  }
}
