import StarlingCore
import StarlingEngine
import StarlingSimulator
import Testing

@Suite struct `A group whose members speak two versions` {
  @Test(arguments: Dialect.allCases, Topology.allCases)
  func `holds the same, whichever the other version is`(_ dialect: Dialect, _ topology: Topology) {
    for seed in 1...4 as ClosedRange<UInt64> {
      var schedule = Schedule(calm: seed)
      schedule.replicas = 4
      schedule.topology = topology
      schedule.oddDialect = dialect
      schedule.history = seed.isMultiple(of: 2) ? .everything : .stateOnly(byteCountMin: 300)
      schedule.faults.loss = 0.02
      schedule.faults.crashes = 1
      schedule.faults.interruptions = 1
      schedule.faults.duration = .milliseconds(50) ... .milliseconds(500)
      let simulation = schedule.run()
      #expect(simulation.violations.isEmpty, "\(dialect): \(simulation.report)")
    }
  }
}
