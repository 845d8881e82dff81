import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingWire
import Testing

/// Daemons that let each other relay, and "ada", "ada-2" (Ada's new key) and "eve" write.
private struct Daemons {
  let world = World()
  let kept = Box<[String: [WriterBinding]]>([:])

  func add(_ name: String, dialling: [String] = [], log: any ChangeLog = MemoryLog(isDurable: true)) throws -> Node {
    let kept = kept
    return try world.node(name, dialling: dialling, as: name, log: log) { configuration in
      configuration.isRelay = true
      configuration.writers = kept.value[name] ?? []
      configuration.noteWriters = { bindings in kept.change { $0[name, default: []] += bindings } }
      configuration.allowlist = { key, _ in
        switch key {
        case "a", "b", "c": Trust(name: key, role: .relays, documents: [.everything])
        case "ada", "ada-2": Trust(name: "Ada", role: .writes, documents: [.everything])
        case "eve": Trust(name: "Eve", role: .writes, documents: [.everything])
        default: nil
        }
      }
    }
  }

  /// A writer that trusts the daemons that it dials.
  func writer(
    _ name: String, as key: String, dialling: [String], log: any ChangeLog = MemoryLog(isDurable: true)
  ) throws -> Node {
    try world.node(name, dialable: false, dialling: dialling, as: key, log: log) { configuration in
      configuration.allowlist = { key, _ in Trust(name: key, role: .relays, documents: [.everything]) }
    }
  }
}

extension Node {
  fileprivate var accesses: [AccessEvent] {
    events.value.compactMap { if case .access(let event) = $0 { event } else { nil } }
  }
}

@Suite struct `A writer whose daemon dies` {
  private let daemons = Daemons()
  private var world: World { daemons.world }

  @Test func `goes on at another that knows it from hearsay, under the same id`() throws {
    let a = try daemons.add("a")
    let b = try daemons.add("b", dialling: ["a"])
    _ = try a.open()
    let kept = try b.open()
    let ada = try daemons.writer("ada", as: "ada", dialling: ["a"])
    let written = try ada.open()
    written.set(1)
    try ada.flush(.replicated(1))
    #expect(world.run { kept.value() == .integer(1) })
    a.vanish()
    written.set(2)
    try world.perform { [engine = ada.engine] in try await engine.connect(to: "memory:b") }
    #expect(world.run(timeout: .seconds(3)) { kept.value() == .integer(2) })
    #expect(kept.version.entries.map(\.replica) == [written.replica])
    #expect(!b.accesses.contains { $0.kind == .writerRefused })
    #expect(daemons.kept.value["b"]?.map(\.name) == ["Ada"])
  }

  @Test func `goes on at another after a crash of its own, under one more id`() throws {
    let a = try daemons.add("a")
    let b = try daemons.add("b", dialling: ["a"])
    _ = try a.open()
    let kept = try b.open()
    let log = MemoryLog(isDurable: true)
    let ada = try daemons.writer("ada", as: "ada", dialling: ["a"], log: log)
    let written = try ada.open()
    written.set(1)
    try ada.flush(.replicated(1))
    #expect(world.run { kept.value() == .integer(1) })
    a.vanish()
    written.set(2)
    try ada.flush(.durable)
    ada.vanish()
    let again = try daemons.writer("ada", as: "ada", dialling: ["b"], log: log).open()
    #expect(again.replica != written.replica)
    again.set(3, for: "other")
    #expect(world.run(timeout: .seconds(3)) { kept.value(of: "other") == .integer(3) })
    #expect(kept.value() == .integer(2))
  }

  @Test func `is known to a daemon that was started again, and with a new key of the same name`() throws {
    let a = try daemons.add("a")
    let log = MemoryLog(isDurable: true)
    let b = try daemons.add("b", dialling: ["a"], log: log)
    _ = try a.open()
    _ = try b.open()
    let disk = MemoryLog(isDurable: true)
    let ada = try daemons.writer("ada", as: "ada", dialling: ["a"], log: disk)
    let written = try ada.open()
    written.set(1)
    world.run(for: .seconds(2))
    a.vanish()
    try b.close()
    let id = written.replica
    try ada.close()
    let again = try daemons.add("b", log: log)
    let kept = try again.open()
    #expect(kept.value() == .integer(1))
    let second = try daemons.writer("ada", as: "ada-2", dialling: ["b"], log: disk).open()
    #expect(second.replica == id)
    second.set(2)
    #expect(world.run(timeout: .seconds(3)) { kept.value() == .integer(2) })
    #expect(!again.accesses.contains { $0.kind == .writerRefused })
  }

  @Test(arguments: [Trust.Role.relays, .writes])
  func `writes under a fresh id once a daemon says that its own is another's`(role: Trust.Role) throws {
    let daemon = try Stranger("a", dialling: nil, as: "a", in: world)
    let ada = try world.node("ada", dialable: false, dialling: ["a"], as: "ada") { configuration in
      configuration.allowlist = { key, _ in Trust(name: key, role: role, documents: [.everything]) }
    }
    let written = try ada.open()
    world.run(for: .seconds(1))
    daemon.say(Stranger.hello())
    let id = written.replica
    daemon.say(.disown(Node.library, ReplicaID(rawValue: id.rawValue &+ 1)))
    #expect(written.replica == id)
    daemon.say(.disown(Node.library, id))
    #expect((written.replica != id) == (role == .relays))
  }
}

@Suite struct `A replica id of somebody's` {
  private let daemons = Daemons()
  private var world: World { daemons.world }

  @Test func `is not taken by way of a daemon that its owner never met`() throws {
    let a = try daemons.add("a")
    let b = try daemons.add("b", dialling: ["a"])
    _ = try a.open()
    let kept = try b.open()
    let ada = try daemons.writer("ada", as: "ada", dialling: ["a"]).open()
    ada.set(1)
    #expect(world.run { kept.value() == .integer(1) })
    a.vanish()
    let forger = DocumentHandle(id: Node.library, replica: ada.replica, now: { 1_800_000_000_000 })
    forger.set(1)
    forger.set(2)
    let eve = try Stranger("eve", dialling: "b", as: "eve", in: world)
    eve.say(Stranger.hello())
    eve.name(Node.library)
    let want = try #require(eve.messages.wants.first)
    let batch = Batch.encode([forger.takeOutbox()[1]])
    eve.say(.changes(Message.Changes(document: Node.library, request: want.request, batch: batch)))
    world.run(for: .seconds(2))
    #expect(kept.value() == .integer(1))
    #expect(b.accesses.contains { $0.kind == .writerRefused && $0.name == "Eve" && $0.replica == ada.replica })
    #expect(
      eve.messages.contains { message in
        if case .disown(Node.library, ada.replica) = message { true } else { false }
      })
  }

  @Test func `is not taken before its first change has come, once it is named`() throws {
    let a = try daemons.add("a")
    let b = try daemons.add("b", dialling: ["a"])
    let kept = try b.open()
    _ = try a.open()
    let notes = DocumentID("notes")!
    let ada = try daemons.writer("ada", as: "ada", dialling: ["a"]).open(notes)
    ada.set(1)
    world.run(for: .seconds(1))
    let eve = try Stranger("eve", dialling: "b", as: "eve", in: world)
    eve.say(Stranger.hello())
    eve.name(Node.library)
    let want = try #require(eve.messages.wants.first)
    let forger = DocumentHandle(id: Node.library, replica: ada.replica, now: { 1_800_000_000_000 })
    forger.set(2)
    eve.say(
      .changes(
        Message.Changes(
          document: Node.library, request: want.request, batch: Batch.encode(forger.takeOutbox()))))
    #expect(kept.value() == nil)
  }

  @Test func `is left by its writer, which is told the changes that the group never takes`() throws {
    let daemon = try Stranger("daemon", dialling: nil, as: "relay", in: world)
    let ada = try world.node("ada", dialable: false, dialling: ["daemon"]) { configuration in
      configuration.allowlist = { name, _ in Trust(name: name, role: .relays, documents: [.everything]) }
    }
    let written = try ada.open()
    for value in 1...3 as ClosedRange<Int64> { written.set(value) }
    world.run(for: .seconds(1))
    daemon.say(Stranger.hello())
    let id = written.replica
    daemon.say(
      .have(
        Message.Have(
          document: Node.library, version: VersionVector([VersionVector.Entry(replica: id, counter: 1)]), position: nil,
          digest: nil)))
    daemon.say(.disown(Node.library, id))
    #expect(written.replica != id)
    let disowned = ada.events.value.compactMap { event in
      if case .disowned(Node.library, let replica, let counters) = event { (replica, counters) } else { nil }
    }
    #expect(disowned.count == 1 && disowned.first?.0 == id && disowned.first?.1 == 2...3)
    #expect(ada.events.value.contains { "\($0)".contains("operations 2 to 3") })
  }

  @Test func `is not given away by a peer that may not relay`() throws {
    let b = try daemons.add("b")
    _ = try b.open()
    let eve = try Stranger("eve", dialling: "b", as: "eve", in: world)
    eve.say(Stranger.hello())
    eve.say(.writers([WriterBinding(replica: ReplicaID(rawValue: 7), name: "Eve", boundAt: 0)]))
    world.run(for: .seconds(1))
    #expect(daemons.kept.value["b"] == nil)
  }

  @Test func `is the earlier one's where two names wrote under it apart, at every daemon`() throws {
    let a = try daemons.add("a")
    let b = try daemons.add("b")
    let (atA, atB) = (try a.open(), try b.open())
    let id = ReplicaID(rawValue: 42)
    func forge(_ value: Int64, as key: String, at daemon: String) throws {
      let handle = DocumentHandle(id: Node.library, replica: id, now: { 1_800_000_000_000 })
      handle.set(value)
      let stranger = try Stranger(key, dialling: daemon, as: key, in: world)
      stranger.say(Stranger.hello(store: UInt64(value)))
      stranger.name(Node.library)
      let want = try #require(stranger.messages.wants.first)
      let batch = Batch.encode(handle.takeOutbox())
      stranger.say(.changes(Message.Changes(document: Node.library, request: want.request, batch: batch)))
    }
    try forge(1, as: "ada", at: "a")
    world.run(for: .seconds(1))
    try forge(2, as: "eve", at: "b")
    #expect(atA.value() == .integer(1) && atB.value() == .integer(2))
    try world.perform { [engine = b.engine] in try await engine.connect(to: "memory:a") }
    world.run(for: .seconds(2))
    for name in ["a", "b"] { #expect(daemons.kept.value[name]?.last?.name == "Ada") }
    #expect((a.accesses + b.accesses).contains { $0.kind == .writerContested && $0.name == "Eve" })
  }
}
