package import StarlingSimulator

/// How soon a fault of the ports is found.
package struct PlantedRow {
  private static let seedMax: UInt64 = 300

  /// Prints a row of the table: after how many schedules it was found, how few steps show it, and what was seen.
  ///
  /// - Returns: Whether it was found.
  package static func tell(_ fault: PlantedFault) -> Bool {
    for seed in 1...seedMax {
      guard let finding = Schedule(seed: seed).finding(planting: fault) else { continue }
      let shrunk = finding.shrunk(runCountMax: 150) { $0.finding(planting: fault) }
      let steps = shrunk.schedule.steps?.count ?? 0
      print("| `\(fault)` | simulated group | \(seed) schedules, \(steps) steps | \(shrunk.violation.prefix(120)) |")
      return true
    }
    return false
  }
}
