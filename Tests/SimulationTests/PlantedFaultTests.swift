import StarlingSimulator
import Testing

@Suite struct `A fault in the program` {
  /// What is first seen of it, and the seed that shows it.
  func find(_ fault: PlantedFault) -> (seed: UInt64, violation: String)? {
    for seed in 1...100 as ClosedRange<UInt64> {
      if let finding = Schedule(seed: seed).finding(planting: fault) { return (seed, finding.violation) }
    }
    return nil
  }

  @Test func `that hides gaps is found within 100 schedules`() throws {
    let (seed, violation) = try #require(find(.hidesGaps))
    #expect(violation.contains("digest") || violation.contains("convergence"), "seed \(seed): \(violation)")
  }

  @Test func `that returns before the disk has it is found within 100 schedules`() throws {
    let (seed, violation) = try #require(find(.returnsTooEarly))
    #expect(violation.contains("is durable, and"), "seed \(seed): \(violation)")
  }

  @Test func `is shown by a few steps`() throws {
    let first = try #require((1...100).lazy.compactMap { Schedule(seed: $0).finding(planting: .returnsTooEarly) }.first)
    let shrunk = first.shrunk { $0.finding(planting: .returnsTooEarly) }
    let steps = try #require(shrunk.schedule.steps)
    #expect(steps.count <= 4, "\(shrunk)")
    // It is the same run whoever repeats it, and a whole one without the fault.
    #expect(shrunk.schedule.finding(planting: .returnsTooEarly)?.violation == shrunk.violation)
    #expect(shrunk.schedule.finding() == nil)
    for step in steps { #expect(shrunk.source.contains("Step(\(step.microseconds), ")) }
  }
}
