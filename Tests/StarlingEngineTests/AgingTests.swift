import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `A log that keeps so many days` {
  private let day = Duration.seconds(86_400)

  private func node(_ world: World, _ log: any ChangeLog, days: Int = 2) throws -> Node {
    try world.node("ada", log: log) {
      $0.history = .days(days)
      // Days pass in a few steps.
      $0.heartbeat = .seconds(3600)
      $0.tick = .seconds(600)
    }
  }

  /// Writes and waits until it is durable, a day at a time.
  private func write(_ days: ClosedRange<Int64>, _ node: Node, _ handle: DocumentHandle) throws -> [VersionVector] {
    try days.map { value in
      handle.set(value)
      try node.flush(.durable)
      let version = handle.version
      node.world.run(for: day)
      return version
    }
  }

  @Test func `forgets what is older, and nothing else`() throws {
    let world = World()
    let log = MemoryLog(store: StoreID(rawValue: 1), isDurable: true)
    let node = try node(world, log)
    let handle = try node.open()
    let versions = try write(1...6, node, handle)
    let page = try node.page(.oldestFirst)
    #expect(page.beginning == versions[3])
    #expect(page.changes.map(\.last.counter) == [5, 6])
    for (place, version) in versions.enumerated() {
      if place < 3 {
        node.expectError(.forgotten, at: version, "2 days")
      } else {
        #expect(try node.at(version).value() == .integer(Int64(place + 1)))
      }
    }
    let digest = handle.digest()
    node.vanish()
    let later = try self.node(world, log).open()
    #expect(later.version == handle.version && later.digest() == digest)
  }

  @Test func `keeps what stands on something younger, however old its stamp`() throws {
    let world = World()
    let log = MemoryLog(store: StoreID(rawValue: 1), isDurable: true)
    // Somebody whose clock is a year ahead, and one whose clock is right and who has seen that.
    var (early, late) = (Document(), Document())
    var patch = Patch()
    let (eve, dan) = (ReplicaID(rawValue: 7), ReplicaID(rawValue: 8))
    early.begin(as: eve, now: 1_800_000_000_000 + 366 * 86_400_000)
    early.set(.integer(1), for: "title", in: .root, patch: &patch)
    let firstChange = early.commit()
    let ahead = try #require(firstChange)
    _ = try late.merge(ahead, patch: &patch)
    late.begin(as: dan, now: 1_800_000_000_000)
    late.set(.integer(2), for: "pages", in: .root, patch: &patch)
    let secondChange = late.commit()
    let right = try #require(secondChange)
    #expect(right.stamp < ahead.stamp)
    let records = [ahead, right].map {
      LogRecord(
        document: Node.library, replica: $0.replica, firstCounter: 1, lastCounter: 1, bytes: Batch.encode([$0][...]))
    }
    try world.perform {
      _ = try await log.open()
      try await log.append(records)
    }
    let node = try node(world, log)
    let handle = try node.open()
    let versions = try write(1...5, node, handle)
    // What is written here stands on the future as well.
    #expect(try node.page(.oldestFirst).beginning.isEmpty)
    #expect(try node.at(versions[0]).value() == .integer(1))
  }

  @Test func `goes on taking and answering while a state of the past is made`() throws {
    let world = World()
    let log = HeldLog(MemoryLog(store: StoreID(rawValue: 1), isDurable: true))
    let node = try node(world, log)
    let handle = try node.open()
    _ = try write(1...2, node, handle)
    log.holdCompactions()
    world.run(for: day * 2)
    #expect(log.compactionsWaiting == 1)
    // A joiner is answered from the log as it was.
    let bob = try world.node("bob", dialling: ["ada"])
    let bobs = try bob.open()
    handle.set(9)
    #expect(world.run(timeout: .seconds(20)) { bobs.value() == .integer(9) })
    log.letThrough()
    try node.flush(.durable)
    #expect(try node.page(.oldestFirst).changes.map(\.last.counter) == [3])
    let carol = try world.node("carol", dialling: ["ada"])
    let carols = try carol.open()
    #expect(world.run(timeout: .seconds(20)) { carols.value() == .integer(9) })
    #expect(carols.digest() == handle.digest())
  }

  @Test func `gives way to the compaction of a state that came since`() throws {
    let world = World()
    let log = HeldLog(MemoryLog(store: StoreID(rawValue: 1), isDurable: true))
    let node = try node(world, log)
    let handle = try node.open()
    _ = try write(1...2, node, handle)
    let fork = try world.perform { [engine = node.engine] in try await engine.fork(Node.library) }
    fork.handle.set(5, for: "pages")
    log.holdCompactions()
    try world.perform { [engine = node.engine] in try await engine.merge(fork, as: .state) }
    world.run(for: day * 3)
    log.letThrough()
    try node.flush(.durable)
    #expect(try node.page(.oldestFirst).beginning == handle.version)
    #expect(try node.status.logError == nil)
  }
}
