import StarlingEngine
import StarlingSimulator
import Testing

@Suite struct `Where processes stand still for longer than queues hold` {
  /// Some hundred writes a second; a process that stands still misses most of them.
  private func simulation(of seed: UInt64, _ topology: Topology, _ history: EngineConfiguration.History) -> Simulation {
    var faults = Faults()
    faults.freezes = 0.5
    faults.duration = .seconds(4) ... .seconds(10)
    var schedule = Schedule(calm: seed)
    schedule.replicas = 4
    schedule.topology = topology
    schedule.faults = faults
    schedule.history = history
    schedule.writesPerSecond = 100
    // As text and lists grow by a hundred a second, looking at all of it at every change takes the test's time.
    schedule.looksAtReaders = false
    return Simulation(schedule)
  }

  @Test func `all are caught up within two seconds`() {
    var gapCount = 0
    for seed in 1...6 as ClosedRange<UInt64> {
      let topology = Topology.allCases[Int(seed) % Topology.allCases.count]
      let history = seed.isMultiple(of: 2) ? EngineConfiguration.History.everything : .stateOnly(byteCountMin: 2000)
      let simulation = simulation(of: seed, topology, history)
      simulation.run(for: .seconds(12))
      simulation.heal()
      let isCaughtUp = simulation.settle(timeout: .seconds(30))
      #expect(isCaughtUp, "\(simulation.report)")
      #expect(simulation.settlingTime < .seconds(2), "seed \(seed), \(topology), \(history)")
      gapCount += simulation.counters.gaps
    }
    // Else nobody missed anything, and nothing was shown.
    #expect(gapCount > 0)
  }
}
