import StarlingCore
import StarlingSimulator
import Testing

@Suite struct `One seed` {
  @Test(arguments: 1...12 as ClosedRange<UInt64>) func `gives one run`(seed: UInt64) {
    func run() -> (hash: UInt64, digests: [DocumentID: [Digest?]], lines: [String]) {
      let simulation = Schedules.simulation(of: seed)
      simulation.run(for: .seconds(2))
      return (simulation.trace.hash, simulation.digests, simulation.trace.lines)
    }
    let first = run()
    let second = run()
    let parting = zip(first.lines, second.lines).first { $0 != $1 }
    #expect(first.hash == second.hash, "seed \(seed) parts at \(parting.map { "\($0) / \($1)" } ?? "an early line")")
    #expect(first.digests == second.digests, "seed \(seed)")
  }

  @Test func `is another run than the next`() {
    let hashes = (1...4 as ClosedRange<UInt64>).map { seed in
      let simulation = Schedules.simulation(of: seed)
      simulation.run(for: .seconds(1))
      return simulation.trace.hash
    }
    #expect(Set(hashes).count == hashes.count)
  }
}
