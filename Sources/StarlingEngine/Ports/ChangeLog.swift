public import StarlingCore
public import StarlingSession

/// Where a replica keeps what it must not forget: one of the engine's two ports.
///
/// The engine calls it from one task at a time for writing (`append`, `compact`, `close`) and from any
/// for reading. Bytes are opaque to the log: records are batches as `StarlingWire` writes them.
///
/// What an implementation guarantees:
/// - `append` returns only once every record of the call would survive a crash, all or none.
/// - Records come back in the order in which they were appended, which is a causal order.
/// - It hands out a replica id only if it can prove that no later dot of that id was ever used.
public protocol ChangeLog: Sendable {
  /// Opens or makes the store. Called once, first.
  ///
  /// - Throws: `LogError`, saying who holds the file or what is wrong with it.
  func open() async throws -> OpenedLog

  /// The latest snapshot of a document, the records appended after it, and the members.
  func recover(_ document: DocumentID) async throws -> RecoveredDocument

  /// Appends records of one group commit. Begins on the engine's thread: a log that need not wait, as one in memory,
  /// is done there, and every change is spared two changes of threads.
  ///
  /// Where it throws an error that may pass (`LogError.isTransient`), the engine repeats the records; with none of them
  /// where nothing waits, to learn whether the log works again.
  nonisolated(nonsending) func append(_ records: [LogRecord]) async throws

  /// What a peer that holds `version` lacks, oldest first, at least one record if there is any and
  /// then at most `byteCountMax` bytes of them; records that it holds in part come whole.
  func records(in document: DocumentID, after version: VersionVector, byteCountMax: Int) async throws -> LogAnswer

  /// What `version` covers and the snapshot does not, newest first: the reverse of the order of
  /// appending; at least one record if there is any and then at most `byteCountMax` bytes of them;
  /// records that `version` covers in part come whole.
  func records(in document: DocumentID, before version: VersionVector, byteCountMax: Int) async throws -> LogAnswer

  /// What is stored of the changes of `writers` and `version` does not cover, oldest first, whether or not a snapshot
  /// covers it; at least one record if there is any and then at most `byteCountMax` bytes of them. Never
  /// `belowLogStart`.
  func records(
    in document: DocumentID, by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
  ) async throws -> LogAnswer

  /// From where to where the records of a document reach.
  func extent(of document: DocumentID) async throws -> LogExtent

  /// The latest snapshot of a document, on which its records stand.
  func snapshot(of document: DocumentID) async throws -> StoredSnapshot?

  /// Stores a snapshot and forgets the records it covers, all of whose changes it covers. The log start
  /// rises to its version, which may lie anywhere among the records.
  func compact(_ document: DocumentID, into snapshot: StoredSnapshot) async throws

  /// The same, but the records of some writers stay although the snapshot covers them: those with changes beyond the
  /// counter that `kept` names for the writer. Records appended until the next compaction stay by the same rule.
  /// `recover` returns them with the others; nothing else does but `records(in:by:after:byteCountMax:)`.
  ///
  /// `records` are appended in the same step: changes of the snapshot that the log has no record of, and must not lose.
  func compact(
    _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64],
    appending records: [LogRecord]
  ) async throws

  /// Whether `checkpoint` is more than a refusal.
  var keepsCheckpoints: Bool { get }

  /// Stores a state of the document beside its records, which all stay: recovery may begin with it instead of with the
  /// oldest record. It takes the place of the checkpoint before, which stands until this one is whole.
  ///
  /// May be called beside every other call, and by one caller at a time for a document. An implementation that has much
  /// to write lets appends through; a `compact`, `retract` or `forget` during the write stands, and the checkpoint is
  /// not stored.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - state: What it holds, as bytes of a snapshot.
  ///   - recordByteCount: the weight of the records that the state covers, to be returned with it.
  /// - Throws: `LogError(.misuse)` where the state covers changes that the log does not hold, or does not cover the
  ///   snapshot. `LogError(.unsupported)` where this log cannot.
  func checkpoint(_ document: DocumentID, at state: StoredSnapshot, recordByteCount: Int) async throws

  /// What `recover` returns, without the history behind the latest checkpoint: that in place of the snapshot, and the
  /// records that it does not cover. Nil where there is no checkpoint. Damage in the history behind it shows when that
  /// is read.
  ///
  /// - Throws: `LogError` where the checkpoint or what came after it is not as it was written; `recover`, which does
  ///   not need the checkpoint, tells whether the document is damaged.
  func recoverFromCheckpoint(_ document: DocumentID) async throws -> RecoveredDocument?

  /// Whether `retract` is more than a refusal.
  var retractsChanges: Bool { get }

  /// Removes the records of some writers that lie beyond the counter named for each, changes that no other store will
  /// ever hold, and appends `records`: all in one step.
  ///
  /// - Throws: `LogError(.misuse)` where a record lies on both sides of its writer's counter, or the snapshot covers
  ///   more of the writer; then nothing is changed. `LogError(.unsupported)` where this log cannot.
  func retract(
    _ document: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]
  ) async throws

  /// Stores who takes part in a document, in place of what was stored before.
  func remember(_ members: [LogMember], of document: DocumentID) async throws

  /// Stores which replica ids are leased for a document, in place of what was stored before.
  func remember(leases: [LogLease], of document: DocumentID) async throws

  /// Stores how often the store was started, and which starts of others are known, in place of what was stored before.
  /// A greater number of its own that is stored stays.
  func remember(_ generations: StoredGenerations) async throws

  /// Whether `forget` is more than a refusal.
  var forgetsDocuments: Bool { get }

  /// Removes all that is stored of a document, and stores its name among those that are forgotten
  /// (`OpenedLog.forgotten`), in one step. Nothing is appended to it afterwards.
  ///
  /// - Throws: `LogError(.unsupported)` where this log cannot.
  func forget(_ document: DocumentID) async throws

  /// Closes in good order, so that the next `open` may hand `replica` out again.
  func close(continuing replica: ReplicaID) async throws
}

extension ChangeLog {
  /// For logs that keep nothing which a snapshot covers: a replica with such a log cannot bring its changes to a peer
  /// that takes no states from it, once they are compacted.
  public func compact(
    _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64],
    appending records: [LogRecord]
  ) async throws {
    try await compact(document, into: snapshot)
    if !records.isEmpty { try await append(records) }
  }

  /// `compact(_:into:keeping:appending:)` where the log has all records.
  public func compact(
    _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64]
  ) async throws {
    try await compact(document, into: snapshot, keeping: kept, appending: [])
  }

  /// For the same logs: all that they have lies above the snapshot.
  public func records(
    in document: DocumentID, by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
  ) async throws -> LogAnswer {
    var version = version
    version.merge(try await extent(of: document).logStart)
    var found: [LogRecord] = []
    while true {
      // A compaction may come between the two calls; the requester asks again.
      guard
        case .records(let records, let isComplete) = try await self.records(
          in: document, after: version, byteCountMax: byteCountMax)
      else { return .records([], isComplete: true) }
      for record in records {
        version[record.replica] = max(version[record.replica], record.lastCounter)
        if writers.contains(record.replica) { found.append(record) }
      }
      if isComplete || !found.isEmpty { return .records(found, isComplete: isComplete) }
    }
  }

  /// For logs that keep none: opening a document takes as long as its records are many.
  public var keepsCheckpoints: Bool { false }

  public func checkpoint(_ document: DocumentID, at state: StoredSnapshot, recordByteCount: Int) async throws {
    throw LogError(.unsupported, "This kind of log keeps no checkpoint of '\(document)'.")
  }

  public func recoverFromCheckpoint(_ document: DocumentID) async throws -> RecoveredDocument? { nil }

  public var retractsChanges: Bool { false }

  public func retract(
    _ document: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]
  ) async throws {
    throw LogError(.unsupported, "This kind of log cannot take changes of '\(document)' back.")
  }

  /// For logs that do not count: peers cannot tell when such a store was put back from a copy.
  public func remember(_ generations: StoredGenerations) async throws {}

  public var forgetsDocuments: Bool { false }

  public func forget(_ document: DocumentID) async throws {
    throw LogError(
      .unsupported, "This kind of log cannot forget '\(document)'. Empty the document, or remove the whole store.")
  }
}

/// What `ChangeLog.open` found.
public struct OpenedLog: Sendable {
  /// The store's id, which it keeps for life.
  public var store: StoreID
  /// The id under which the store may go on writing; nil means: take a new one.
  public var replica: ReplicaID?
  /// The documents that the log holds something of.
  public var documents: [DocumentID]
  /// Whether what is appended survives the process.
  public var isDurable: Bool
  /// Why the log can only be read; `isDurable` is false then. Where it may pass, the engine tries to append.
  public var refusal: LogError?
  /// Acknowledged records that were missing, and whose loss was accepted; `replica` is nil then.
  public var damage: LogError?
  /// Documents that are forgotten for good.
  public var forgotten: [DocumentID]
  /// How often the store was started, this time included, and the known starts of others.
  public var generations: StoredGenerations

  /// Describes what `open` found.
  public init(
    store: StoreID, replica: ReplicaID?, documents: [DocumentID], isDurable: Bool, refusal: LogError? = nil,
    damage: LogError? = nil, forgotten: [DocumentID] = [], generations: StoredGenerations = StoredGenerations()
  ) {
    self.generations = generations
    self.forgotten = forgotten
    self.store = store
    self.replica = replica
    self.documents = documents
    self.isDurable = isDurable
    self.refusal = refusal
    self.damage = damage
  }
}

/// What a log holds of one document.
public struct RecoveredDocument: Sendable {
  /// The state to begin with; nil where the records are all there is.
  public var snapshot: StoredSnapshot?
  /// The records that follow the state, in the order of appending.
  public var records: [LogRecord]
  /// The members of the document that were remembered.
  public var members: [LogMember]
  /// The leases of replica ids that were remembered.
  public var leases: [LogLease]
  /// What lies behind `snapshot` where that is a checkpoint; nil where it is the snapshot.
  public var history: HistoryBehind?

  /// The history behind a checkpoint, which was not read.
  public struct HistoryBehind: Hashable, Sendable {
    /// What the snapshot covers.
    public var logStart: VersionVector
    /// The weight of the records from there to the checkpoint.
    public var byteCount: Int

    /// Describes the history behind a checkpoint.
    public init(logStart: VersionVector, byteCount: Int) {
      self.logStart = logStart
      self.byteCount = byteCount
    }
  }

  /// Describes what a log holds of one document.
  public init(
    snapshot: StoredSnapshot?, records: [LogRecord], members: [LogMember] = [], leases: [LogLease] = [],
    history: HistoryBehind? = nil
  ) {
    self.history = history
    self.snapshot = snapshot
    self.records = records
    self.members = members
    self.leases = leases
  }
}

/// Where the history of a document begins and how far it goes.
///
/// ```
///      log start                                 head
///   ───────┤ record │ record │ ... │ record │ ─────┤
///   compacted                                      nothing is accepted yet
/// ```
public struct LogExtent: Hashable, Sendable {
  /// What the snapshot covers; empty where nothing was ever compacted.
  public var logStart: VersionVector
  /// How far each writer got, by the records and the log start.
  public var head: VersionVector

  /// Describes where a history begins and ends.
  public init(logStart: VersionVector, head: VersionVector) {
    self.logStart = logStart
    self.head = head
  }
}

/// What a log can offer to a peer that holds some version.
public enum LogAnswer: Sendable {
  /// `isComplete` is false where more follows what fitted.
  case records([LogRecord], isComplete: Bool)
  /// The requester does not cover the log start: only state can bring it up to date.
  case belowLogStart
}
