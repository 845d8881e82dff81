import StarlingEngine
import StarlingSimulator
import Testing

@Suite struct `Under any schedule of faults` {
  @Test func `replicas converge and keep what they promised`() {
    var done = EngineCounters()
    var longest = Duration.zero
    let seeds = Schedules.seeds
    for (number, seed) in seeds.enumerated() {
      // A broken invariant ends the process: this line tells where to look.
      if number % 100 == 0 { print("schedules from \(Schedules.command(for: seed))") }
      let simulation = Schedules.simulation(of: seed)
      simulation.run(for: Schedules.duration)
      simulation.heal()
      let healed = simulation.now
      guard simulation.settle(atMost: .seconds(60)) else {
        Issue.record("\(simulation.report)\nAgain: \(Schedules.command(for: seed))")
        return
      }
      done += simulation.counters
      longest = max(longest, simulation.now - healed)
    }
    print("\(seeds.count) schedules; the longest settled after \(longest)")
    // A schedule in which nothing goes wrong proves nothing.
    guard seeds.count >= 100 else { return }
    #expect(2 * done.gaps >= seeds.count && done.pulls >= 5 * seeds.count, "\(done)")
    #expect(2 * done.snapshotsMerged >= seeds.count && done.malformed > 0, "\(done)")
  }
}
