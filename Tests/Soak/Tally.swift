import Foundation
import StarlingSimulator

/// What was done in many schedules.
struct Tally {
  private var count = 0
  private var seeds: ClosedRange<UInt64>?
  private var doings: [String: Int] = [:]
  private var simulated = Duration.zero
  /// How many schedules took so many tenths of a second to settle.
  private var settlingTimes: [Int: Int] = [:]

  mutating func add(_ simulation: Simulation) {
    let seed = simulation.seed
    count += 1
    seeds = seeds.map { min($0.lowerBound, seed)...max($0.upperBound, seed) } ?? seed...seed
    simulated += simulation.now
    settlingTimes[Int(simulation.settlingTime / .milliseconds(100)), default: 0] += 1
    for (name, number) in simulation.doings { doings[name, default: 0] += number }
  }

  /// The counts, and how fast they came.
  func text(since began: Date, violated: [UInt64]) -> String {
    let minutes = Date().timeIntervalSince(began) / 60
    let hours = Double(simulated.components.seconds) / 3600
    func line(_ names: [String]) -> String {
      names.map { "\($0) \(doings[$0, default: 0])" }.joined(separator: ", ")
    }
    let faults = Set(Action.faultNames + Action.circumstanceNames)
    let seeds = seeds.map { ", seeds \($0)" } ?? ""
    return """
      \(String(format: "%.1f", minutes)) min: \(count) schedules (\(Int(Double(count) / minutes)) a minute\(seeds)), \
      \(String(format: "%.1f", hours)) simulated hours
        done: \(line(doings.keys.filter { !faults.contains($0) }.sorted()))
        faults: \(line(Action.faultNames + Action.circumstanceNames))
        settled: \(settled)
        violations: \(violated.count)\(violated.isEmpty ? "" : " (seeds \(violated.sorted().prefix(20)))")
      """
  }

  /// Half of them, 99 of a hundred and all, by their own clocks.
  private var settled: String {
    func seconds(_ share: Double) -> String {
      var left = Int(share * Double(count))
      for (tenths, number) in settlingTimes.sorted(by: { $0.key < $1.key }) {
        left -= number
        if left <= 0 { return String(format: "%.1f s", Double(tenths) / 10) }
      }
      return "-"
    }
    return "half within \(seconds(0.5)), 99 % within \(seconds(0.99)), all within \(seconds(1)) of simulated time"
  }
}
