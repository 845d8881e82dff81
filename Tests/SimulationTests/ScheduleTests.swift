import Foundation
import StarlingCore
import StarlingEngine
import StarlingSimulator
import Testing

@Suite struct `Under any schedule of faults` {
  @Test func `replicas converge and keep what they promised`() {
    var done = EngineCounters()
    for seed in Schedules.seeds {
      var generator = SeededGenerator(seed: seed)
      let simulation = Schedules.simulation(using: &generator, seed: seed)
      simulation.run(for: .seconds(2))
      simulation.heal()
      guard simulation.settle() else {
        Issue.record("\(simulation.report)\nAgain: STARLING_SEED=\(seed) swift test --filter SimulationTests")
        return
      }
      done += simulation.counters
    }
    // A schedule in which nothing goes wrong proves nothing.
    print(done)
    guard Schedules.seeds.count >= 100 else { return }
    #expect(done.gaps > 100 && done.pulls > 1000 && done.malformed > 10)
    #expect(done.snapshotsMerged > 100)
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
    let documents = ["shared", "other"].prefix(generator.chance(0.2) ? 2 : 1).compactMap { DocumentID($0) }
    return Simulation(
      seed: generator.next(), replicas: count, topology: topology, faults: faults, documents: documents,
      history: generator.chance(0.4) ? .stateOnly(byteCountMin: 300) : .everything)
  }
}
