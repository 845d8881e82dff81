import Foundation
import StarlingSimulator

/// What an hour of a group's life costs, at several paces of writing.
package struct SimulatedHour {
  private static let replicaCount = 5

  /// Prints a line for each pace: how long the hour took here.
  ///
  /// - Returns: whether nothing was violated.
  package static func tell() -> Bool {
    [0, 0.1, 1].allSatisfy { writesPerSecond in
      var schedule = Schedule(calm: 1)
      schedule.replicas = replicaCount
      schedule.writesPerSecond = writesPerSecond
      schedule.duration = .seconds(3600)
      schedule.looksAtReaders = false
      let began = Date()
      let simulation = schedule.run()
      let seconds = Date().timeIntervalSince(began)
      let writes = simulation.doings["write", default: 0]
      print(String(format: "an hour of \(replicaCount) replicas with %6d writes: %6.1f s", writes, seconds))
      if !simulation.violations.isEmpty { print(simulation.report) }
      return simulation.violations.isEmpty
    }
  }
}
