import StarlingCore
import StarlingEngine
import StarlingGuard

/// The log of one simulated process, on a disk that outlives it.
///
/// ```
///   engine ── append ──► under way ── after a while ──► disk ──► returns
///                            │                            └────► its answer is lost: reported as failed, and done
///                          crash: kept whole, or not at all; it never returns in good order
/// ```
final class SimulatedLog: ChangeLog {
  /// What happens to a call once its time has come.
  fileprivate enum Verdict {
    case proceed
    /// The process died: whether the disk has it all the same.
    case died(isKept: Bool)
    case refused
    /// The disk fails; another try is no use.
    case broken
    /// It is done, and reported as failed.
    case answerLost
  }

  fileprivate struct State {
    var generator: SeededGenerator
    var isDead = false
    var isFull = false
    var isBroken = false
    var losesAnswers = false
    /// Whether anything was ever reported as failed.
    var hasFailed = false
    var isFrozen = false
    var underWay: [UInt64: CheckedContinuation<Verdict, Never>] = [:]
    var nextCall: UInt64 = 0
    /// Calls whose time came while the process stood still.
    var due: [UInt64] = []
    /// How far each document reached when it was recovered.
    var recovered: [DocumentID: SeenVersion] = [:]
  }

  private let disk: any ChangeLog
  private let network: MemoryNetwork
  private let delay: ClosedRange<Duration>
  /// Counts the calls of all processes of the store, and says which of them fail.
  private let planned: PlannedLogFaults
  private let state: Guarded<State>

  init(
    disk: any ChangeLog, network: MemoryNetwork, delay: ClosedRange<Duration>, planned: PlannedLogFaults,
    generator: SeededGenerator
  ) {
    self.disk = disk
    self.network = network
    self.delay = delay
    self.planned = planned
    state = Guarded(State(generator: generator))
  }

  // MARK: The port

  func open() async throws -> OpenedLog {
    try await read { try await $0.open() }
  }

  func recover(_ document: DocumentID) async throws -> RecoveredDocument {
    let recovered = try await read { try await $0.recover(document) }
    note(recovered, of: document)
    return recovered
  }

  var keepsCheckpoints: Bool { true }

  func checkpoint(_ document: DocumentID, at checkpoint: StoredSnapshot, recordByteCount: Int) async throws {
    try await write { try await $0.checkpoint(document, at: checkpoint, recordByteCount: recordByteCount) }
  }

  func recoverFromCheckpoint(_ document: DocumentID) async throws -> RecoveredDocument? {
    guard let recovered = try await read({ try await $0.recoverFromCheckpoint(document) }) else { return nil }
    note(recovered, of: document)
    return recovered
  }

  private func note(_ recovered: RecoveredDocument, of document: DocumentID) {
    var version = recovered.snapshot.map { SeenVersion($0.version) } ?? SeenVersion()
    for record in recovered.records { version.take(record.lastCounter, of: record.replica) }
    state.withLock { [version] in $0.recovered[document] = version }
  }

  /// How far the document reached when the process recovered it.
  func recovered(_ document: DocumentID) -> SeenVersion {
    state.withLock { $0.recovered[document] ?? SeenVersion() }
  }

  func append(_ records: [LogRecord]) async throws {
    try await write { try await $0.append(records) }
  }

  func records(in document: DocumentID, after version: VersionVector, byteCountMax: Int) async throws -> LogAnswer {
    try await read { try await $0.records(in: document, after: version, byteCountMax: byteCountMax) }
  }

  func records(in document: DocumentID, before version: VersionVector, byteCountMax: Int) async throws -> LogAnswer {
    try await read { try await $0.records(in: document, before: version, byteCountMax: byteCountMax) }
  }

  func extent(of document: DocumentID) async throws -> LogExtent {
    try await read { try await $0.extent(of: document) }
  }

  func snapshot(of document: DocumentID) async throws -> StoredSnapshot? {
    try await read { try await $0.snapshot(of: document) }
  }

  func remember(_ members: [LogMember], of document: DocumentID) async throws {
    try await write { try await $0.remember(members, of: document) }
  }

  func remember(_ generations: StoredGenerations) async throws {
    try await write { try await $0.remember(generations) }
  }

  func remember(leases: [LogLease], of document: DocumentID) async throws {
    try await write { try await $0.remember(leases: leases, of: document) }
  }

  func compact(_ document: DocumentID, into snapshot: StoredSnapshot) async throws {
    try await compact(document, into: snapshot, keeping: [:])
  }

  func compact(
    _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64],
    appending records: [LogRecord]
  ) async throws {
    try await write { try await $0.compact(document, into: snapshot, keeping: kept, appending: records) }
  }

  func records(
    in document: DocumentID, by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
  ) async throws -> LogAnswer {
    try await read { try await $0.records(in: document, by: writers, after: version, byteCountMax: byteCountMax) }
  }

  var retractsChanges: Bool { true }

  func retract(
    _ document: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]
  ) async throws {
    try await write { try await $0.retract(document, beyond: counters, appending: records) }
  }

  var forgetsDocuments: Bool { true }

  func forget(_ document: DocumentID) async throws {
    try await write { try await $0.forget(document) }
  }

  func close(continuing replica: ReplicaID) async throws {
    try await write { try await $0.close(continuing: replica) }
  }

  /// What is read may be old by the time it is returned.
  private func read<Result>(_ body: (any ChangeLog) async throws -> Result) async throws -> Result {
    try await pass()
    let result = try await body(disk)
    try await pass()
    return result
  }

  private func pass() async throws {
    switch await wait(isWriting: false) {
    case .proceed, .answerLost: break
    case .died: throw dead
    case .refused: throw full
    case .broken: throw broken
    }
  }

  private func write(_ body: (any ChangeLog) async throws -> Void) async throws {
    switch await wait(isWriting: true) {
    case .proceed:
      try await body(disk)
    case .died(let isKept):
      if isKept { try await body(disk) }
      throw dead
    case .refused: throw full
    case .broken: throw broken
    case .answerLost:
      try await body(disk)
      throw LogError(.unwritable, "The simulated disk did not answer in time.")
    }
  }

  private var full: LogError { LogError(.unwritable, "The simulated disk refuses.") }

  private var broken: LogError { LogError(.unwritable, "The simulated disk fails.", isTransient: false) }

  private var dead: LogError { LogError(.unwritable, "The simulated process was killed.", isTransient: false) }

  private func wait(isWriting: Bool) async -> Verdict {
    let (call, delay) = state.withLock { state in
      state.nextCall += 1
      return (state.nextCall, state.generator.duration(in: self.delay))
    }
    let plan = planned.next()
    return await withCheckedContinuation { continuation in
      let verdict = state.withLock { state -> Verdict? in
        if state.isDead { return .died(isKept: false) }
        if plan == .broken { state.isBroken = true }
        if let refusal = state.refusal(plan, isWriting: isWriting) {
          state.hasFailed = true
          return refusal
        }
        state.underWay[call] = continuation
        return nil
      }
      if let verdict { return continuation.resume(returning: verdict) }
      network.schedule(after: delay) { [weak self] in self?.end(call) }
    }
  }

  /// Whether it ever said that a call had failed.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  private func end(_ call: UInt64) {
    let continuation = state.withLock { state -> CheckedContinuation<Verdict, Never>? in
      guard !state.isFrozen else {
        state.due.append(call)
        return nil
      }
      return state.underWay.removeValue(forKey: call)
    }
    continuation?.resume(returning: .proceed)
  }

  // MARK: Faults

  /// The process is gone. Of what was under way the disk keeps a beginning, in the order of the calls.
  func kill() {
    let verdicts = state.withLock { state in
      state.isDead = true
      defer { state.underWay = [:] }
      let calls = state.underWay.sorted { $0.key < $1.key }.map(\.value)
      let kept = Int.random(in: 0...calls.count, using: &state.generator)
      return calls.enumerated().map { ($0.element, Verdict.died(isKept: $0.offset < kept)) }
    }
    for (continuation, verdict) in verdicts { continuation.resume(returning: verdict) }
  }

  /// Refuses every write from now on.
  func fill() {
    state.withLock { $0.isFull = true }
  }

  /// Takes writes again.
  func recover() {
    state.withLock { $0.isFull = false }
  }

  var isBroken: Bool { state.withLock { $0.isBroken } }

  /// Fails every write from now on, for good.
  func breakDown() {
    state.withLock { $0.isBroken = true }
  }

  /// Does what it is asked to, and says that it failed.
  func loseAnswers(_ isLosing: Bool) {
    state.withLock { $0.losesAnswers = isLosing }
  }

  func freeze() {
    state.withLock { $0.isFrozen = true }
  }

  func thaw() {
    let due = state.withLock { state in
      defer { state.due = [] }
      state.isFrozen = false
      return state.due
    }
    for call in due { end(call) }
  }
}

extension SimulatedLog.State {
  /// How a call ends that does not go its way; nil for one that does.
  fileprivate func refusal(_ plan: LogFault?, isWriting: Bool) -> SimulatedLog.Verdict? {
    // What is planned for one call befalls reads as well; what befalls a disk for a while, writes alone.
    if plan == .broken || isBroken && isWriting { return .broken }
    if plan == .full || isFull && isWriting { return .refused }
    if isWriting, plan == .answerLost || losesAnswers { return .answerLost }
    return nil
  }
}
