import StarlingCore

/// Changes of others that no daemon holds which this replica talks to, and since when that is so.
///
/// ```
///   lacking ── for as long as `patience` ──► the daemons are asked ── they still lack it ──► told of, once
///      └────────────── a daemon says that it holds them ───────┴──► forgotten
/// ```
struct StrandedChanges: Sendable {
  /// How long a daemon may take to hear of them from whoever wrote them, or from another daemon.
  static let patience = Duration.seconds(30)

  /// What a review asks for.
  enum Finding: Sendable, Hashable {
    case nothing
    /// What the daemons said is from before: they are to say where they stand.
    case ask
    /// To be told of.
    case news
  }

  private var lacking = VersionVector()
  private var since: Duration?
  /// What was told of, by writer.
  private var told: [ReplicaID: UInt64] = [:]

  /// - Parameters:
  ///   - lacking: the last operation here of each writer from which daemons lack something.
  ///   - saidAt: when the daemons said what they hold, the one that did so first.
  mutating func review(_ lacking: VersionVector, saidAt: Duration, now: Duration) -> Finding {
    guard !lacking.entries.isEmpty else {
      if since != nil { self = Self() }
      return .nothing
    }
    // Less of it is no news: what is left has waited as long.
    if since == nil || !self.lacking.covers(lacking) { since = now }
    self.lacking = lacking
    let news = lacking.entries.filter { told[$0.replica] != $0.counter }
    guard let since, now - since >= Self.patience, !news.isEmpty else { return .nothing }
    guard saidAt >= since + Self.patience else { return .ask }
    for entry in news { told[entry.replica] = entry.counter }
    return .news
  }
}

// What a daemon passed on and lost before its disk had it, as its writer did, stays with those who heard it: a daemon
// with keys takes from a program only what that program wrote, and what is written here stands on it
// (Documentation/Limits.md, "Between peers"). Whoever runs the program is told.
extension Replication {
  /// The daemons that this program talks to; none where one has no key: it takes changes from anybody.
  var daemonsWithKeys: [PeerHandle] {
    guard !policy.isRelay else { return [] }
    let daemons = peers.talking.filter { connections.isTrustedRelay($0) }
    return daemons.allSatisfy { connections.identity(of: $0).key != nil } ? daemons : []
  }

  mutating func reviewStranded(in number: DocumentNumber, at daemons: [PeerHandle]) {
    guard !daemons.isEmpty else { return }
    let document = documents[number].id
    let daemons = daemons.filter { connections.isShared(document, with: $0) }
    guard !daemons.isEmpty, let (held, saidAt) = documents.look(at: number, { $0.pointee.statement(of: daemons) })
    else { return }
    let lacking = documents.look(at: number) { $0.pointee.lacking(at: held) }
    switch documents[number].stranded.review(lacking, saidAt: saidAt, now: now) {
    case .nothing: break
    case .ask:
      let version = documents[number].version
      for daemon in daemons {
        carryOut(documents[number].session.confirm(daemon, version: version, now: now), in: number)
      }
      documents.activate(number)
    case .news:
      for entry in lacking.entries {
        report(.stranded(documents[number].id, entry.replica, held[entry.replica] + 1...entry.counter))
      }
    }
  }
}

extension DocumentState {
  /// What daemons say they hold, together, and when the first of them said so; nil where one has yet to say.
  fileprivate func statement(of daemons: [PeerHandle]) -> (held: VersionVector, saidAt: Duration)? {
    var (held, saidAt) = (VersionVector(), Duration.seconds(Int64.max))
    for daemon in daemons {
      guard let statement = session.statement(of: daemon) else { return nil }
      held.merge(statement.version)
      saidAt = min(saidAt, statement.saidAt)
    }
    return (held, saidAt)
  }

  /// The last operation here of each other writer from which somebody lacks something who holds `held`.
  fileprivate func lacking(at held: VersionVector) -> VersionVector {
    if held.covers(version) { return VersionVector() }
    return VersionVector(
      version.entries.filter { $0.counter > held[$0.replica] && own.acknowledged[$0.replica] == nil })
  }
}
