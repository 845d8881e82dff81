import StarlingCore
import StarlingSimulator
import Testing

@Suite struct `One seed` {
  private struct Run: Equatable {
    var hash: UInt64
    var digests: [DocumentID: [Digest?]]
    var lines: [String]
    var steps: [Step]

    init(_ schedule: Schedule) {
      let simulation = Simulation(schedule)
      simulation.run(for: schedule.duration)
      (hash, digests, lines) = (simulation.trace.hash, simulation.digests, simulation.trace.lines)
      steps = simulation.steps
    }
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>) func `gives one run`(seed: UInt64) {
    let (first, second) = (Run(Schedule(seed: seed)), Run(Schedule(seed: seed)))
    let parting = zip(first.lines, second.lines).first { $0 != $1 }
    #expect(first.hash == second.hash, "seed \(seed) parts at \(parting.map { "\($0) / \($1)" } ?? "an early line")")
    #expect(first.digests == second.digests, "seed \(seed)")
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>) func `is the same run by its steps`(seed: UInt64) {
    var schedule = Schedule(seed: seed)
    let drawn = Run(schedule)
    schedule.steps = drawn.steps
    let repeated = Run(schedule)
    let parting = zip(drawn.lines, repeated.lines).first { $0 != $1 }
    #expect(drawn.hash == repeated.hash, "seed \(seed) parts at \(parting.map { "\($0) / \($1)" } ?? "an early line")")
    #expect(drawn.steps == repeated.steps && !drawn.steps.isEmpty)
  }

  @Test func `is another run than the next`() {
    let hashes = (1...4 as ClosedRange<UInt64>).map { Run(Schedule(seed: $0)).hash }
    #expect(Set(hashes).count == hashes.count)
  }
}
