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
