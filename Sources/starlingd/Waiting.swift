import StarlingReplica
import Synchronization

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
}
