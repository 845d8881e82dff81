public import StarlingCore

/// What an engine has done, and where it stands at the moment: everything of it that is worth a curve.
public struct EngineMeasurements: Sendable {
  /// How one connection stands; each has one of these.
  public enum Standing: String, Sendable, Hashable, CaseIterable {
    /// Connected, and has not said who it is.
    case silent
    /// Refused us, or was refused.
    case refused
    /// Holds equal versions of a document and another state.
    case diverged
    /// Passes on what others wrote.
    case relay
    /// A peer that holds documents and does not pass on what others wrote.
    case member
  }

  /// What was done since the engine started.
  public var counters: EngineCounters
  /// How many connections stand how.
  public var peers: [Standing: Int]
  /// Endpoints that are dialled, and those of them at which nobody answers.
  public var endpointsDialled: Int
  /// Endpoints that are dialled and at which nobody answers.
  public var endpointsUnreachable: Int
  /// Whether the log fails, so that nothing is acknowledged.
  public var hasLogFailed: Bool
  /// Documents that are not served, as what the log holds of them cannot be read.
  public var documentsQuarantined: Int
  /// Documents that the log holds and that are not open, as no peer uses them.
  public var documentsClosed: Int
  /// Those who wait for a flush or for capacity.
  public var waiters: Int
  /// Answers that wait until their askers take what is on its way.
  public var answersWaiting: Int
  /// Ascending by name.
  public var documents: [DocumentMeasurements]
}

/// Where one document stands.
public struct DocumentMeasurements: Sendable {
  /// The document's id.
  public var id: DocumentID
  /// Operations that are merged here, of all writers.
  public var operations: UInt64
  /// The length of its version: of every replica id that ever wrote.
  public var writers: Int
  /// Properties with several values beside each other (`Document.conflictCount`).
  public var conflicts: Int
  /// Changes that are held until what they stand on has come.
  public var changesHeld: Int
  /// Bytes of changes, and records, that wait for the log.
  public var backlogBytes: Int
  /// Records that wait for the log.
  public var recordsWaiting: Int
  /// Asks that are held back until the log keeps up.
  public var pullsPostponed: Int
  /// Bytes that presence of others takes.
  public var presenceBytes: Int
  /// What keys are charged for the presence that they brought.
  public var presenceBytesCharged: Int
  /// Operations that the log has not accepted.
  public var operationsUnlogged: UInt64
  /// Of this replica's own operations those that no other store has acknowledged.
  public var operationsUnacknowledged: UInt64
  /// Operations that not every member is known to have, behind which tombstones are collected.
  public var operationsUnstable: UInt64
  /// Other stores that take part.
  public var members: Int
  /// What the log holds: its latest snapshot, and the records since.
  public var snapshotBytes: Int
  /// Bytes of the records since the latest snapshot.
  public var recordBytes: Int
}
