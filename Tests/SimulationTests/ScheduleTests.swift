import Foundation
import StarlingSimulator
import Testing

@Suite struct `Under any schedule of faults` {
  @Test func `replicas converge and keep what they promised`() {
    for seed in Schedules.seeds {
      var generator = SeededGenerator(seed: seed)
      let simulation = Schedules.simulation(using: &generator, seed: seed)
      simulation.run(for: .seconds(3))
      simulation.heal()
      guard simulation.settle() else {
        Issue.record("\(simulation.report)\nAgain: STARLING_SEED=\(seed) swift test --filter SimulationTests")
        return
      }
    }
  }
}

enum Schedules {
  static var seeds: [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["STARLING_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    let count = environment["STARLING_SCHEDULES"].flatMap { UInt64($0) } ?? 1000
    return Array(1...count)
  }

  static func simulation(using generator: inout SeededGenerator, seed: UInt64) -> Simulation {
    let faults = Faults.random(using: &generator)
    let topology = Topology.allCases.randomElement(using: &generator)!
    let count = Int.random(in: topology == .mixed ? 3...5 : 2...5, using: &generator)
    return Simulation(seed: generator.next(), replicas: count, topology: topology, faults: faults)
  }
}
