import StarlingSession

/// How far a write must have come before `flush` returns.
public enum FlushGoal: Sendable, Hashable {
  /// Handed to the link. A frame may still be lost; peers that miss it will ask.
  case sent
  /// Accepted by this replica's log: on disk, for one that has a disk.
  case durable
  /// Held by this many other stores, be it in memory alone: it is lost if all of these processes end.
  case received(Int)
  /// Held durably by this many other stores, each on a disk of its own. Stores that keep it in memory alone do not
  /// count, nor do peers that may only read: what they say is no promise to anybody.
  case replicated(Int)
}

extension FlushGoal {
  /// Nil for what is so when it was published.
  var waited: Waiters.Goal? {
    switch self {
    case .sent: nil
    case .durable: .durable
    case .received(let count): .received(count)
    case .replicated(let count): .replicated(count)
    }
  }
}
