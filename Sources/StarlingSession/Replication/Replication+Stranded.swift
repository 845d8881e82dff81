import StarlingCore

/// Changes of others that no daemon holds which this replica talks to, and since when that is so.
struct StrandedChanges: Sendable {
  /// How long a daemon may take to hear of them from whoever wrote them, or from another daemon.
  static let patience = Duration.seconds(30)

  private var lacking = VersionVector()
  private var since: Duration?
  /// What was told of, by writer.
  private var told: [ReplicaID: UInt64] = [:]

  /// - Parameter lacking: the last operation here of each writer from which daemons lack something.
  /// - Returns: whether that has stood for too long, and is news.
  mutating func review(_ lacking: VersionVector, now: Duration) -> Bool {
    guard !lacking.entries.isEmpty else {
      self = Self()
      return false
    }
    // Less of it is no news: what is left has waited as long.
    if since == nil || !self.lacking.covers(lacking) { since = now }
    self.lacking = lacking
    guard let since, now - since >= Self.patience else { return false }
    let news = lacking.entries.filter { told[$0.replica] != $0.counter }
    for entry in news { told[entry.replica] = entry.counter }
    return !news.isEmpty
  }
}

// What a daemon passed on and lost before its disk had it, as its writer did, stays with those who heard it: a daemon
// takes from a program only what that program wrote, and what is written here stands on it (Documentation/Limits.md,
// "Between peers"). Whoever runs the program is told.
extension Replication {
  mutating func reviewStranded(in number: DocumentNumber) {
    guard !policy.isRelay else { return }
    guard let held = heldByDaemons(of: number) else { return }
    let own = documents[number].own.writers
    let lacking = documents[number].version.entries.filter {
      $0.counter > held[$0.replica] && !own.contains($0.replica)
    }
    guard documents[number].stranded.review(VersionVector(lacking), now: now) else { return }
    for entry in lacking {
      report(.stranded(documents[number].id, entry.replica, held[entry.replica] + 1...entry.counter))
    }
  }

  /// What the daemons that are connected say they hold, together; nil where none is, or one has yet to say.
  private func heldByDaemons(of number: DocumentNumber) -> VersionVector? {
    let daemons = peers.talking.filter { connections.isTrustedRelay($0) }
    guard !daemons.isEmpty else { return nil }
    var held = VersionVector()
    for daemon in daemons {
      guard let version = documents[number].session.version(of: daemon) else { return nil }
      held.merge(version)
    }
    return held
  }
}
