import Foundation
import StarlingSimulator

/// What was done in many schedules.
struct Tally {
  private var count = 0
  private var seeds: ClosedRange<UInt64>?
  private var doings: [String: Int] = [:]
  private var simulated = Duration.zero

  mutating func add(_ simulation: Simulation) {
    let seed = simulation.seed
    count += 1
    seeds = seeds.map { min($0.lowerBound, seed)...max($0.upperBound, seed) } ?? seed...seed
    simulated += simulation.now
    for (name, number) in simulation.doings { doings[name, default: 0] += number }
  }

  /// The counts, and how fast they came.
  func text(since began: Date, violated: [UInt64]) -> String {
    let minutes = Date().timeIntervalSince(began) / 60
    let hours = Double(simulated.components.seconds) / 3600
    func line(_ names: [String]) -> String {
      names.map { "\($0) \(doings[$0, default: 0])" }.joined(separator: ", ")
    }
    let faults = Set(Action.faultNames)
    let seeds = seeds.map { ", seeds \($0)" } ?? ""
    return """
      \(String(format: "%.1f", minutes)) min: \(count) schedules (\(Int(Double(count) / minutes)) a minute\(seeds)), \
      \(String(format: "%.1f", hours)) simulated hours
        done: \(line(doings.keys.filter { !faults.contains($0) }.sorted()))
        faults: \(line(Action.faultNames))
        violations: \(violated.count)\(violated.isEmpty ? "" : " (seeds \(violated.sorted().prefix(20)))")
      """
  }
}
