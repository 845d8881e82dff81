import Dispatch
import Foundation
import StarlingGuard
import StarlingSimulatedStores
import StarlingSimulator
import StarlingTerminal

/// One schedule after another on every core, until the time is over.
package final class Soak: Sendable {
  private let options: SoakOptions
  private let minutes: Double
  private let jobCount: Int
  private let began = Date()
  private let display = ProgressDisplay("Simulating groups")
  private let state = Guarded(State())

  private struct State {
    /// How many schedules were begun.
    var begun: UInt64 = 0
    var tally = Tally()
    var violated: [UInt64] = []
    /// When the counts were printed last.
    var told = Date()
  }

  /// Findings that are made as short as they get; the others are told in one line.
  private static let shrunkCountMax = 3

  package init(_ options: SoakOptions) {
    self.options = options
    minutes = options.minutes ?? (options.scheduleCount == nil ? 1 : .infinity)
    let jobCount = options.jobCount ?? ProcessInfo.processInfo.activeProcessorCount
    self.jobCount = Int(min(UInt64(jobCount), options.scheduleCount ?? .max))
  }

  /// - Returns: Whether nothing was violated.
  package func run() -> Bool {
    RunningSeed.tellWhereTheProcessEnds(jobCount: jobCount)
    DispatchQueue.concurrentPerform(iterations: jobCount) { job in
      while let seed = takeSeed() {
        RunningSeed.all[job].begin(seed)
        note(Schedule(seed: seed).run(planting: nil, stores: stores(of: seed)))
      }
    }
    let (tally, violated) = state.withLock { ($0.tally, $0.violated) }
    display.end()
    print(tally.text(since: began, violated: violated))
    return violated.isEmpty
  }

  /// In each eighth group the real log keeps what the replicas hear, on simulated disks.
  private func stores(of seed: UInt64) -> SimulatedStoreMaker? { seed.isMultiple(of: 8) ? SQLiteStore.make : nil }

  /// The seed of the schedule to run next; nil once the time is over.
  private func takeSeed() -> UInt64? {
    state.withLock { state in
      guard state.begun < options.scheduleCount ?? .max, Date().timeIntervalSince(began) < 60 * minutes,
        !options.endsAtFirst || state.violated.isEmpty
      else { return nil }
      display.show(progress(state.begun))
      defer { state.begun += 1 }
      return options.firstSeed &+ state.begun
    }
  }

  private func progress(_ begun: UInt64) -> ProgressLine.Count {
    if let count = options.scheduleCount { return ProgressLine.Count(begun, of: count, "schedules") }
    return ProgressLine.Count(UInt64(Date().timeIntervalSince(began)), of: UInt64(60 * minutes), "seconds")
  }

  private func note(_ simulation: Simulation) {
    let finding = simulation.finding
    let (number, text) = state.withLock { state in
      state.tally.add(simulation)
      if finding != nil { state.violated.append(simulation.seed) }
      var text: String?
      if Date().timeIntervalSince(state.told) >= 60 {
        state.told = Date()
        text = state.tally.text(since: began, violated: state.violated)
      }
      return (state.violated.count, text)
    }
    if finding != nil || text != nil { display.clear() }
    if let finding { tell(finding, number: number) }
    if let text { print(text) }
    fflush(nil)
  }

  private func tell(_ finding: Finding, number: Int) {
    guard number <= Self.shrunkCountMax, !options.endsAtFirst else {
      return print("seed \(finding.schedule.seed), \(finding.schedule.theme): \(finding.violation)")
    }
    let stores = stores(of: finding.schedule.seed)
    let shrunk = finding.shrunk { $0.finding(planting: nil, stores: stores) }
    print(shrunk)
    if stores != nil { print("Its logs were real ones, on simulated disks (RealLogTests).") }
    if options.printsTrace { print(shrunk.lines.joined(separator: "\n")) }
    do {
      try FileManager.default.createDirectory(atPath: options.failures, withIntermediateDirectories: true)
      let path = "\(options.failures)/\(shrunk.fileName)"
      try shrunk.source.write(toFile: path, atomically: true, encoding: .utf8)
      print("A test that repeats it: \(path). Again: soak --schedules 1 --seed \(finding.schedule.seed)\n")
    } catch {
      print("The test that repeats it cannot be written: \(error)\n\(shrunk.source)")
    }
  }
}
