import Foundation
import StarlingCore
import StarlingEngine
import StarlingSimulator

/// The random schedules of these tests: of each seed one, small.
enum Schedules {
  /// Those to run: `STARLING_SEED` alone, or as many as `STARLING_SCHEDULES` says, or a thousand.
  static var seeds: [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["STARLING_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    let count = environment["STARLING_SCHEDULES"].flatMap { UInt64($0) } ?? 1000
    return count == 0 ? [] : Array(1...count)
  }

  static func command(for seed: UInt64) -> String {
    "STARLING_SEED=\(seed) swift test --filter SimulationTests"
  }

  /// - Parameter dress: see `Simulation`.
  static func simulation(
    of seed: UInt64, dress: @escaping @Sendable (any PeerLink) -> any PeerLink = { $0 }
  ) -> Simulation {
    var generator = SeededGenerator(seed: seed)
    let faults = Faults.random(using: &generator)
    let topology = Topology.allCases.randomElement(using: &generator)!
    let count = Int.random(in: topology == .mixed ? 3...5 : 2...5, using: &generator)
    let documents = ["shared", "other"].prefix(generator.chance(0.2) ? 2 : 1).compactMap { DocumentID($0) }
    return Simulation(
      seed: generator.next(), replicas: count, topology: topology, faults: faults, documents: documents,
      history: generator.chance(0.4) ? .stateOnly(byteCountMin: 300) : .everything, dress: dress)
  }
}
