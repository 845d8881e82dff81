import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingWire
import Testing

/// A daemon that grants leases, and processes that come and go.
private struct Town {
  let world: World
  let signs = MemoryLifeSigns()
  let disk = MemoryLog(isDurable: true)

  init(faultPlan: @escaping MemoryNetwork.FaultPlan = MemoryNetwork.calm) {
    world = World(faultPlan: faultPlan)
  }

  func daemon(_ configure: (inout EngineConfiguration) -> Void = { _ in }) throws -> Node {
    try world.node("daemon", log: disk) { configuration in
      configuration.isRelay = true
      configuration.lifeSigns = signs
      configure(&configuration)
    }
  }

  func guest(
    _ name: String, dialling peers: [String] = ["daemon"], as user: String? = nil, hasSigns: Bool = true
  ) throws -> Guest {
    let node = try world.node(name, dialable: user == nil, dialling: peers, as: user) { configuration in
      configuration.leasesReplicaID = true
      configuration.lifeSigns = hasSigns ? signs : nil
    }
    let handle = try node.open()
    try world.perform { _ = await node.engine.synchronize(Node.library) }
    return Guest(node: node, handle: handle)
  }

  func leases(of daemon: Node) throws -> [LogLease] {
    try world.perform { [engine = daemon.engine] in await engine.leases(of: Node.library) }
  }
}

private struct Guest {
  let node: Node
  let handle: DocumentHandle

  /// Writes, and returns once the daemon has it.
  func write(_ value: Int64) throws {
    handle.set(value)
    try node.flush(.replicated(1))
  }
}

@Suite struct `Processes that come and go` {
  @Test func `leave a version as long as the most that ran at once`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let kept = try daemon.open()
    for round in 0..<20 as Range<Int64> {
      let guests = try (0..<3).map { try town.guest("guest\(round)-\($0)") }
      for (index, guest) in guests.enumerated() { try guest.write(10 * round + Int64(index)) }
      for guest in guests { try guest.node.close() }
      town.world.run(for: .milliseconds(50))
    }
    #expect(kept.version.entries.count == 3)
    #expect(kept.version.entries.reduce(0) { $0 + $1.counter } == 60)
    #expect(try town.leases(of: daemon).allSatisfy { $0.holder == nil && $0.number == 20 })
  }

  @Test func `do not hold back what is stable, nor their signs stay`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let kept = try daemon.open()
    let guest = try town.guest("guest")
    try guest.write(1)
    try guest.node.close()
    let other = try town.guest("other")
    other.node.vanish()
    kept.set(2)
    try daemon.flush(.durable)
    town.world.run(for: .seconds(3))
    let stable = try town.world.perform { [engine = daemon.engine] in await engine.stableVersion(of: Node.library) }
    #expect(stable == kept.version)
    #expect(town.signs.ended().isEmpty)
  }

  @Test func `write under an id of their own where nobody grants leases`() throws {
    let town = Town()
    let daemon = try town.daemon { $0.grantsReplicaIDs = false }
    let guest = try town.guest("guest")
    try guest.write(1)
    #expect(try daemon.open().version[guest.handle.replica] == 1)
    #expect(try town.leases(of: daemon).isEmpty)
  }

  @Test func `do not wait for a lease before they write`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let kept = try daemon.open()
    let node = try town.world.node("guest", dialling: ["daemon"]) { $0.leasesReplicaID = true }
    let handle = try node.open()
    let own = handle.replica
    handle.set(1)
    #expect(town.world.run { kept.value() == .integer(1) })
    #expect(handle.replica == own && kept.version[own] == 1)
    #expect(try town.leases(of: daemon).isEmpty)
  }

  @Test func `write on under an id of their own where the daemon's disk has failed`() throws {
    let town = Town()
    let log = HeldLog(town.disk)
    let daemon = try town.world.node("daemon", log: log) { $0.isRelay = true }
    _ = try daemon.open().set(0)
    log.fail()
    town.world.run(for: .seconds(2))
    let guest = try town.guest("guest")
    guest.handle.set(1)
    #expect(town.world.run { (try? daemon.open().value()) == .integer(1) })
    #expect(try town.leases(of: daemon).isEmpty)
  }
}

@Suite struct `A leased id` {
  @Test func `goes on with everything that it ever wrote`() throws {
    let town = Town()
    _ = try town.daemon().open()
    let first = try town.guest("first")
    try first.write(1)
    try first.write(2)
    let id = first.handle.replica
    try first.node.close()
    town.world.run(for: .milliseconds(50))
    let second = try town.guest("second")
    #expect(second.handle.replica == id)
    #expect(second.handle.version[id] == 2 && second.handle.value() == .integer(2))
    second.handle.set(3)
    #expect(second.handle.version[id] == 3)
  }

  @Test func `is leased again when its holder was killed, from where the daemon's disk has it`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let kept = try daemon.open()
    let first = try town.guest("first")
    try first.write(1)
    let id = first.handle.replica
    first.node.vanish()
    // What it wrote last reaches nobody and dies with it.
    first.handle.set(2)
    town.world.run(for: .seconds(2))
    let second = try town.guest("second")
    #expect(second.handle.replica == id && second.handle.value() == .integer(1))
    try second.write(3)
    #expect(kept.value() == .integer(3) && kept.version[id] == 2)
    #expect(kept.digest() == second.handle.digest())
  }

  @Test func `is not leased again while its holder may live`() throws {
    let town = Town()
    let daemon = try town.daemon()
    // It shows no liveness lock, as one on another machine: that it is silent proves nothing, however long.
    let far = try town.guest("far", hasSigns: false)
    try far.write(1)
    let id = far.handle.replica
    far.node.link.vanish()
    town.world.run(for: .seconds(3600))
    let other = try town.guest("other")
    #expect(other.handle.replica != id)
    #expect(try town.leases(of: daemon).contains { $0.replica == id && $0.holder != nil })
  }

  @Test func `is told to its grantor alone while its holder shows a liveness lock`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let guest = try town.guest("guest")
    // Somebody subscribes without a word.
    let ear = town.world.network.makeLink(named: "ear")
    let heard = Box(0)
    try ear.start(tick: .milliseconds(50)) { events in
      for case .published in events { heard.change { $0 += 1 } }
    }
    ear.subscribe([])
    _ = try ear.connect(to: "memory:guest")
    town.world.run(for: .milliseconds(50))
    try guest.write(1)
    #expect(heard.value == 0)
    #expect(try daemon.open().value() == .integer(1))
    #expect(town.signs.isStanding(try guest.node.status.store.description))
  }

  @Test func `loses the proof before anybody else is told, and comes back by hand alone`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let guest = try town.guest("guest")
    try guest.write(1)
    let id = guest.handle.replica
    let store = try guest.node.status.store.description
    let friend = try town.world.node("friend", dialling: ["guest"])
    let read = try friend.open()
    #expect(town.world.run { read.value() == .integer(1) })
    #expect(!town.signs.isStanding(store))
    // The daemon is away; the two go on.
    daemon.vanish()
    guest.handle.set(2)
    #expect(town.world.run { read.value() == .integer(2) })
    guest.node.vanish()
    let again = try town.daemon()
    town.world.run(for: .seconds(5))
    #expect(try town.guest("other").handle.replica != id)
    #expect(try town.leases(of: again).contains { $0.replica == id && $0.holder != nil })
  }

  @Test func `is given back to a daemon that was away in between`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let guest = try town.guest("guest")
    try guest.write(1)
    let id = guest.handle.replica
    try daemon.close()
    guest.handle.set(2)
    let again = try town.daemon()
    let kept = try again.open()
    #expect(town.world.run { kept.value() == .integer(2) })
    #expect(guest.handle.replica == id)
    try guest.node.flush(.replicated(1))
    try guest.node.close()
    town.world.run(for: .milliseconds(100))
    #expect(try town.guest("other").handle.replica == id)
  }

  @Test func `is not leased again by a proof to a daemon that was killed since`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let guest = try town.guest("guest")
    try guest.write(1)
    let id = guest.handle.replica
    daemon.vanish()
    _ = try town.daemon().open()
    guest.node.vanish()
    town.world.run(for: .seconds(3))
    // What the killed daemon had passed on may not have reached its disk.
    #expect(try town.guest("other").handle.replica != id)
  }

  @Test func `is forgotten by a daemon whose store was put back, if it was free`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let guest = try town.guest("guest")
    try guest.write(1)
    let id = guest.handle.replica
    try guest.node.close()
    town.world.run(for: .seconds(1))
    // A store from a copy has no valid clean-shutdown marker: as after a crash, it cannot prove that nothing came
    // later.
    daemon.vanish()
    let restored = try town.daemon()
    _ = try restored.open()
    #expect(try town.leases(of: restored).isEmpty)
    #expect(try town.guest("other").handle.replica != id)
  }

  @Test func `is kept through a restart in good order`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let guest = try town.guest("guest")
    try guest.write(1)
    let id = guest.handle.replica
    try guest.node.close()
    town.world.run(for: .seconds(1))
    try daemon.close()
    _ = try town.daemon().open()
    #expect(try town.guest("other").handle.replica == id)
  }

  @Test func `stays within a key`() throws {
    let town = Town()
    let writers = Box<[ReplicaID: String]>([:])
    let daemon = try town.daemon { configuration in
      configuration.allowlist = { name, _ in
        Trust(name: name, role: name == "eve" ? .reads : .writes, documents: [.everything])
      }
      configuration.noteWriters = { bindings in
        for binding in bindings { writers.change { $0[binding.replica] = binding.name } }
      }
    }
    let ada = try town.guest("ada", as: "ada")
    try ada.write(1)
    let id = ada.handle.replica
    try ada.node.close()
    town.world.run(for: .milliseconds(50))
    let bob = try town.guest("bob", as: "bob")
    #expect(bob.handle.replica != id)
    try bob.write(2)
    let again = try town.guest("again", as: "ada")
    #expect(again.handle.replica == id)
    try again.write(3)
    #expect(writers.value[id] == "ada")
    #expect(try town.leases(of: daemon).map(\.user).sorted { $0 ?? "" < $1 ?? "" } == ["ada", "bob"])
    // A key that only reads is leased nothing.
    _ = try town.guest("eve", as: "eve")
    #expect(try town.leases(of: daemon).count == 2)
  }

  @Test func `has one holder: another that writes under it is refused by name, and nothing is lost`() throws {
    let town = Town()
    let daemon = try town.daemon()
    let kept = try daemon.open()
    let guest = try town.guest("guest")
    try guest.write(1)
    let id = guest.handle.replica
    let stranger = try Stranger("stranger", dialling: "daemon", in: town.world)
    try stranger.writeTwice(as: id)
    #expect(stranger.messages.refusals.contains { $0.explanation.contains("Replica \(id) is leased to another store") })
    #expect(kept.value() == .integer(1) && kept.version[id] == 1)
    try guest.write(2)
    #expect(kept.value() == .integer(2) && kept.digest() == guest.handle.digest())
  }

  @Test func `has one holder of its key: another is told of to the operator, once`() throws {
    let town = Town()
    let daemon = try town.daemon { configuration in
      configuration.allowlist = { name, _ in Trust(name: name, role: .writes, documents: [.everything]) }
    }
    let kept = try daemon.open()
    let guest = try town.guest("guest", as: "ada")
    try guest.write(1)
    let id = guest.handle.replica
    let stranger = try Stranger("stranger", dialling: "daemon", as: "ada", in: town.world)
    try stranger.writeTwice(as: id)
    // A greeting that repeats what was just said is not heeded.
    town.world.run(for: .seconds(1))
    try stranger.writeTwice(as: id)
    #expect(kept.value() == .integer(1) && kept.version[id] == 1)
    let refused = daemon.events.value.compactMap { event -> AccessEvent? in
      if case .access(let access) = event, !access.kind.isGrant { access } else { nil }
    }
    #expect(refused.map(\.kind) == [.leaseRefused])
    #expect(refused.first?.replica == id && refused.first?.document == Node.library && refused.first?.user == "ada")
    #expect(try daemon.counters.denied == 2)
  }

  @Test func `is written under no more once it was leased again`() throws {
    let world = World()
    let grantor = try Stranger("grantor", dialling: nil, in: world)
    let guest = try world.node("guest", dialling: ["grantor"]) { $0.leasesReplicaID = true }
    let handle = try guest.open()
    let own = handle.replica
    let hello = Message.Hello(
      lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: 77), epoch: 1, agent: "grantor", endpoints: [],
      isDurable: true, relays: true, grantsLeases: true, wantsReply: false)
    #expect(world.run { !grantor.messages.hellos.isEmpty })
    grantor.say(.hello(hello))
    let asked = Message.lease(Message.Lease(document: Node.library, request: .ask))
    #expect(world.run { grantor.messages.contains(asked) })
    var grant = Message.LeaseGrant(replica: ReplicaID(rawValue: 5), number: 1, counter: 0)
    grantor.say(.leased(Message.Leased(document: Node.library, answer: .granted(grant))))
    #expect(handle.replica == grant.replica)
    handle.set(1)
    grant.number = 2
    grantor.say(.leased(Message.Leased(document: Node.library, answer: .over(grant))))
    #expect(handle.replica != grant.replica && handle.replica != own)
    #expect(guest.events.value.contains { if case .renamed = $0 { true } else { false } })
    handle.set(2)
    #expect(handle.version[grant.replica] == 1 && handle.version[handle.replica] == 1)
  }
}

extension Stranger {
  /// Greets, answers what it is asked, and publishes two changes under that id.
  fileprivate func writeTwice(as replica: ReplicaID) throws {
    say(Self.hello())
    name(Node.library)
    let forged = DocumentHandle(id: Node.library, replica: replica, now: { 5 })
    forged.set(7)
    forged.set(8)
    var encoder = LiveEncoder()
    var payload: [UInt8] = []
    for change in forged.takeOutbox() { encoder.encode(change, into: &payload) }
    let want = try #require(messages.wants.last)
    say(
      .resume(
        Message.Resume(
          document: Node.library, request: want.request, version: VersionVector(),
          position: StreamPosition(stream: 9, sequence: 0), tables: LiveEncoder().tables())))
    let topic = PublishedFrame.topicNumber(of: Node.library)
    say(.live(PublishedFrame(topic: topic, stream: 9, sequence: 0, payload: payload[...]).encoded()))
  }
}
