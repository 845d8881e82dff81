import Counting
import Foundation
import Measuring
import StarlingCore
import StarlingEngine
import StarlingGuard
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
    perform(on: executor) { _ = try await log.open() }
    for isCounted in [false, true] {
      let groups = try (0..<count).map { _ in try (0..<recordCount).map { _ in try record(&next) } }
      let append: @Sendable () async throws -> Void = { for group in groups { try await log.append(group) } }
      if isCounted { Counted.work { perform(on: executor, append) } } else { perform(on: executor, append) }
    }
    perform(on: executor) { try await log.close(continuing: ReplicaID(rawValue: 2)) }
    return count
  }

  private static func perform(on executor: ManualExecutor, _ body: @escaping @Sendable () async throws -> Void) {
    let hasEnded = Guarded(false)
    Task(executorPreference: executor) {
      do { try await body() } catch { fatalError("The log refused: \(error)") }
      hasEnded.withLock { $0 = true }
    }
    while executor.runJobs() > 0 {}
    precondition(hasEnded.withLock { $0 }, "The log waits for something that nobody runs.")
  }

  private static func record(_ next: inout UInt64) throws -> LogRecord {
    guard let document = DocumentID("counted") else { throw UsageError("There is no such document.") }
    defer { next += 1 }
    return LogRecord(
      document: document, replica: ReplicaID(rawValue: 1), firstCounter: next, lastCounter: next,
      bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: next), count: 110))
  }
}
