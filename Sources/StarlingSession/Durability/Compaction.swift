package import StarlingCore

/// How heavy the log of one document is, what its snapshot covers, and so when it is compacted. Performs nothing.
///
/// ```
///   log:   snapshot │ record │ record │ record │ record │ ...
///   log start ─────►└────────── recordByteCount ────────┘    compacted once that outweighs the snapshot
/// ```
///
/// A state that was merged is in no record: it is compacted before anything is appended that may stand on it.
package struct Compaction: Sendable {
  package struct Policy: Sendable, Hashable {
    /// Records are compacted once they outweigh this and twice the snapshot; nil where they stay for that.
    package var compactionByteCountMin: Int?
    /// A checkpoint is made once the records after the last one outweigh this and twice that checkpoint; nil where
    /// there are none: the log keeps none, is not durable, or its snapshot is one.
    package var checkpointByteCountMin: Int?

    package init(compactionByteCountMin: Int? = nil, checkpointByteCountMin: Int? = nil) {
      self.compactionByteCountMin = compactionByteCountMin
      self.checkpointByteCountMin = checkpointByteCountMin
    }
  }

  /// A state that is to be the log's snapshot.
  package enum CompactedState: Sendable {
    case cut(DocumentCut)
    case writtenDown(StoredSnapshot)
  }

  /// A state that came when nothing was here, and is what stands: the log may keep the bytes that came.
  private struct Adopted: Sendable {
    let snapshot: StoredSnapshot
    let statesMerged: Int
  }

  /// What the log's snapshot covers, as far as this run knows.
  package private(set) var logStart: VersionVector
  /// Weight of that snapshot, and of the records since.
  package private(set) var snapshotByteCount: Int
  package private(set) var recordByteCount: Int
  /// The weight of records from which a compaction is tried again after the log refused one.
  private var recordByteCountMin = 0
  /// How many states were merged, and how many of them the log has compacted.
  package private(set) var statesMerged = 0
  private var statesCompacted = 0
  /// Whoever holds that lacks none of the states that the log does not have; nil where no version tells.
  package private(set) var versionOfStates: VersionVector?
  /// How many of the states no version tells.
  package private(set) var untoldCount = 0
  private var adopted: Adopted?
  /// A state of the past that is to be the log's snapshot, and whether one is being made.
  private var aged: StoredSnapshot?
  private var isAging = false
  var checkpoints: Checkpoints

  /// - Parameters:
  ///   - logStart: what the log's snapshot covers.
  ///   - stateByteCount: the weight of the state that was read, a snapshot or a checkpoint.
  ///   - tailByteCount: of the records after that state.
  ///   - historyByteCount: of the records before a checkpoint.
  ///   - isCheckpointUnreadable: whether there is one that could not be read.
  package init(
    logStart: VersionVector = VersionVector(), stateByteCount: Int = 0, tailByteCount: Int = 0,
    historyByteCount: Int = 0,
    isCheckpointUnreadable: Bool = false
  ) {
    self.logStart = logStart
    snapshotByteCount = stateByteCount
    recordByteCount = tailByteCount + historyByteCount
    checkpoints = Checkpoints(
      stateByteCount: stateByteCount, tailByteCount: tailByteCount, isUnreadable: isCheckpointUnreadable)
  }

  // MARK: Due

  /// Whether a state was merged that the log does not have.
  package var mustCompact: Bool { statesMerged > statesCompacted }

  package func isDue(_ policy: Policy) -> Bool {
    if mustCompact { return true }
    guard let byteCountMin = policy.compactionByteCountMin else { return false }
    return recordByteCount > max(byteCountMin, 2 * snapshotByteCount, recordByteCountMin)
  }

  /// Whether a state was written down that the records outweigh, as with `Policy.compactionByteCountMin`: whoever begins
  /// with nothing and keeps no more would compact them at once.
  func outweighs(_ keptByteCount: UInt64) -> Bool {
    let stateByteCount = checkpoints.stateByteCount
    return stateByteCount > 0 && UInt64(recordByteCount) > max(keptByteCount, UInt64(2 * stateByteCount))
  }

  /// Whether nothing is being made for the log.
  var isIdle: Bool { !mustCompact && !isAging && aged == nil && checkpoints.isIdle }

  /// Whether a state of the past waits to be the snapshot.
  var isAged: Bool { aged != nil }

  // MARK: What happens

  /// A state was merged, which no record holds.
  ///
  /// - Parameters:
  ///   - snapshot: its bytes, where it is what stands now.
  ///   - version: the state's; nil where others that hold that may lack what came.
  mutating func merged(adopting snapshot: StoredSnapshot?, of version: VersionVector? = nil) {
    if !mustCompact { versionOfStates = VersionVector() }
    if let version {
      versionOfStates?.merge(version)
    } else {
      versionOfStates = nil
      untoldCount += 1
    }
    statesMerged += 1
    if let snapshot { adopted = Adopted(snapshot: snapshot, statesMerged: statesMerged) }
  }

  /// The log has got so many more bytes of records.
  mutating func accepted(byteCount: Int) {
    recordByteCount += byteCount
    checkpoints.tailByteCount += byteCount
  }

  /// What was made of the former state is no more: as if another had been merged, and compacted.
  mutating func gaveUp() {
    statesMerged += 1
    statesCompacted += 1
    untoldCount += 1
    (adopted, aged) = (nil, nil)
  }

  /// The log has lost records and got others; it may have dropped a checkpoint.
  mutating func retracted(byteCount: Int) {
    recordByteCount += byteCount
    checkpoints.retracted(tailByteCount: recordByteCount)
  }

  // MARK: Compacting

  /// The state to compact now; nil while a transaction is open.
  mutating func takeCompaction(_ cut: () -> DocumentCut?) -> CompactedState? {
    if let adopted {
      self.adopted = nil
      if adopted.statesMerged == statesMerged { return .writtenDown(adopted.snapshot) }
    }
    return cut().map { .cut($0) }
  }

  /// - Parameter states: how many were merged when it was taken.
  mutating func compacted(into snapshot: StoredSnapshot, states: Int) {
    (logStart, snapshotByteCount, recordByteCount, recordByteCountMin) = (snapshot.version, snapshot.bytes.count, 0, 0)
    statesCompacted = states
    checkpoints.compacted(into: snapshot)
  }

  /// The log refused a compaction that would only have saved space.
  mutating func compactionRefused(stateByteCount: Int) {
    recordByteCountMin = recordByteCount + max(stateByteCount, recordByteCount)
  }

  // MARK: Aging

  /// A state is to be made of what is older than the log is to keep.
  ///
  /// - Returns: false where one is being made, or another state goes first.
  mutating func beginAging() -> Bool {
    guard !isAging, !mustCompact else { return false }
    isAging = true
    return true
  }

  mutating func aged(_ state: StoredSnapshot?) {
    isAging = false
    aged = state
  }

  /// A state that stands above the log's snapshot; another compaction may have come in between.
  ///
  /// - Parameter version: what is merged. A state that was made before changes were taken back holds them.
  mutating func takeAged(version: VersionVector) -> StoredSnapshot? {
    defer { aged = nil }
    guard let aged, version.covers(aged.version), aged.version != logStart, aged.version.covers(logStart) else {
      return nil
    }
    return aged
  }

  /// The log refused the one that was taken.
  mutating func putBack(aged state: StoredSnapshot) { aged = aged ?? state }

  mutating func compacted(intoAged state: StoredSnapshot) {
    (logStart, snapshotByteCount) = (state.version, state.bytes.count)
  }
}
