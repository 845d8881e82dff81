import Foundation
import StarlingCore
import StarlingEngine
import StarlingSimulator

/// The random schedules of these tests: of each seed one, small.
enum Schedules {
  /// Those to run: a thousand from the first, or as many as `STARLING_SCHEDULES` says, or from
  /// `STARLING_SEED` on, which without the other is the only one.
  static var seeds: [UInt64] {
    let seed = number("STARLING_SEED")
    let count = number("STARLING_SCHEDULES") ?? (seed == nil ? 1000 : 1)
    let first = seed ?? 1
    return (0..<count).map { first &+ $0 }
  }

  /// How long each goes on before it heals; `STARLING_SECONDS` makes it longer.
  static var duration: Duration {
    .seconds(number("STARLING_SECONDS") ?? 2)
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  static func command(for seed: UInt64) -> String {
    let seconds = number("STARLING_SECONDS").map { "STARLING_SECONDS=\($0) " } ?? ""
    return "\(seconds)STARLING_SEED=\(seed) swift test --filter SimulationTests"
  }

  /// - Parameter fault: one to plant in the program itself.
  static func simulation(of seed: UInt64, planting fault: PlantedFault? = nil) -> Simulation {
    var generator = SeededGenerator(seed: seed)
    let faults = Faults.random(using: &generator)
    let topology = Topology.allCases.randomElement(using: &generator)!
    let count = Int.random(in: topology == .mixed || topology == .daemons ? 3...5 : 2...5, using: &generator)
    let documents = ["shared", "other"].prefix(generator.chance(0.2) ? 2 : 1).compactMap { DocumentID($0) }
    let otherwise: EngineConfiguration.History = seed.isMultiple(of: 3) ? .days(0) : .everything
    return Simulation(
      seed: generator.next(), replicas: count, topology: topology, faults: faults, documents: documents,
      history: generator.chance(0.4) ? .stateOnly(byteCountMin: 300) : otherwise, fault: fault)
  }
}
