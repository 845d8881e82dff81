import StarlingCore
import StarlingSession
import StarlingSimulator
import Testing

/// Members prove keys, and one of their daemons lies from the beginning until its key is revoked.
@Suite struct `A relay that lies` {
  private func schedule(_ seed: UInt64, forges: Bool) -> Schedule {
    var schedule = Schedule(calm: seed)
    schedule.replicas = 4
    schedule.topology = seed.isMultiple(of: 2) ? .daemons : .star
    schedule.hasKeys = true
    schedule.hostileRole = .relays
    schedule.hostileForges = forges
    if forges { schedule.documents = ["shared", "other"].compactMap { DocumentID($0) } }
    schedule.faults.lies = 20
    schedule.faults.interruptions = 0.5
    schedule.faults.crashes = 0.5
    schedule.faults.duration = .milliseconds(50) ... .milliseconds(500)
    return schedule
  }

  private func run(_ seeds: ClosedRange<UInt64>, forges: Bool) -> Int {
    var lies = 0
    for seed in seeds {
      let simulation = schedule(seed, forges: forges).run()
      #expect(simulation.violations.isEmpty, "\(simulation.report)")
      lies += simulation.doings[forges ? "forgingRelay" : "lyingRelay", default: 0]
    }
    return lies
  }

  @Test func `about what it and others hold costs the others nothing, once it is cut off`() {
    #expect(run(1...20, forges: false) > 200)
  }

  @Test func `about the contents of documents that its key covers fails no member, and touches no other document`() {
    #expect(run(1...20, forges: true) > 200)
  }
}
