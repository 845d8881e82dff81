import StarlingCore
import StarlingEngine
import StarlingGuard

/// A log whose writes the test lets through, or fails.
final class HeldLog: ChangeLog {
  private let log: MemoryLog
  private let appends = Gate()
  private let compactions = Gate()
  private let retractions = Gate()
  private let calls = Guarded<[String]>([])
  private let checkpointsStored = Guarded<[StoredSnapshot]>([])

  /// What was stored, in order.
  var stored: [String] { calls.withLock { $0 } }

  init(_ log: MemoryLog = MemoryLog()) {
    self.log = log
  }

  func holdAppends() { appends.hold() }
  func holdCompactions() { compactions.hold() }
  func holdRetractions() { retractions.hold() }
  func letThrough() {
    appends.open()
    compactions.open()
    retractions.open()
  }
  static let isFull = LogError(.unwritable, "The disk is full.")
  static let isGone = LogError(.unwritable, "The disk is gone.", isTransient: false)

  /// Fails what is under way and all that comes.
  func fail(_ error: LogError = HeldLog.isGone) {
    appends.fail(error)
    compactions.fail(error)
    retractions.fail(error)
  }

  /// Takes everything again.
  func mend() {
    appends.mend()
    compactions.mend()
    retractions.mend()
  }

  /// How many appends failed so far.
  var appendsFailed: Int { appends.failures }
  var appendsWaiting: Int { appends.waiting }
  var compactionsWaiting: Int { compactions.waiting }
  var retractionsWaiting: Int { retractions.waiting }

  func open() async throws -> OpenedLog { try await log.open() }
  func recover(_ document: DocumentID) async throws -> RecoveredDocument { try await log.recover(document) }
  func append(_ records: [LogRecord]) async throws {
    try await appends.pass()
    try await log.append(records)
    calls.withLock { $0.append("records") }
  }
  func records(in document: DocumentID, after version: VersionVector, byteCountMax: Int) async throws -> LogAnswer {
    try await log.records(in: document, after: version, byteCountMax: byteCountMax)
  }
  func records(in document: DocumentID, before version: VersionVector, byteCountMax: Int) async throws -> LogAnswer {
    try await log.records(in: document, before: version, byteCountMax: byteCountMax)
  }
  func extent(of document: DocumentID) async throws -> LogExtent { try await log.extent(of: document) }
  func snapshot(of document: DocumentID) async throws -> StoredSnapshot? { try await log.snapshot(of: document) }
  func remember(_ members: [LogMember], of document: DocumentID) async throws {
    try await log.remember(members, of: document)
    calls.withLock { $0.append("members") }
  }
  func remember(leases: [LogLease], of document: DocumentID) async throws {
    try await log.remember(leases: leases, of: document)
    calls.withLock { $0.append("leases") }
  }
  func compact(_ document: DocumentID, into snapshot: StoredSnapshot) async throws {
    try await compact(document, into: snapshot, keeping: [:])
  }
  func compact(
    _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64]
  ) async throws {
    try await compactions.pass()
    try await log.compact(document, into: snapshot, keeping: kept)
  }
  func records(
    in document: DocumentID, by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
  ) async throws -> LogAnswer {
    try await log.records(in: document, by: writers, after: version, byteCountMax: byteCountMax)
  }
  /// Those that were stored.
  var checkpoints: [StoredSnapshot] { checkpointsStored.withLock { $0 } }
  var keepsCheckpoints: Bool { true }
  func checkpoint(_ document: DocumentID, at state: StoredSnapshot, recordByteCount: Int) async throws {
    try await log.checkpoint(document, at: state, recordByteCount: recordByteCount)
    checkpointsStored.withLock { $0.append(state) }
  }
  func recoverFromCheckpoint(_ document: DocumentID) async throws -> RecoveredDocument? {
    try await log.recoverFromCheckpoint(document)
  }
  var retractsChanges: Bool { true }
  func retract(
    _ document: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]
  ) async throws {
    try await retractions.pass()
    try await log.retract(document, beyond: counters, appending: records)
  }
  func close(continuing replica: ReplicaID) async throws { try await log.close(continuing: replica) }
}

/// Where calls wait while it is held.
private final class Gate: Sendable {
  private struct State {
    var isHeld = false
    var failure: LogError?
    var failures = 0
    var waiting: [CheckedContinuation<Void, any Error>] = []
  }

  private let state = Guarded(State())
  var waiting: Int { state.withLock { $0.waiting.count } }

  func hold() { state.withLock { $0.isHeld = true } }

  func open() {
    for continuation in end({ $0.isHeld = false }) { continuation.resume() }
  }

  func fail(_ error: LogError) {
    for continuation in end({ $0.failure = error }) { continuation.resume(throwing: error) }
  }

  private func end(_ change: (inout State) -> Void) -> [CheckedContinuation<Void, any Error>] {
    state.withLock { state in
      change(&state)
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  func mend() { state.withLock { $0.failure = nil } }

  var failures: Int { state.withLock { $0.failures } }

  func pass() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let outcome = state.withLock { state -> Result<Void, any Error>? in
        if let failure = state.failure {
          state.failures += 1
          return .failure(failure)
        }
        guard state.isHeld else { return .success(()) }
        state.waiting.append(continuation)
        return nil
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }
}
