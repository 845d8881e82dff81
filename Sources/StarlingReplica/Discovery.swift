import StarlingZeroMQ
import Synchronization

/// The peers that a process talks to on this machine: the group's daemon alone if there is one, or the daemons of its
/// shards (`DaemonName`); everybody else otherwise.
final class Discovery: Sendable {
  private let directory: IPCDirectory
  private let own: String
  private let rounds = Atomic(0)

  /// Sockets without a listener are looked for in one round of this many: asking costs each member a connection.
  private static let roundsPerCleaning = 10

  init(directory: IPCDirectory, own: String) {
    self.directory = directory
    self.own = own
  }

  /// Removes the sockets of those of the endpoints at which nobody listens any more, as after a process was killed.
  func removeStale(at endpoints: [String]) {
    for name in (try? directory.list()) ?? [] where endpoints.contains(directory.endpoint(for: name)) {
      directory.removeStale(name)
    }
  }

  /// Nil where the directory cannot be read now.
  func endpoints() -> [String]? {
    if rounds.add(1, ordering: .relaxed).oldValue.isMultiple(of: Self.roundsPerCleaning) { directory.removeStale() }
    guard let names = try? directory.list() else { return nil }
    return DaemonName.chosen(from: names.filter { $0 != own }).map(directory.endpoint)
  }
}
