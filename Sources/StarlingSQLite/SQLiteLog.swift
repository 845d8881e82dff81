public import StarlingCore
public import StarlingEngine

/// A `ChangeLog` in one SQLite file.
///
/// ```
///   directory/
///     starling.sqlite        documents, records, snapshots, checkpoints, members, leases
///     starling.sqlite-wal    what of it was written last; there while the store is open
///     lock                   names the process that holds the store
///     ticket                 the clean-shutdown marker, there while the store is closed
///     mark                   how much of the -wal was acknowledged; there while the store is open, and after a crash
/// ```
///
/// - A call of `append` or `compact` is one transaction, on the disk when it returns.
/// - `open` hands a replica id out only where the marker of a clean close proves that nothing was
///   written under it since, and nothing lost: not after a crash, nor from a copy or a backup.
/// - Every row carries a checksum. A damaged file is reported and never altered.
/// - Where the disk cannot be written, `open` succeeds for reading and says that it is not durable;
///   `append` then throws why, and writes once the disk can be written.
///
/// Calls run one after the other on a thread of the log's own, and are not cut short when the
/// calling task is cancelled.
public actor SQLiteLog: ChangeLog {
  /// What an `append` that returned survives.
  public enum Durability: Sendable, Hashable, CaseIterable {
    /// Loss of power.
    case full
    /// A crash of the process, but not of the machine: the last appends may be missing then. The
    /// file stays whole, and the replica takes a new id.
    case normal
  }

  let paths: LogPaths
  private let durability: Durability
  private let machine: String?
  private let acceptsDamage: Bool
  private let movedStore: StoreID?
  private let isMoving: Bool
  private let executor: any SerialExecutor
  private var file: LogFile?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Touches nothing yet.
  ///
  /// - Parameters:
  ///   - directory: holds the store's files and nothing else. Made, for its owner alone, by `open` if it is missing.
  ///   - durability: What a commit must survive.
  ///   - acceptsDamage: whether `open` goes on with what is whole where acknowledged records are missing: a write-ahead
  ///     log that is damaged or cut, or a database that is gone. Otherwise it throws `LogError(.corrupt)` and changes
  ///     nothing. What is missing comes back from the peers that have it.
  public init(directory: String, durability: Durability = .full, acceptsDamage: Bool = false) {
    self.init(
      directory: directory, durability: durability, machine: CleanShutdownMarker.machineID(),
      acceptsDamage: acceptsDamage)
  }

  /// - Parameters:
  ///   - machine: the name of the machine, for clean-shutdown markers.
  ///   - store: of a store that moves here, where there is none yet.
  ///   - isMoving: whether the store is opened although it is on the move, by those who move it.
  ///   - disk: where the directory is; nil for the system's.
  ///   - executor: of the thread that waits for the disk; nil for one of the log's own.
  package init(
    directory: String, durability: Durability = .full, machine: String?, acceptsDamage: Bool = false,
    store: StoreID? = nil, isMoving: Bool = false, on disk: (any StoreDisk)? = nil,
    executor: (any SerialExecutor)? = nil
  ) {
    (movedStore, self.isMoving) = (store, isMoving)
    self.acceptsDamage = acceptsDamage
    paths = LogPaths(directory: directory, on: disk ?? SystemDisk())
    self.durability = durability
    self.machine = machine
    self.executor = executor ?? QueueExecutor(label: "Starling log of \(directory)")
  }

  public func open() async throws -> OpenedLog {
    guard file == nil else { throw LogError(.misuse, "The log in '\(paths.directory)' is open already.") }
    try Self.checkIsHere(paths, isMoving: isMoving)
    let file = try LogFile.open(
      paths, durability: durability, machine: machine, acceptsDamage: acceptsDamage, store: movedStore)
    self.file = file
    let rows = file.documents.values.map(\.row).sorted { $0.name.name < $1.name.name }
    return OpenedLog(
      store: file.store, replica: file.replica, documents: rows.filter { !$0.isForgotten }.map(\.name),
      isDurable: file.refusal == nil, refusal: file.refusal, damage: file.damage,
      forgotten: rows.filter(\.isForgotten).map(\.name), generations: file.generations)
  }

  public func recover(_ document: DocumentID) async throws -> RecoveredDocument {
    try opened().recover(document)
  }

  /// - Throws: `LogError`. The records of the call are then not stored, none of them; those of
  ///   earlier calls are. A caller that goes on appending must repeat them first.
  public func append(_ records: [LogRecord]) async throws {
    try writable().append(records)
  }

  public func records(in document: DocumentID, after version: VersionVector, byteCountMax: Int) async throws
    -> LogAnswer
  {
    try opened().records(in: document, after: version, byteCountMax: byteCountMax)
  }

  public func records(in document: DocumentID, before version: VersionVector, byteCountMax: Int) async throws
    -> LogAnswer
  {
    try opened().records(in: document, before: version, byteCountMax: byteCountMax)
  }

  public func records(
    in document: DocumentID, by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
  ) async throws -> LogAnswer {
    try opened().records(in: document, by: writers, after: version, byteCountMax: byteCountMax)
  }

  public func extent(of document: DocumentID) async throws -> LogExtent {
    let logged = try opened().documents[document]
    return LogExtent(logStart: logged?.logStart ?? VersionVector(), head: logged?.head ?? VersionVector())
  }

  public func snapshot(of document: DocumentID) async throws -> StoredSnapshot? {
    try opened().snapshot(of: document)
  }

  public func remember(_ members: [LogMember], of document: DocumentID) async throws {
    try writable().remember(members, of: document)
  }

  public func remember(_ generations: StoredGenerations) async throws {
    try writable().remember(generations)
  }

  public func remember(leases: [LogLease], of document: DocumentID) async throws {
    try writable().remember(leases: leases, of: document)
  }

  public func compact(_ document: DocumentID, into snapshot: StoredSnapshot) async throws {
    try writable().compact(document, into: snapshot, keeping: [:], appending: [])
  }

  public func compact(
    _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64],
    appending records: [LogRecord]
  ) async throws {
    try writable().compact(document, into: snapshot, keeping: kept, appending: records)
  }

  public nonisolated var keepsCheckpoints: Bool { true }

  /// Written a piece at a time: a call that comes during it waits for one of them at most.
  public func checkpoint(_ document: DocumentID, at state: StoredSnapshot, recordByteCount: Int) async throws {
    let file = try writable()
    var writing = try file.begin(checkpointOf: document, at: state, recordByteCount: recordByteCount)
    while self.file === file, try !file.goOn(&writing) { await Task.yield() }
    file.giveUp(writing)
  }

  public func recoverFromCheckpoint(_ document: DocumentID) async throws -> RecoveredDocument? {
    try opened().recoverFromCheckpoint(document)
  }

  public nonisolated var retractsChanges: Bool { true }

  public func retract(
    _ document: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]
  ) async throws {
    try writable().retract(document, beyond: counters, appending: records)
  }

  public nonisolated var forgetsDocuments: Bool { true }

  public func forget(_ document: DocumentID) async throws {
    try writable().forget(document)
  }

  /// - Throws: `LogError` where no marker could be left. The log is closed all the same.
  public func close(continuing replica: ReplicaID) async throws {
    let file = try opened()
    self.file = nil
    try file.close(continuing: replica)
  }

  /// The open file; one that could only be read is opened again first.
  private func writable() throws -> LogFile {
    let file = try opened()
    guard file.isReadOnly, file.refusal?.isTransient == true else { return file }
    let reopened = try file.reopened(durability: durability)
    self.file = reopened
    return reopened
  }

  private func opened() throws(LogError) -> LogFile {
    guard let file else {
      throw LogError(
        .misuse, "The log in '\(paths.directory)' is not open. Call open() first; after close() it is over.")
    }
    return file
  }
}

extension SQLiteLog.Durability {
  /// SQLite's number for it (sqlite.org/pragma.html#pragma_synchronous).
  var synchronous: Int64 {
    switch self {
    case .full: 2
    case .normal: 1
    }
  }
}
