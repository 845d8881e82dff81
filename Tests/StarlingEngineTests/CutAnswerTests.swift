import StarlingCore
import StarlingEngine
import Testing

@Suite struct `A state that is written down for a peer` {
  let world = World()
  /// Where that is done, which takes as long as nobody runs its jobs.
  let bench = ManualExecutor()

  /// A node whose log reaches back to nothing, and its follower.
  func giver() throws -> (giver: Node, here: DocumentHandle, there: DocumentHandle) {
    let giver = try world.node("giver") {
      $0.keepStateAlone(byteCountMin: 10)
      $0.background = bench
    }
    let here = try giver.open()
    for value in 0..<50 as Range<Int64> { here.set(value) }
    work(for: .milliseconds(100))
    let there = try world.node("follower", dialable: false, dialling: ["giver"]).open()
    // Longer than others would be handed what was written for the follower.
    work(for: .seconds(6))
    #expect(there.version == here.version)
    return (giver, here, there)
  }

  func work(for duration: Duration) {
    for _ in 0..<20 {
      world.run(for: duration / 20)
      bench.runJobs()
    }
  }

  @Test func `holds up none of those who follow`() throws {
    let (_, here, there) = try giver()
    let late = try world.node("late", dialable: false, dialling: ["giver"]).open()
    world.run(for: .milliseconds(100))
    here.set(1000)
    #expect(world.run(timeout: .milliseconds(5)) { there.value() == .integer(1000) })
    #expect(late.version.isEmpty)
    work(for: .milliseconds(100))
    #expect(late.version == here.version && late.value() == .integer(1000))
  }

  @Test func `is written once for all who ask while it is written`() throws {
    let (giver, here, _) = try giver()
    let before = try giver.counters.snapshotsSent
    let alone = try join(["ada"])
    work(for: .seconds(6))
    let together = try join(["bob", "eve", "dan"])
    // Of how many jobs a task consists is the runtime's affair.
    #expect(alone.jobCount > 0 && together.jobCount == alone.jobCount)
    world.run(for: .milliseconds(100))
    #expect((alone.late + together.late).allSatisfy { $0.version == here.version })
    #expect(try giver.counters.snapshotsSent == before + 4)
  }

  /// Has so many join, and then what is to be done for them done.
  private func join(_ names: [String]) throws -> (late: [DocumentHandle], jobCount: Int) {
    let late = try names.map { try world.node($0, dialable: false, dialling: ["giver"]).open() }
    world.run(for: .milliseconds(100))
    return (late, bench.runJobs())
  }
}

@Suite struct `A newcomer that keeps the state alone` {
  let world = World()

  /// A node that keeps all changes, five hundred of one property.
  private func giver() throws -> (giver: Node, here: DocumentHandle) {
    let giver = try world.node("giver", log: MemoryLog(store: StoreID(rawValue: 1), isDurable: true)) {
      $0.checkpointByteCountMin = 1000
    }
    let here = try giver.open()
    for value in 1...500 as ClosedRange<Int64> {
      here.set(value)
      if value.isMultiple(of: 10) { try giver.flush(.durable) }
    }
    return (giver, here)
  }

  private func join(_ name: String, keeping history: EngineConfiguration.History) throws -> (Node, DocumentHandle) {
    let late = try world.node(name, dialable: false, dialling: ["giver"]) { $0.history = history }
    return (late, try late.open())
  }

  @Test func `is sent that in place of changes that outweigh it`() throws {
    let (giver, here) = try giver()
    let (_, there) = try join("late", keeping: .stateOnly(byteCountMin: 2000))
    #expect(world.run { there.version == here.version })
    #expect(there.digest() == here.digest())
    #expect(try giver.counters.snapshotsSent == 1)
    here.set(1000)
    there.set(1, for: "pages")
    #expect(world.run { there.value() == .integer(1000) && here.value(of: "pages") == .integer(1) })
    #expect(there.digest() == here.digest())
    // What it wrote came as a change: a state would have been the end of the giver's history.
    #expect(try giver.history(.oldestFirst).count == 502)
  }

  /// Its log has no record of the state yet, and what others lack is none of it.
  @Test func `that writes before its log has the state leaves others their history`() throws {
    let (giver, here) = try giver()
    let log = HeldLog()
    log.holdCompactions()
    let late = try world.node("late", dialable: false, dialling: ["giver"], log: log) {
      $0.history = .stateOnly(byteCountMin: 2000)
    }
    let there = try late.open()
    #expect(world.run { there.version == here.version && log.compactionsWaiting == 1 })
    try world.perform { await late.engine.setOnline(false) }
    there.set(1, for: "pages")
    try world.perform { await late.engine.setOnline(true) }
    #expect(world.run { here.value(of: "pages") == .integer(1) })
    #expect(try late.counters.snapshotsSent == 0)
    #expect(try giver.history(.oldestFirst).count == 501)
    log.letThrough()
  }

  @Test func `is sent the changes if it keeps as many`() throws {
    let (giver, here) = try giver()
    let (_, there) = try join("late", keeping: .stateOnly(byteCountMin: 1 << 20))
    #expect(world.run { there.version == here.version })
    #expect(try giver.counters.snapshotsSent == 0)
  }

  @Test func `is sent the changes while a transaction is open`() throws {
    let (giver, here) = try giver()
    here.beginTransaction()
    let (_, there) = try join("late", keeping: .stateOnly(byteCountMin: 2000))
    #expect(world.run { there.version == here.version })
    #expect(try giver.counters.snapshotsSent == 0)
    here.endTransaction(message: nil)
  }

  @Test func `that keeps all has all changes`() throws {
    let (giver, here) = try giver()
    let (late, there) = try join("late", keeping: .everything)
    #expect(world.run { there.version == here.version })
    #expect(try late.history(.oldestFirst).count == 500)
    #expect(try giver.counters.snapshotsSent == 0)
  }
}
