import StarlingCore
import StarlingEngine
import StarlingSession
import Testing

/// Its log begins above what the relay holds, and the relay takes no states from it.
@Suite struct `A writer that compacted` {
  private func daemon(in world: World, tick: Duration = .milliseconds(50)) throws -> Node {
    try world.node("daemon", log: MemoryLog(store: StoreID(rawValue: 1), isDurable: true)) { configuration in
      configuration.isRelay = true
      configuration.tick = tick
      configuration.allowlist = { name, _ in Trust(name: name, role: .writes, documents: [.everything]) }
    }
  }

  private func writer(
    in world: World, log: any ChangeLog = MemoryLog(), dialling peers: [String] = [],
    _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Node {
    try world.node("ada", dialable: false, dialling: peers, as: "ada", log: log, configure)
  }

  private func join(_ node: Node) throws {
    try node.world.perform { [engine = node.engine] in try await engine.connect(to: "memory:daemon") }
  }

  /// Writes one change a time, so that each has a record.
  private func write(_ handle: DocumentHandle, _ node: Node, _ values: ClosedRange<Int64>) throws {
    for value in values {
      handle.set(value, for: .name("key \(value)"))
      try node.flush(.durable)
    }
  }

  private func expectDelivery(
    of handle: DocumentHandle, to kept: DocumentHandle, in world: World,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      world.run(timeout: .seconds(2)) { kept.version.covers(handle.version) }, "what it wrote before",
      sourceLocation: sourceLocation)
    handle.set(99)
    #expect(
      world.run(timeout: .seconds(2)) { kept.value() == .integer(99) }, "what it writes now",
      sourceLocation: sourceLocation)
    #expect(kept.digest() == handle.digest(), sourceLocation: sourceLocation)
  }

  /// The shortest trace of a simulated star: the compaction before the first write had noted the id, and nobody stored
  /// it.
  @Test func `hands over what it wrote before it was killed, though its log was compacted before that`() throws {
    let world = World()
    let daemonsLog = MemoryLog(store: StoreID(rawValue: 1), isDurable: true)
    func daemon() throws -> Node {
      try world.node("daemon", log: daemonsLog) { configuration in
        configuration.isRelay = true
        configuration.allowlist = { name, _ in Trust(name: name, role: .writes, documents: [.everything]) }
      }
    }
    func configure(_ configuration: inout EngineConfiguration) {
      configuration.history = .days(0)
      configuration.compactionInterval = .milliseconds(300)
    }
    let log = MemoryLog(store: StoreID(rawValue: 2), isDurable: true)
    let first = try daemon()
    let ada = try writer(in: world, log: log, dialling: ["daemon"], configure)
    let handle = try ada.open()
    world.run(for: .seconds(2))
    try first.open().set(1)
    world.run(for: .seconds(2))
    #expect(try ada.counters.compactions > 0)
    first.vanish()
    handle.set(2)
    try ada.flush(.durable)
    ada.vanish()

    let later = try writer(in: world, log: log, configure)
    let again = try later.open()
    world.run(for: .seconds(2))
    let kept = try daemon().open()
    try join(later)
    expectDelivery(of: again, to: kept, in: world)
  }

  /// Another that may not pass it on to the daemon has it: that does not count.
  @Test func `hands over what only another writer has acknowledged, where it keeps the state alone`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    let bob = try world.node("bob", as: "bob", log: MemoryLog(store: StoreID(rawValue: 3), isDurable: true)) {
      $0.allowlist = { name, _ in Trust(name: name, role: .writes, documents: [.everything]) }
    }
    let bobs = try bob.open()
    let log = MemoryLog(store: StoreID(rawValue: 2), isDurable: true)
    let ada = try writer(in: world, log: log, dialling: ["bob"]) { configuration in
      configuration.history = .stateOnly(byteCountMin: 1)
      configuration.allowlist = { name, _ in
        Trust(name: name, role: name == "bob" ? .writes : .relays, documents: [.everything])
      }
    }
    let handle = try ada.open()
    try write(handle, ada, 1...20)
    #expect(world.run(timeout: .seconds(5)) { bobs.version == handle.version })
    world.run(for: .seconds(5))
    try write(handle, ada, 21...60)
    #expect(try ada.counters.compactions > 0)
    try join(ada)
    expectDelivery(of: handle, to: kept, in: world)
  }

  @Test func `hands over what it wrote before it joined, where it keeps the state alone`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    let ada = try writer(in: world) { $0.history = .stateOnly(byteCountMin: 1) }
    let handle = try ada.open()
    try write(handle, ada, 1...20)
    #expect(try ada.counters.compactions > 0)
    try join(ada)
    expectDelivery(of: handle, to: kept, in: world)
    #expect(try ada.counters.snapshotsSent == 0)
  }

  /// A log that refuses so much is told the state instead, from which the daemon takes nothing.
  @Test(arguments: [EngineConfiguration.History.everything, .stateOnly(byteCountMin: 1)])
  func `hands over what it wrote while its disk was full, however much that was`(
    history: EngineConfiguration.History
  ) throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    let log = HeldLog(MemoryLog(store: StoreID(rawValue: 2), isDurable: true))
    let ada = try writer(in: world, log: log) { configuration in
      configuration.history = history
      configuration.backlogByteCountMax = 100
      configuration.allowlist = { name, _ in Trust(name: name, role: .relays, documents: [.everything]) }
    }
    let handle = try ada.open()
    log.fail(HeldLog.isFull)
    for value in 1...100 as ClosedRange<Int64> {
      handle.set(value)
      world.run(for: .milliseconds(10))
    }
    log.mend()
    #expect(world.run { (try? ada.status.logError == nil) == true })
    try ada.flush(.durable)
    try join(ada)
    expectDelivery(of: handle, to: kept, in: world)
  }

  @Test func `hands over what is older than the days that it keeps`() throws {
    let world = World()
    let daemon = try daemon(in: world, tick: .seconds(10))
    let kept = try daemon.open()
    let ada = try writer(in: world, log: MemoryLog(store: StoreID(rawValue: 2), isDurable: true)) { configuration in
      configuration.history = .days(1)
      configuration.tick = .seconds(10)
      configuration.heartbeat = .seconds(600)
    }
    let handle = try ada.open()
    try write(handle, ada, 1...5)
    world.run(for: .seconds(26 * 3600))
    #expect(try ada.counters.compactions > 0)
    try join(ada)
    #expect(world.run(timeout: .seconds(120)) { kept.version.covers(handle.version) })
    handle.set(99)
    #expect(world.run(timeout: .seconds(120)) { kept.value() == .integer(99) })
  }

  @Test func `hands over what it compacted with a state that it merged`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    let bob = try world.node("bob", dialling: ["daemon"]) { configuration in
      configuration.history = .stateOnly(byteCountMin: 1)
      configuration.allowlist = { name, _ in Trust(name: name, role: .writes, documents: [.everything]) }
    }
    let bobs = try bob.open()
    try write(bobs, bob, 1...5)
    #expect(world.run { kept.version == bobs.version })
    let ada = try writer(in: world)
    let handle = try ada.open()
    try write(handle, ada, 6...8)
    try world.perform { [engine = ada.engine] in try await engine.connect(to: "memory:bob") }
    #expect(world.run { handle.version.covers(bobs.version) })
    world.run(for: .seconds(1))
    #expect(try ada.counters.snapshotsMerged >= 1 && ada.counters.compactions >= 1)
    try world.perform { [engine = bob.engine] in await engine.setOnline(false) }
    try join(ada)
    expectDelivery(of: handle, to: kept, in: world)
  }

  @Test func `hands over after a crash what an earlier run wrote and compacted`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    let disk = MemoryLog(store: StoreID(rawValue: 2), isDurable: true)
    for run in 0..<3 as Range<Int64> {
      let ada = try writer(in: world, log: disk) { $0.history = .stateOnly(byteCountMin: 1) }
      let handle = try ada.open()
      try write(handle, ada, (10 * run + 1)...(10 * run + 9))
      #expect(try ada.counters.compactions > 0)
      ada.vanish()
    }
    let ada = try writer(in: world, log: disk, dialling: ["daemon"]) { $0.history = .stateOnly(byteCountMin: 1) }
    let handle = try ada.open()
    #expect(handle.version.entries.count == 3)
    expectDelivery(of: handle, to: kept, in: world)
  }

  @Test func `compacts what a durable peer has acknowledged`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    _ = try daemon.open()
    let ada = try writer(in: world, dialling: ["daemon"]) { $0.history = .stateOnly(byteCountMin: 1) }
    let handle = try ada.open()
    for value in 1...40 as ClosedRange<Int64> {
      handle.set(value)
      try ada.flush(.replicated(1))
    }
    let stored = try world.perform { [log = ada.log] in try await log.recover(Node.library).records }
    #expect(stored.count < 20)
    // What nobody durable holds stays.
    let bob = try world.node("bob") { $0.history = .stateOnly(byteCountMin: 1) }
    let bobs = try bob.open()
    try write(bobs, bob, 1...40)
    let all = try world.perform { [log = bob.log] in try await log.recover(Node.library).records }
    #expect(all.count == 40)
  }
}
