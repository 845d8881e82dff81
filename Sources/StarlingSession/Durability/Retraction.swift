package import StarlingCore

/// Changes of this store that the group refuses for good, because their replica id is somebody else's.
///
/// ```
///   id r    1 ───── the group has these │ ── refused ──   and all of ours that stands on them, under whatever id
///                                    counters[r]
/// ```
package struct RefusedChanges: Sendable {
  /// For each id, the last counter that the group has.
  package var counters: [ReplicaID: UInt64] = [:]
  /// The ids under which this store ever wrote the document.
  package var own: Set<ReplicaID> = []

  package init() {}

  package var isEmpty: Bool { counters.isEmpty }
}

/// What the log is to be told at once, after changes were given up here and what they did was written again.
package struct Retraction: Sendable {
  /// Changes that were given up.
  package struct GivenUp: Sendable, Hashable {
    package var replica: ReplicaID
    package var counters: ClosedRange<UInt64>
  }

  /// What the log loses.
  package var counters: [ReplicaID: UInt64]
  /// What it gets: what waited for it and is not given up, and last our own change.
  package internal(set) var records: [LogRecord] = []
  /// Nil where nobody sees any difference.
  package var change: Change?
  /// What stands right after that.
  package var version: VersionVector
  /// Under which id it was written again.
  package var replica: ReplicaID
  package var givenUp: [GivenUp]

  /// - Parameters:
  ///   - former: what stood before.
  ///   - replica: under which id this store writes now.
  package init(
    beyond counters: [ReplicaID: UInt64], of former: VersionVector, change: Change?, version: VersionVector,
    replica: ReplicaID
  ) {
    self.counters = counters
    self.change = change
    self.version = version
    self.replica = change?.replica ?? replica
    givenUp = counters.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { refused, counter in
      former[refused] > counter ? GivenUp(replica: refused, counters: counter + 1...former[refused]) : nil
    }
  }

  /// Whether the record is not given up.
  func leaves(_ record: LogRecord) -> Bool { record.lastCounter <= counters[record.replica] ?? .max }
}

extension VersionVector {
  /// Covers no more of some replicas than is said.
  package func limited(to counters: [ReplicaID: UInt64]) -> VersionVector {
    var version = self
    for (replica, counter) in counters where version[replica] > counter { version[replica] = counter }
    return version
  }
}
