import Foundation
import StarlingCore
import StarlingEngine
import StarlingSimulator

/// The random schedules of these tests: of each seed one, small.
enum Schedules {
  /// Those to run: three hundred from the first, which a debug build runs in about a minute, or as many as
  /// `STARLING_SCHEDULES` says, or from `STARLING_SEED` on, which without the other is the only one.
  static var seeds: [UInt64] {
    let seed = number("STARLING_SEED")
    let count = number("STARLING_SCHEDULES") ?? (seed == nil ? 300 : 1)
    let first = seed ?? 1
    return (0..<count).map { first &+ $0 }
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  static func command(for seed: UInt64) -> String {
    "STARLING_SEED=\(seed) swift test --filter SimulationTests"
  }

  /// `STARLING_SECONDS` makes it longer than two seconds.
  static func schedule(of seed: UInt64) -> Schedule {
    var schedule = Schedule(seed: seed)
    if let seconds = number("STARLING_SECONDS") { schedule.duration = .seconds(seconds) }
    return schedule
  }
}

extension Schedules {
  /// Puts a test that repeats the finding into `STARLING_FAILURES`, or `.build/failures`.
  ///
  /// - Returns: Where it is.
  static func write(_ finding: Finding) throws -> String {
    let folder = ProcessInfo.processInfo.environment["STARLING_FAILURES"] ?? ".build/failures"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/\(finding.fileName)"
    try finding.source.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }
}
