public import StarlingCore
import StarlingGuard

/// A log that lives as long as its object: for replicas without a disk, and for simulated crashes.
///
/// Calling `open` again without `close` is a crash and a restart: everything that `append` and
/// `compact` returned from is there, and the replica id is not.
public final class MemoryLog: ChangeLog {
  private let store: StoreID
  private let isDurable: Bool
  private let state = Guarded(State())

  private struct State: Sendable {
    var isOpen = false
    /// What `close` left for the next `open`.
    var cleanShutdownMarker: ReplicaID?
    var documents: [DocumentID: LoggedDocument] = [:]
    var forgotten: Set<DocumentID> = []
    var generations = StoredGenerations()

    func requireOpen() throws(LogError) {
      guard isOpen else {
        throw LogError(.misuse, "The log is not open. Call open() first; after close() it is over.")
      }
    }
  }

  /// - Parameters:
  ///   - store: the name of the store that `open` reports.
  ///   - isDurable: what `open` reports, and so what peers are told. True only in a simulation,
  ///     where the object stands for a disk.
  public init(store: StoreID, isDurable: Bool = false) {
    self.store = store
    self.isDurable = isDurable
  }

  /// A store with a name drawn at random.
  public convenience init(isDurable: Bool = false) {
    var generator = SystemRandomNumberGenerator()
    self.init(store: .random(using: &generator), isDurable: isDurable)
  }

  /// What a crash would leave of another log at this moment, for tests and simulations.
  package init(copying log: MemoryLog) {
    store = log.store
    isDurable = log.isDurable
    state.withLock { [copy = log.state.withLock { ($0.documents, $0.generations) }] in
      ($0.documents, $0.generations) = copy
    }
  }

  /// What is put back of another log that is closed, with all that it left for the next `open`, for tests and
  /// simulations.
  package init(restoring log: MemoryLog) {
    store = log.store
    isDurable = log.isDurable
    state.withLock { [copy = log.state.withLock { $0 }] in $0 = copy }
  }

  public func open() async throws -> OpenedLog {
    state.withLock { state in
      state.isOpen = true
      state.generations.own += 1
      defer { state.cleanShutdownMarker = nil }
      let documents = state.documents.keys.sorted { $0.name < $1.name }
      return OpenedLog(
        store: store, replica: state.cleanShutdownMarker, documents: documents, isDurable: isDurable,
        forgotten: state.forgotten.sorted { $0.name < $1.name }, generations: state.generations)
    }
  }

  public func recover(_ document: DocumentID) async throws -> RecoveredDocument {
    try state.withLock { state in
      try state.requireOpen()
      let logged = state.documents[document] ?? LoggedDocument()
      return RecoveredDocument(
        snapshot: logged.snapshot, records: logged.records, members: logged.members, leases: logged.leases)
    }
  }

  public nonisolated(nonsending) func append(_ records: [LogRecord]) async throws {
    try state.withLock { state in
      try state.requireOpen()
      for record in records { try record.checkCounters() }
      for record in records { state.documents[record.document, default: LoggedDocument()].append(record) }
    }
  }

  public func records(in document: DocumentID, after version: VersionVector, byteCountMax: Int) async throws
    -> LogAnswer
  {
    try state.withLock { state in
      try state.requireOpen()
      guard let logged = state.documents[document] else { return .records([], isComplete: true) }
      return logged.records(after: version, byteCountMax: byteCountMax)
    }
  }

  public func records(in document: DocumentID, before version: VersionVector, byteCountMax: Int) async throws
    -> LogAnswer
  {
    try state.withLock { state in
      try state.requireOpen()
      guard let logged = state.documents[document] else { return .records([], isComplete: true) }
      return logged.records(before: version, byteCountMax: byteCountMax)
    }
  }

  public func records(
    in document: DocumentID, by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
  ) async throws -> LogAnswer {
    try state.withLock { state in
      try state.requireOpen()
      guard let logged = state.documents[document] else { return .records([], isComplete: true) }
      return logged.records(by: writers, after: version, byteCountMax: byteCountMax)
    }
  }

  public func extent(of document: DocumentID) async throws -> LogExtent {
    try state.withLock { state in
      try state.requireOpen()
      return state.documents[document]?.extent ?? LogExtent(logStart: VersionVector(), head: VersionVector())
    }
  }

  public func snapshot(of document: DocumentID) async throws -> StoredSnapshot? {
    try state.withLock { state in
      try state.requireOpen()
      return state.documents[document]?.snapshot
    }
  }

  public func remember(_ generations: StoredGenerations) async throws {
    try state.withLock { state in
      try state.requireOpen()
      state.generations = StoredGenerations(
        own: max(state.generations.own, generations.own), others: generations.others)
    }
  }

  public func remember(_ members: [LogMember], of document: DocumentID) async throws {
    try state.withLock { state in
      try state.requireOpen()
      state.documents[document, default: LoggedDocument()].members = members
    }
  }

  public func remember(leases: [LogLease], of document: DocumentID) async throws {
    try state.withLock { state in
      try state.requireOpen()
      state.documents[document, default: LoggedDocument()].leases = leases
    }
  }

  public func compact(_ document: DocumentID, into snapshot: StoredSnapshot) async throws {
    try await compact(document, into: snapshot, keeping: [:])
  }

  public func compact(
    _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64],
    appending records: [LogRecord]
  ) async throws {
    try state.withLock { state in
      try state.requireOpen()
      for record in records { try record.checkCounters() }
      var logged = state.documents[document] ?? LoggedDocument()
      try snapshot.checkCovers(logged.logStart)
      logged.compact(into: snapshot, keeping: kept)
      for record in records { logged.append(record) }
      state.documents[document] = logged
    }
  }

  public var keepsCheckpoints: Bool { true }

  public func checkpoint(_ document: DocumentID, at checkpoint: StoredSnapshot, recordByteCount: Int) async throws {
    try state.withLock { state in
      try state.requireOpen()
      var logged = state.documents[document] ?? LoggedDocument()
      try checkpoint.checkStands(in: logged.extent)
      (logged.checkpoint, logged.checkpointRecordByteCount) = (checkpoint, recordByteCount)
      state.documents[document] = logged
    }
  }

  public func recoverFromCheckpoint(_ document: DocumentID) async throws -> RecoveredDocument? {
    try state.withLock { state in
      try state.requireOpen()
      guard let logged = state.documents[document], let checkpoint = logged.checkpoint else { return nil }
      return RecoveredDocument(
        snapshot: checkpoint, records: logged.records.filter { $0.lastCounter > checkpoint.version[$0.replica] },
        members: logged.members, leases: logged.leases,
        history: .init(logStart: logged.logStart, byteCount: logged.checkpointRecordByteCount))
    }
  }

  public var retractsChanges: Bool { true }

  public func retract(
    _ document: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]
  ) async throws {
    try state.withLock { state in
      try state.requireOpen()
      for record in records { try record.checkCounters() }
      var logged = state.documents[document] ?? LoggedDocument()
      try logged.logStart.checkRetractable(beyond: counters)
      for record in logged.records {
        try LogRecord.checkRetractable(
          record.replica, from: record.firstCounter, to: record.lastCounter, beyond: counters)
      }
      logged.records.removeAll { $0.lastCounter > counters[$0.replica] ?? .max }
      for record in records { logged.append(record) }
      if logged.checkpoint?.version.isRetracted(beyond: counters) == true { logged.checkpoint = nil }
      state.documents[document] = logged
    }
  }

  public var forgetsDocuments: Bool { true }

  public func forget(_ document: DocumentID) async throws {
    try state.withLock { state in
      try state.requireOpen()
      state.documents[document] = nil
      state.forgotten.insert(document)
    }
  }

  public func close(continuing replica: ReplicaID) async throws {
    try state.withLock { state in
      try state.requireOpen()
      state.isOpen = false
      state.cleanShutdownMarker = replica
    }
  }
}

/// ```
///   snapshot ──────────── covers ──────────►│ record │ record │ record │   in the order of appending
///                                      log start
/// ```
/// Beside these, `records` has those below the log start that were to be kept. A checkpoint is never below the log
/// start.
private struct LoggedDocument: Sendable {
  var snapshot: StoredSnapshot?
  var checkpoint: StoredSnapshot?
  var checkpointRecordByteCount = 0
  var records: [LogRecord] = []
  var members: [LogMember] = []
  var leases: [LogLease] = []

  var logStart: VersionVector { snapshot?.version ?? VersionVector() }

  var extent: LogExtent {
    var head = logStart
    for record in records { head[record.replica] = max(head[record.replica], record.lastCounter) }
    return LogExtent(logStart: logStart, head: head)
  }

  /// Beyond which counters records stay although the snapshot covers them.
  var kept: [ReplicaID: UInt64] = [:]

  mutating func append(_ record: LogRecord) {
    if stays(record) { records.append(record) }
  }

  mutating func compact(into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64]) {
    self.snapshot = snapshot
    self.kept = kept
    if checkpoint?.version.stays(above: snapshot.version) == false { checkpoint = nil }
    records = records.filter(stays)
  }

  private func stays(_ record: LogRecord) -> Bool {
    record.lastCounter > min(logStart[record.replica], kept[record.replica] ?? .max)
  }

  func records(by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int) -> LogAnswer {
    answer(
      records.lazy.filter { writers.contains($0.replica) && $0.lastCounter > version[$0.replica] },
      byteCountMax: byteCountMax)
  }

  func records(after version: VersionVector, byteCountMax: Int) -> LogAnswer {
    guard version.covers(logStart) else { return .belowLogStart }
    return answer(records.lazy.filter { $0.lastCounter > version[$0.replica] }, byteCountMax: byteCountMax)
  }

  func records(before version: VersionVector, byteCountMax: Int) -> LogAnswer {
    let covered = records.reversed().lazy.filter {
      $0.firstCounter <= version[$0.replica] && version[$0.replica] > logStart[$0.replica]
        && $0.lastCounter > logStart[$0.replica]
    }
    return answer(covered, byteCountMax: byteCountMax)
  }

  private func answer(_ records: some Sequence<LogRecord>, byteCountMax: Int) -> LogAnswer {
    var answer: [LogRecord] = []
    var byteCount = 0
    for record in records {
      byteCount += record.bytes.count
      guard answer.isEmpty || byteCount <= byteCountMax else { return .records(answer, isComplete: false) }
      answer.append(record)
    }
    return .records(answer, isComplete: true)
  }
}

extension LogRecord {
  package func checkCounters() throws(LogError) {
    guard 1 <= firstCounter, firstCounter <= lastCounter, lastCounter < 1 << 63 else {
      throw LogError(.misuse, "A record of \(replica) counts from \(firstCounter) to \(lastCounter).")
    }
  }
}

extension LogRecord {
  /// A record of `replica` goes whole or stays whole.
  package static func checkRetractable(
    _ replica: ReplicaID, from first: UInt64, to last: UInt64, beyond counters: [ReplicaID: UInt64]
  ) throws(LogError) {
    guard let counter = counters[replica], first <= counter, counter < last else { return }
    throw LogError(
      .misuse,
      "A record of \(replica) from \(first) to \(last) cannot go beyond \(counter): it would be cut in two.")
  }
}

extension VersionVector {
  /// What a snapshot covers stays in its state.
  package func checkRetractable(beyond counters: [ReplicaID: UInt64]) throws(LogError) {
    for (replica, counter) in counters where self[replica] > counter {
      throw LogError(
        .misuse, "Changes of \(replica) beyond \(counter) are in the snapshot, which covers \(self[replica]).")
    }
  }
}

// Checkpoints.
extension StoredSnapshot {
  /// One beyond the head would hide that records are missing; one below the log start lacks what only the snapshot has.
  package func checkStands(in extent: LogExtent) throws(LogError) {
    guard extent.head.covers(version), version.covers(extent.logStart) else {
      throw LogError(
        .misuse, "A checkpoint at \(version) lies outside the log, from \(extent.logStart) to \(extent.head).")
    }
  }
}

extension VersionVector {
  /// Whether a checkpoint at this version saves anything once there is a snapshot at `logStart`.
  package func stays(above logStart: VersionVector) -> Bool { covers(logStart) && self != logStart }

  /// Whether a checkpoint at this version holds changes that are taken back.
  package func isRetracted(beyond counters: [ReplicaID: UInt64]) -> Bool {
    counters.contains { self[$0.key] > $0.value }
  }
}

extension StoredSnapshot {
  /// A snapshot behind the log start would forget state that nothing else holds.
  package func checkCovers(_ logStart: VersionVector) throws(LogError) {
    guard version.covers(logStart) else {
      throw LogError(.misuse, "A snapshot at \(version) cannot replace one at \(logStart), which it does not cover.")
    }
  }
}
