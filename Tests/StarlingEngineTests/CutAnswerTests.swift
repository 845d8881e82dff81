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
