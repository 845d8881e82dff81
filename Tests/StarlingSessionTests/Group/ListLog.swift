import StarlingCore
import StarlingWire

@testable import StarlingSession

/// A log of one document that is a list. What it has accepted survives whoever writes it.
///
/// ```
///   snapshot ── covers ──►│ record │ record │ record │   in the order of appending
/// ```
struct ListLog: Sendable {
  private(set) var snapshot: StoredSnapshot?
  private(set) var records: [LogRecord] = []
  /// Beyond which counters records stay although the snapshot covers them.
  private var kept: [ReplicaID: UInt64] = [:]
  private(set) var members: [LogMember] = []
  private(set) var leases: [LogLease] = []
  private(set) var generations = GenerationTable(own: 0, [])
  /// The id to go on under, where the last run ended in good order.
  var cleanShutdownMarker: ReplicaID?

  private var logStart: VersionVector { snapshot?.version ?? VersionVector() }

  // MARK: Writing

  /// Does what the log is told.
  ///
  /// - Parameter keeping: as `Replication.kept` says.
  mutating func perform(
    _ job: LogPipeline.Job, keeping: [ReplicaID: UInt64], _ generations: @autoclosure () -> GenerationTable
  ) {
    switch job {
    case .append(let group): for record in group.records where stays(record) { records.append(record) }
    case .rememberGenerations: self.generations = generations()
    case .compact(_, .writtenDown(let state), _): compact(into: state, keeping: keeping)
    case .compactAged(_, let state): compact(into: state, keeping: keeping)
    case .rememberMembers(_, let members): self.members = members
    case .rememberLeases(_, let record): leases = record.entries
    case .compact(_, .cut, _), .keepWriters, .forget, .giveUpRefused, .retract, .probe: break
    }
  }

  private mutating func compact(into state: StoredSnapshot, keeping: [ReplicaID: UInt64]) {
    precondition(
      state.version.covers(logStart), "A snapshot at \(state.version) takes the place of one at \(logStart).")
    snapshot = state
    kept = keeping
    records = records.filter(stays)
  }

  private func stays(_ record: LogRecord) -> Bool {
    record.lastCounter > min(logStart[record.replica], kept[record.replica] ?? .max)
  }

  // MARK: Reading

  func page(after version: VersionVector, by writers: Set<ReplicaID>?) -> AnswerCourse.Page {
    if writers == nil, !version.covers(logStart) { return .belowLogStart }
    return .records(
      records.filter { writers?.contains($0.replica) != false && $0.lastCounter > version[$0.replica] },
      isComplete: true)
  }

  /// The latest that `version` covers, the newest first.
  func records(before version: VersionVector) -> [LogRecord] {
    records.reversed().filter { $0.firstCounter <= version[$0.replica] && $0.lastCounter > logStart[$0.replica] }
  }

  /// Begins another run: the ticket is used up.
  mutating func open() throws -> (document: Document, remembered: Replication.Remembered, continuing: ReplicaID?) {
    var document = Document()
    if let snapshot { document = try SnapshotCoding.open(snapshot.bytes) }
    document.holdsRemovedObjects = true
    for record in records {
      var patch = Patch()
      switch try Batch.merge(record.bytes, into: &document, patch: &patch) {
      case .merged, .duplicate: break
      case .notYet(let missing), .lacksAnchors(let missing):
        throw LogError(.corrupt, "The log lacks \(missing), on which a record in it stands.")
      }
    }
    var remembered = Replication.Remembered()
    (remembered.members, remembered.leases) = (members, leases)
    remembered.compaction = Compaction(
      logStart: logStart, stateByteCount: snapshot?.bytes.count ?? 0, tailByteCount: records.byteCount,
      historyByteCount: 0,
      isCheckpointUnreadable: false)
    defer { cleanShutdownMarker = nil }
    generations = GenerationTable(own: generations.own + 1, generations.entries)
    return (document, remembered, cleanShutdownMarker)
  }
}
