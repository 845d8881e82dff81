import StarlingCore
import StarlingSimulator
import Testing

/// Processes that keep nothing come to a daemon and go, in good order or killed, under all network faults.
@Suite struct `Guests of a group` {
  private static let shared = DocumentID("shared")!

  private func simulation(_ seed: UInt64, _ topology: Topology, _ change: (inout Faults) -> Void) -> Simulation {
    var faults = Faults.none
    change(&faults)
    var schedule = Schedule(calm: seed)
    schedule.replicas = 5
    schedule.topology = topology
    schedule.faults = faults
    schedule.guests = 3
    return Simulation(schedule)
  }

  @Test(arguments: 1...24 as ClosedRange<UInt64>) func `leave equal states, whatever goes wrong`(seed: UInt64) {
    let topology = [Topology.mesh, .star, .mixed][Int(seed) % 3]
    let simulation = simulation(seed, topology) { faults in
      faults = .everythingForGuests
      if seed.isMultiple(of: 2) { (faults.restorations, faults.crashes) = (0, 2) }
    }
    simulation.run(for: .seconds(4))
    simulation.heal()
    #expect(simulation.settle(), "\(simulation.report)")
  }

  @Test func `write under ids that others wrote under before`() {
    var grants = 0
    var leasedAgain = 0
    for seed in 1...5 as ClosedRange<UInt64> {
      let simulation = simulation(seed, .star) { faults in
        faults.restarts = 4
        faults.duration = .milliseconds(20) ... .milliseconds(200)
      }
      simulation.run(for: .seconds(10))
      simulation.heal()
      #expect(simulation.settle(), "\(simulation.report)")
      for number in simulation.leaseNumbers(of: Self.shared) {
        grants += Int(number)
        leasedAgain += Int(number) - 1
      }
    }
    #expect(leasedAgain * 2 > grants, "\(leasedAgain) of \(grants) leases were of ids that had been leased before")
  }
}

extension Faults {
  fileprivate static var everythingForGuests: Faults {
    var faults = Faults()
    faults.loss = 0.02
    faults.duplication = 0.05
    faults.delay = .milliseconds(1) ... .milliseconds(30)
    faults.partitions = 0.3
    faults.interruptions = 0.5
    faults.absences = 0.3
    faults.freezes = 0.5
    faults.crashes = 2
    faults.restarts = 2
    faults.restorations = 1
    faults.diskFailures = 0.1
    faults.diskDelay = .zero ... .milliseconds(20)
    faults.duration = .milliseconds(20) ... .milliseconds(500)
    return faults
  }
}
