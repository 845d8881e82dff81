public import StarlingCore

/// What this store wrote in a document, under whatever replica ids, and how much of it another durable store has
/// acknowledged. Until then compaction leaves those changes in the log: only this store can bring them to a peer that
/// takes no states from it.
///
/// ```
///   changes of one of our ids   1 ─────── acknowledged │ ─────────── last
///                                may leave the log     │ stay in it
/// ```
public struct OwnWrites: Hashable, Sendable {
  /// For each of our ids, up to which counter another durable store holds its changes.
  public private(set) var acknowledged: [ReplicaID: UInt64] = [:]

  /// A counter that a version may hold has 63 bits.
  private static let counterMax: UInt64 = 1 << 63 - 2

  public init() {}

  /// Goes on from what an earlier run of this store remembered.
  public init(_ remembered: VersionVector) {
    for entry in remembered.entries { acknowledged[entry.replica] = entry.counter - 1 }
  }

  /// For each of our ids the first counter that nobody else is known to hold: what a later run goes on from.
  public var remembered: VersionVector {
    VersionVector(
      acknowledged.map { VersionVector.Entry(replica: $0.key, counter: min($0.value, Self.counterMax) + 1) })
  }

  public var writers: Set<ReplicaID> { Set(acknowledged.keys) }

  /// This store writes under `replica`.
  ///
  /// - Returns: whether that is new.
  public mutating func note(_ replica: ReplicaID) -> Bool {
    guard acknowledged[replica] == nil else { return false }
    acknowledged[replica] = 0
    return true
  }

  /// A durable store says that it holds `version`.
  ///
  /// - Parameter held: what we hold. What somebody claims of our ids beyond it was not written by us.
  public mutating func acknowledge(_ version: VersionVector, held: VersionVector) {
    for (replica, counter) in acknowledged {
      let counterNow = min(version[replica], held[replica])
      if counterNow > counter { acknowledged[replica] = counterNow }
    }
  }

  /// Whether our own changes, as far as they still are in the log, are all that a peer at `version` lacks of
  /// `logStart`.
  public func bridge(from version: VersionVector, to logStart: VersionVector) -> Bool {
    logStart.entries.allSatisfy { entry in
      let counter = version[entry.replica]
      if counter >= entry.counter { return true }
      return acknowledged[entry.replica].map { counter >= $0 } ?? false
    }
  }
}
