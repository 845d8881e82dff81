import StarlingCore
import StarlingEngine
import StarlingGuard

/// A log with one fault.
final class FaultyLog: ChangeLog {
  private let log: any ChangeLog
  private let fault: PlantedFault
  /// The latest group, where the log returns too early.
  private let kept = Guarded<[LogRecord]>([])
  private let appendCount = Guarded(0)

  init(_ log: any ChangeLog, _ fault: PlantedFault) {
    self.log = log
    self.fault = fault
  }

  private func settle(keeping records: [LogRecord] = []) async throws {
    let former = kept.withLock { kept in
      defer { kept = records }
      return kept
    }
    if !former.isEmpty { try await log.append(former) }
  }

  func append(_ records: [LogRecord]) async throws {
    let count = appendCount.withLock { count in
      count += 1
      return count
    }
    switch fault {
    case .returnsTooEarly: try await settle(keeping: records)
    case .skipsAppends where count % 10 == 0: break
    case .losesEndsOfGroups where records.count > 1: try await log.append(Array(records.dropLast()))
    default: try await log.append(records)
    }
  }

  func open() async throws -> OpenedLog {
    var opened = try await log.open()
    if fault == .reusesReplicaID { opened.replica = ReplicaID(rawValue: opened.store.rawValue) }
    return opened
  }
  func recover(_ document: DocumentID) async throws -> RecoveredDocument {
    var recovered = try await log.recover(document)
    if fault == .recoversTooLittle, !recovered.records.isEmpty { recovered.records.removeLast() }
    return recovered
  }
  var keepsCheckpoints: Bool { log.keepsCheckpoints }
  func checkpoint(_ document: DocumentID, at checkpoint: StoredSnapshot, recordByteCount: Int) async throws {
    try await settle()
    try await log.checkpoint(document, at: checkpoint, recordByteCount: recordByteCount)
  }
  func recoverFromCheckpoint(_ document: DocumentID) async throws -> RecoveredDocument? {
    // So that what the fault is about is read.
    fault == .recoversTooLittle ? nil : try await log.recoverFromCheckpoint(document)
  }
  func records(in document: DocumentID, after version: VersionVector, byteCountMax: Int) async throws -> LogAnswer {
    try await settle()
    let answer = try await log.records(in: document, after: version, byteCountMax: byteCountMax)
    guard fault == .answersTooLittle, case .records(let records, let isComplete) = answer else { return answer }
    return .records(Array(records.dropFirst()), isComplete: isComplete)
  }
  func records(in document: DocumentID, before version: VersionVector, byteCountMax: Int) async throws -> LogAnswer {
    try await settle()
    return try await log.records(in: document, before: version, byteCountMax: byteCountMax)
  }
  func extent(of document: DocumentID) async throws -> LogExtent {
    try await settle()
    return try await log.extent(of: document)
  }
  func snapshot(of document: DocumentID) async throws -> StoredSnapshot? { try await log.snapshot(of: document) }
  func remember(_ members: [LogMember], of document: DocumentID) async throws {
    try await log.remember(members, of: document)
  }
  func remember(_ generations: StoredGenerations) async throws { try await log.remember(generations) }
  func remember(leases: [LogLease], of document: DocumentID) async throws {
    try await log.remember(leases: leases, of: document)
  }
  func compact(_ document: DocumentID, into snapshot: StoredSnapshot) async throws {
    try await compact(document, into: snapshot, keeping: [:])
  }
  func compact(
    _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64]
  ) async throws {
    try await settle()
    guard fault == .compactsTooMuch else { return try await log.compact(document, into: snapshot, keeping: kept) }
    var version = snapshot.version
    for entry in try await log.extent(of: document).head.entries {
      version[entry.replica] = max(version[entry.replica], entry.counter)
    }
    try await log.compact(document, into: StoredSnapshot(version: version, bytes: snapshot.bytes), keeping: kept)
  }
  func records(
    in document: DocumentID, by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
  ) async throws -> LogAnswer {
    try await settle()
    return try await log.records(in: document, by: writers, after: version, byteCountMax: byteCountMax)
  }
  var retractsChanges: Bool { log.retractsChanges }
  func retract(
    _ document: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]
  ) async throws {
    try await settle()
    try await log.retract(document, beyond: counters, appending: records)
  }
  var forgetsDocuments: Bool { log.forgetsDocuments }
  func forget(_ document: DocumentID) async throws {
    try await settle()
    try await log.forget(document)
  }
  func close(continuing replica: ReplicaID) async throws {
    try await settle()
    try await log.close(continuing: replica)
  }
}
