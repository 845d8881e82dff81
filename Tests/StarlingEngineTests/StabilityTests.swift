import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

extension Node {
  var stable: VersionVector {
    get throws { try world.perform { [engine] in await engine.stableVersion(of: Node.library) } }
  }
}

@Suite struct `What is stable` {
  private func log(_ number: UInt64) -> MemoryLog { MemoryLog(store: StoreID(rawValue: number), isDurable: true) }

  @Test func `is what every member has made durable`() throws {
    let world = World()
    let bobsLog = HeldLog(log(2))
    let ada = try world.node("ada", log: log(1))
    let bob = try world.node("bob", dialling: ["ada"], log: bobsLog)
    let (adas, bobs) = (try ada.open(), try bob.open())
    adas.set(1)
    try ada.flush(.replicated(1))
    let first = adas.version
    bobsLog.holdAppends()
    adas.set(2)
    world.run(for: .seconds(5))
    #expect(bobs.version == adas.version)
    #expect(try ada.stable == first)
    bobsLog.letThrough()
    world.run(for: .seconds(5))
    #expect(try ada.stable == adas.version)
  }

  @Test func `is what we have made durable ourselves`() throws {
    let world = World()
    let adasLog = HeldLog(log(1))
    let ada = try world.node("ada", log: adasLog)
    let bob = try world.node("bob", dialling: ["ada"], log: log(2))
    let (adas, bobs) = (try ada.open(), try bob.open())
    adas.set(1)
    try ada.flush(.replicated(1))
    let first = adas.version
    adasLog.holdAppends()
    bobs.set(2)
    world.run(for: .seconds(5))
    #expect(bobs.version == adas.version)
    #expect(try ada.stable == first)
    adasLog.letThrough()
    world.run(for: .seconds(5))
    #expect(try ada.stable == adas.version)
  }

  @Test func `waits through a restart for a member that is away, and not for ever`() throws {
    let world = World()
    let adasLog = log(1)
    func configure(_ configuration: inout EngineConfiguration) {
      configuration.memberLifetime = .seconds(3600)
      configuration.heartbeat = .seconds(10)
      configuration.tick = .seconds(1)
    }
    let ada = try world.node("ada", log: adasLog, configure)
    let bob = try world.node("bob", dialling: ["ada"], log: log(2), configure)
    let handle = try ada.open()
    _ = try bob.open()
    handle.set(1)
    try ada.flush(.replicated(1))
    let first = handle.version
    // Long enough for what was acknowledged to be stored.
    world.run(for: .seconds(150))
    bob.vanish()
    handle.set(2)
    try ada.flush(.durable)
    #expect(try ada.stable == first)
    ada.vanish()

    let later = try world.node("ada", log: adasLog, configure)
    let recovered = try later.open()
    #expect(try later.stable == first)
    world.run(for: .seconds(3000))
    #expect(try later.stable == first)
    world.run(for: .seconds(1000))
    #expect(try later.stable == recovered.version)
  }

  /// The shortest trace of a simulated group in which a relay lived too briefly for a heartbeat, forgot who else was
  /// there, and dropped a mark that stood above one which another had put back since.
  @Test(arguments: [true, false])
  func `waits through a restart for whoever was heard of since the last heartbeat`(isKilled: Bool) throws {
    let world = World()
    let adasLog = log(1)
    func configure(_ configuration: inout EngineConfiguration) { configuration.heartbeat = .seconds(10) }
    let ada = try world.node("ada", log: adasLog, configure)
    let bob = try world.node("bob", dialling: ["ada"], log: log(2), configure)
    let handle = try ada.open()
    _ = try bob.open()
    handle.set(1)
    try ada.flush(.replicated(1))
    let first = handle.version
    bob.vanish()
    handle.set(2)
    try ada.flush(.durable)
    if isKilled { ada.vanish() } else { try world.perform { try await ada.engine.close() } }

    let later = try world.node("ada", log: adasLog, configure)
    let recovered = try later.open()
    world.run(for: .seconds(30))
    #expect(recovered.version != first)
    #expect(first.covers(try later.stable))
  }

  @Test func `does not wait long for a store that keeps nothing`() throws {
    let world = World()
    let ada = try world.node("ada", log: log(1)) { $0.heartbeat = .seconds(10) }
    let bob = try world.node("bob", dialling: ["ada"])
    let handle = try ada.open()
    _ = try bob.open()
    handle.set(1)
    try ada.flush(.received(1))
    bob.vanish()
    handle.set(2)
    try ada.flush(.durable)
    #expect(try ada.stable != handle.version)
    world.run(for: .seconds(3700))
    #expect(try ada.stable == handle.version)
    let remembered = try world.perform { [log = ada.log] in try await log.recover(Node.library).members }
    #expect(remembered.map(\.store) == [StoreID(rawValue: 1)], "what it wrote itself, and nobody else")
  }
}

@Suite struct `A member that was given up` {
  private let text = ObjectID.derived(parent: .root, key: "text", kind: .text)

  private func edit(_ handle: DocumentHandle, _ body: (inout Document, inout Patch) -> Void) {
    handle.write { document, patch in
      document.declare(.text, for: "text", in: .root)
      body(&document, &patch)
    }
  }

  @Test func `loses nothing that it wrote on what was collected since`() throws {
    let world = World()
    func configure(_ configuration: inout EngineConfiguration) {
      configuration.memberLifetime = .seconds(3600)
      configuration.heartbeat = .seconds(10)
      configuration.tick = .seconds(1)
    }
    let ada = try world.node("ada", log: MemoryLog(store: StoreID(rawValue: 1), isDurable: true), configure)
    let bob = try world.node(
      "bob", dialable: false, dialling: ["ada"], log: MemoryLog(store: StoreID(rawValue: 2), isDurable: true), configure
    )
    let (adas, bobs) = (try ada.open(), try bob.open())
    edit(adas) { document, patch in document.insert("abcdef", at: 0, in: text, patch: &patch) }
    try ada.flush(.replicated(1))
    world.run(for: .seconds(60))
    try world.perform { [engine = bob.engine] in await engine.setOnline(false) }
    edit(adas) { document, patch in document.removeItems(0..<6, in: text, patch: &patch) }
    edit(bobs) { document, patch in document.insert("X", at: 3, in: text, patch: &patch) }
    world.run(for: .seconds(600))
    #expect(adas.read { $0.snapshot().objects.contains { $0.sequence != nil } }, "bob may still come back")
    world.run(for: .seconds(4000))
    #expect(adas.read { !$0.snapshot().objects.contains { $0.sequence != nil } }, "nobody is waited for")

    try world.perform { [engine = bob.engine] in await engine.setOnline(true) }
    world.run(for: .seconds(120))
    for handle in [adas, bobs] { #expect(handle.read { $0.text(in: text) } == "X") }
    #expect(adas.version == bobs.version && adas.digest() == bobs.digest())
    #expect(try ada.counters.snapshotsMerged == 1)
  }

  @Test func `is collected in parts, where it is much`() throws {
    let world = World()
    let ada = try world.node("ada", log: MemoryLog(store: StoreID(rawValue: 1), isDurable: true))
    let bob = try world.node("bob", dialling: ["ada"], log: MemoryLog(store: StoreID(rawValue: 2), isDurable: true))
    let (adas, bobs) = (try ada.open(), try bob.open())
    let words = String(repeating: "word ", count: 4000)
    edit(adas) { document, patch in document.insert(words, at: 0, in: text, patch: &patch) }
    for _ in 0..<20 {
      edit(adas) { document, patch in document.removeItems(20..<1019, in: text, patch: &patch) }
    }
    let former = adas.read { $0.rowCount.items }
    world.run(for: .seconds(600))
    #expect(adas.version == bobs.version && adas.digest() == bobs.digest())
    var collection = TombstoneCollection(stable: adas.version)
    for handle in [adas, bobs] {
      #expect(handle.read { $0.rowCount.items } < former / 100)
      #expect(handle.read { $0.text(in: text).count } == 20)
    }
    #expect(adas.collectTombstones(&collection) == .done && collection.count == 0)
  }
}

@Suite struct `A want for state` {
  @Test func `is answered with the state where the changes are at hand`() throws {
    let world = World()
    let node = try world.node("ada")
    let handle = try node.open()
    handle.set(1)
    try node.flush(.durable)
    let stranger = try Stranger("stranger", dialling: "ada", in: world)
    stranger.say(Stranger.hello())
    for wantsState in [false, true] {
      let heard = stranger.messages.count
      stranger.say(
        .want(Message.Want(document: Node.library, request: 4, version: VersionVector(), wantsState: wantsState)))
      world.run(for: .milliseconds(100))
      let answer = Array(stranger.messages[heard...])
      #expect(answer.parts.count == (wantsState ? 1 : 0) && answer.changes.count == (wantsState ? 0 : 1))
      #expect(answer.resumes.count == 1)
    }
  }
}
