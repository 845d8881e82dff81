import Counting
import Foundation
import Measuring
import StarlingCore
import StarlingEngine
import StarlingSQLite

/// What one commit costs a log on disk besides the disk: of one record, as each `flush(until: .durable)` of a single
/// writer is, or of 64.
enum CountedLog {
  static let names = ["log-commit", "log-commit-64"]

  private static let count = 500

  /// - Returns: How many commits were counted.
  static func run(_ name: String) throws -> Int {
    let executor = ManualExecutor()
    let log = SQLiteLog(directory: Scratch.path("counted"), machine: nil, executor: executor)
    let recordCount = name == "log-commit" ? 1 : 64
    var next: UInt64 = 1
    executor.perform { _ = try await log.open() }
    for isCounted in [false, true] {
      let groups = try (0..<count).map { _ in try (0..<recordCount).map { _ in try record(&next) } }
      let append: @Sendable () async throws -> Void = { for group in groups { try await log.append(group) } }
      if isCounted { Counted.work { executor.perform(append) } } else { executor.perform(append) }
    }
    executor.perform { try await log.close(continuing: ReplicaID(rawValue: 2)) }
    return count
  }

  private static func record(_ next: inout UInt64) throws -> LogRecord {
    guard let document = DocumentID("counted") else { throw UsageError("There is no such document.") }
    defer { next += 1 }
    return LogRecord(
      document: document, replica: ReplicaID(rawValue: 1), firstCounter: next, lastCounter: next,
      bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: next), count: 110))
  }
}
