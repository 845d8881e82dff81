import StarlingCore
import StarlingWire

/// How far the log of one document has gone beyond its last checkpoint.
struct CheckpointProgress {
  /// Weight of the records that no checkpoint or snapshot covers, and of that state.
  var recordByteCount = 0
  var stateByteCount = 0
  /// The weight of records from which one is tried again after the log refused it.
  var recordByteCountMin = 0
  /// Whether the last one could not be read.
  var isUnreadable = false
  /// One that is being written down, or stored.
  var making: Task<Void, Never>?
  /// One that waits until the log has every change in it.
  var made: CheckpointMade?

  /// The log stands on `snapshot` now, and keeps no checkpoint that this covers.
  mutating func folded(into snapshot: StoredSnapshot) {
    (recordByteCount, stateByteCount, made) = (0, snapshot.bytes.count, nil)
    isUnreadable = false
  }

  /// The log has dropped what may have held changes that are taken back.
  mutating func retracted(recordByteCount: Int) {
    (self.recordByteCount, made) = (recordByteCount, nil)
  }
}

/// A cut that is to be a checkpoint.
struct CheckpointCut {
  let cut: DocumentCut
  /// As `HostedDocument` had them: of all records that the log had, and of those after the checkpoint before.
  let allRecordByteCount: Int
  let recordByteCount: Int
  let statesMerged: Int

  func writtenDown() -> CheckpointMade {
    CheckpointMade(state: StoredSnapshot(version: cut.version, bytes: SnapshotCoding.encode(cut)), of: self)
  }
}

struct CheckpointMade {
  let state: StoredSnapshot
  let allRecordByteCount: Int
  let recordByteCount: Int
  let statesMerged: Int

  init(state: StoredSnapshot, of cut: CheckpointCut) {
    self.state = state
    allRecordByteCount = cut.allRecordByteCount
    recordByteCount = cut.recordByteCount
    statesMerged = cut.statesMerged
  }
}

// Checkpoints: states that are stored beside the records of a log that keeps its history, so that opening a document reads
// one of them and what came after it (Documentation/Decisions/checkpoints-beside-history.md).
//
// ```
//   log:   record │ record │ record │ record │ record │ record       all of them stay
//                            cut ─► written down beside the engine
//                                    └─► stored once the log has all that it covers, beside appends
// ```
extension ReplicaEngine {
  /// Begins one where it is due, or has one stored that is ready.
  func reviewCheckpoint(of hosted: HostedDocument) {
    guard log.keepsCheckpoints, identity.isDurable, logError == nil, hosted.checkpoints.making == nil else { return }
    if let made = hosted.checkpoints.made { return store(made, of: hosted) }
    guard isCheckpointDue(hosted), let cut = cutForCheckpoint(of: hosted) else { return }
    hosted.checkpoints.making = begin { [id = hosted.id] engine in
      let made = await engine.beginBeside { cut.writtenDown() }.value
      if let hosted = engine.documents[id] { engine.made(made, of: hosted) }
    }
  }

  private func isCheckpointDue(_ hosted: HostedDocument) -> Bool {
    if case .stateOnly = configuration.history { return false }
    return hosted.checkpoints.isUnreadable
      || hosted.checkpoints.recordByteCount
        > max(
          configuration.checkpointByteCountMin, 2 * hosted.checkpoints.stateByteCount,
          hosted.checkpoints.recordByteCountMin)
  }

  /// Nil where it cannot be now: a transaction is open, or the log is to be told of a state or a retraction first.
  private func cutForCheckpoint(of hosted: HostedDocument) -> CheckpointCut? {
    guard !hosted.mustFold, !hosted.isForgotten, hosted.retraction == nil, let cut = hosted.handle.cut() else {
      return nil
    }
    return CheckpointCut(
      cut: cut, allRecordByteCount: hosted.recordByteCount, recordByteCount: hosted.checkpoints.recordByteCount,
      statesMerged: hosted.statesMerged)
  }

  private func made(_ made: CheckpointMade, of hosted: HostedDocument) {
    hosted.checkpoints.making = nil
    guard phase == .running, made.statesMerged == hosted.statesMerged else { return }
    hosted.checkpoints.made = made
    reviewCheckpoint(of: hosted)
  }

  private func store(_ made: CheckpointMade, of hosted: HostedDocument) {
    guard made.statesMerged == hosted.statesMerged else { return hosted.checkpoints.made = nil }
    // The cut may hold writes whose records are still to come.
    guard hosted.durable.covers(made.state.version), hosted.retraction == nil, !hosted.isForgotten else { return }
    hosted.checkpoints.made = nil
    hosted.checkpoints.making = begin { [id = hosted.id] engine in
      if let hosted = engine.documents[id] { await engine.append(made, to: hosted) }
    }
  }

  /// Not by the turns of the log: nothing is to wait for it.
  private func append(_ made: CheckpointMade, to hosted: HostedDocument) async {
    hosted.checkpoints.isUnreadable = false
    do {
      try await log.checkpoint(hosted.id, at: made.state, recordByteCount: made.allRecordByteCount)
      counters.checkpoints += 1
      hosted.checkpoints.recordByteCount -= min(made.recordByteCount, hosted.checkpoints.recordByteCount)
      hosted.checkpoints.stateByteCount = made.state.bytes.count
      hosted.checkpoints.recordByteCountMin = 0
    } catch {
      // It only saves time. Whether the log has failed shows with the next append.
      hosted.checkpoints.recordByteCountMin =
        hosted.checkpoints.recordByteCount + max(made.state.bytes.count, hosted.checkpoints.recordByteCount)
    }
    hosted.checkpoints.making = nil
  }

  // MARK: Closing

  /// Below this a checkpoint is written as the replica closes: the next opening replays nothing then.
  private static let lastStateByteCountMax = 1 << 20
  /// So few records are replayed as fast as a state is read.
  private static let lastRecordByteCountMin = 16 << 10

  func writeLastCheckpoints() async {
    guard log.keepsCheckpoints, identity.isDurable, logError == nil, pending.records.isEmpty else { return }
    for hosted in documentsInOrder {
      await hosted.checkpoints.making?.value
      await hosted.checkpoints.making?.value
      if case .stateOnly = configuration.history { continue }
      let progress = hosted.checkpoints
      // A state that was never written down is hardly heavier than the changes that made it.
      let stateByteCount = max(progress.stateByteCount, progress.recordByteCount)
      guard progress.recordByteCount > max(Self.lastRecordByteCountMin, progress.stateByteCount / 4),
        stateByteCount <= Self.lastStateByteCountMax, let cut = cutForCheckpoint(of: hosted),
        hosted.durable.covers(cut.cut.version)
      else { continue }
      await append(await beginBeside { cut.writtenDown() }.value, to: hosted)
    }
  }
}
