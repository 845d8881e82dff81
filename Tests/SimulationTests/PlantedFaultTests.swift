import StarlingSimulator
import Testing

@Suite struct `A fault in the program` {
  /// What is first seen of it, and the seed that shows it.
  func find(_ fault: PlantedFault) -> (seed: UInt64, violation: String)? {
    for seed in 1...100 as ClosedRange<UInt64> {
      let simulation = Schedules.simulation(of: seed, planting: fault)
      simulation.run(for: .seconds(2))
      simulation.heal()
      if !simulation.settle() { return (seed, simulation.violations[0]) }
    }
    return nil
  }

  @Test func `that hides gaps is found within 100 schedules`() throws {
    let (seed, violation) = try #require(find(.hidesGaps))
    #expect(violation.contains("digest") || violation.contains("convergence"), "seed \(seed): \(violation)")
  }

  @Test func `that returns before the disk has it is found within 100 schedules`() throws {
    let (seed, violation) = try #require(find(.returnsTooEarly))
    #expect(violation.contains("is durable, and found"), "seed \(seed): \(violation)")
  }
}
