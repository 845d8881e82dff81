import StarlingReplica
import Synchronization
import UnixSignals

/// Tells the person at the terminal, and systemd, that the daemon stands by.
final class Waiting: Sendable {
  private let group: String
  private let manager: ServiceManager?
  /// The hash of the process behind which it was said to wait last; 0 for none.
  private let said = Atomic(0)

  init(for group: String, _ manager: ServiceManager?) {
    self.group = group
    self.manager = manager
  }

  /// Called a few times a second while the daemon waits.
  ///
  /// - Parameter holder: nil where nobody is known to hold the log.
  func note(_ holder: String?) {
    if let holder, said.exchange(holder.hashValue, ordering: .relaxed) != holder.hashValue {
      let line = "starlingd stands by for '\(group)': another process (\(holder)) holds the log"
      Output.write(line)
      // A standby that waits is as ready as it gets.
      manager?.tell("READY=1\nSTATUS=\(line)")
    }
    manager?.tell("WATCHDOG=1")
  }
  /// Opens a replica.
  ///
  /// - Parameter untilStopped: whether SIGTERM or SIGINT ends that, as it may wait for days.
  /// - Returns: nil where it was stopped.
  static func open(
    _ group: String, in directory: String?, _ options: BareReplica.Options, untilStopped: Bool
  ) async throws -> BareReplica? {
    guard untilStopped else { return try await BareReplica.open(group, in: directory, options: options) }
    return try await withThrowingTaskGroup(of: BareReplica?.self) { tasks in
      tasks.addTask { try await BareReplica.open(group, in: directory, options: options) }
      tasks.addTask {
        for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { break }
        return nil
      }
      let first = try await tasks.next() ?? nil
      tasks.cancelAll()
      guard first == nil else { return first }
      // It may have been opened in the same moment.
      try await (try? tasks.next())??.close()
      return nil
    }
  }
}
