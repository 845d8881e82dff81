import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `Presence` {
  private func said(_ handle: DocumentHandle, _ key: String = "field") -> [Value] {
    handle.othersPresence(at: key).map(\.value)
  }

  @Test func `is seen by peers that have the document open, and is no change`() throws {
    let world = World()
    let ada = try world.node("ada")
    let bob = try world.node("bob", dialling: ["ada"])
    let (atAda, atBob) = (try ada.open(), try bob.open())
    world.run(for: .seconds(1))
    let version = atAda.version
    #expect(atAda.setPresence(.string("title"), at: "field", lifetime: .seconds(10)))
    #expect(world.run { said(atBob) == [.string("title")] })
    #expect(atAda.ownPresence(at: "field") == .string("title"))
    #expect(atAda.version == version)
    #expect(atBob.version == version)
  }

  @Test func `is told to newcomers before it is said again`() throws {
    let world = World()
    let ada = try world.node("ada")
    let atAda = try ada.open()
    atAda.setPresence(.string("title"), at: "field", lifetime: .seconds(3000))
    world.run(for: .seconds(1))
    let bob = try world.node("bob", dialling: ["ada"])
    let atBob = try bob.open()
    #expect(world.run { said(atBob) == [.string("title")] })
  }

  @Test func `passes from client to client by way of a relay, once`() throws {
    let world = World()
    let relay = try world.node("relay") { $0.isRelay = true }
    let ada = try world.node("ada", dialable: false, dialling: ["relay"])
    let bob = try world.node("bob", dialable: false, dialling: ["relay"])
    let (atAda, atBob) = (try ada.open(), try bob.open())
    world.run(for: .seconds(1))
    atAda.setPresence(.integer(5), at: "cursor", lifetime: .seconds(10))
    #expect(world.run { said(atBob, "cursor") == [.integer(5)] })
    atAda.setPresence(nil, at: "cursor", lifetime: .seconds(10))
    #expect(world.run { said(atBob, "cursor") == [] })
    #expect(try relay.counters.malformed == 0)
  }

  @Test func `goes round a ring of relays and ends`() throws {
    let world = World()
    let names = ["a", "b", "c"]
    for (place, name) in names.enumerated() {
      _ = try world.node(name, dialling: place == 0 ? [] : Array(names[..<place])) { $0.isRelay = true }
    }
    let ada = try world.node("ada", dialable: false, dialling: ["a"])
    let bob = try world.node("bob", dialable: false, dialling: ["c"])
    let (atAda, atBob) = (try ada.open(), try bob.open())
    world.run(for: .seconds(2))
    let before = try ada.counters.framesReceived
    atAda.setPresence(.string("title"), at: "field", lifetime: .seconds(600))
    #expect(world.run { said(atBob) == [.string("title")] })
    world.run(for: .seconds(5))
    // Its own relay's copy and those that reached it by way of the others are dropped, not passed on for ever.
    #expect(try ada.counters.framesReceived - before <= 3)
  }

  @Test func `ends with the run that said it: at once in good order, after its lifetime otherwise`() throws {
    let world = World()
    let ada = try world.node("ada")
    let bob = try world.node("bob", dialling: ["ada"])
    let cid = try world.node("cid", dialling: ["ada"])
    let (atAda, atBob, atCid) = (try ada.open(), try bob.open(), try cid.open())
    world.run(for: .seconds(1))
    atBob.setPresence(.string("bob"), at: "field", lifetime: .seconds(10))
    atCid.setPresence(.string("cid"), at: "field", lifetime: .seconds(10))
    #expect(world.run { said(atAda).count == 2 })
    try bob.close()
    #expect(world.run(timeout: .seconds(1)) { said(atAda) == [.string("cid")] })
    cid.vanish()
    world.run(for: .seconds(5))
    #expect(said(atAda) == [.string("cid")])
    #expect(world.run { said(atAda) == [] })
  }

  @Test func `stands for as long as its process does`() throws {
    let world = World()
    let ada = try world.node("ada")
    let bob = try world.node("bob", dialling: ["ada"])
    let (atAda, atBob) = (try ada.open(), try bob.open())
    world.run(for: .seconds(1))
    atAda.setPresence(.string("title"), at: "field", lifetime: .seconds(3))
    world.run(for: .seconds(60))
    #expect(said(atBob) == [.string("title")])
  }

  @Test func `is told to whoever listens, by its keys, when it changes`() throws {
    let world = World()
    let ada = try world.node("ada")
    let bob = try world.node("bob", dialling: ["ada"])
    let (atAda, atBob) = (try ada.open(), try bob.open())
    let heard = Box<[Set<String>]>([])
    atBob.onPresence { keys in heard.change { $0.append(keys) } }
    world.run(for: .seconds(1))
    atAda.setPresence(.string("title"), at: "field", lifetime: .seconds(3))
    #expect(world.run { heard.value.count == 1 })
    world.run(for: .seconds(30))
    #expect(heard.value == [["field"]])
  }

  @Test func `that cannot be read is refused and counted`() throws {
    let world = World()
    let ada = try world.node("ada")
    let atAda = try ada.open()
    let stranger = try Stranger("eve", dialling: "ada", in: world)
    stranger.say(Stranger.hello())
    let frame = PublishedFrame(topic: 0, stream: PresencePayload.stream, sequence: 0, payload: [0xFF, 1])
    stranger.say(.live(frame.encoded()))
    #expect(stranger.messages.refusals.map(\.code) == [.malformed])
    #expect(try ada.counters.malformed == 1)
    #expect(said(atAda) == [])
  }
}
