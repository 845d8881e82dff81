package import StarlingCore

extension Compaction {
  /// When one document gets a checkpoint: a state that is stored beside the records of a log that keeps its history, so
  /// that opening the document reads one of them and what came after it
  /// (Documentation/Decisions/checkpoints-beside-history.md).
  ///
  /// ```
  ///   log:   record │ record │ record │ record │ record │ record       all of them stay
  ///                            cut ─► written down ─► stored once the log has all that it covers
  ///                                  └─────── tailByteCount ───────┘   the next once that outweighs it
  /// ```
  struct Checkpoints: Sendable {
    /// What stood when a state was cut.
    private struct Cut: Sendable {
      let recordByteCount: Int
      let tailByteCount: Int
      let statesMerged: Int
    }

    private enum Stage: Sendable {
      case none
      case writing(Cut)
      case written(Cut, StoredSnapshot)
      case storing(Cut, StoredSnapshot)
    }

    /// Weight of the records that no checkpoint or snapshot covers, and of that state.
    var tailByteCount: Int
    private(set) var stateByteCount: Int
    /// The weight of records from which one is tried again after the log refused it.
    private var tailByteCountMin = 0
    /// Whether the last one could not be read.
    private var isUnreadable: Bool
    private var stage = Stage.none

    init(stateByteCount: Int, tailByteCount: Int, isUnreadable: Bool) {
      self.stateByteCount = stateByteCount
      self.tailByteCount = tailByteCount
      self.isUnreadable = isUnreadable
    }

    func isDue(_ byteCountMin: Int) -> Bool {
      isUnreadable || tailByteCount > max(byteCountMin, 2 * stateByteCount, tailByteCountMin)
    }

    /// Up to this a checkpoint is written as the replica closes: the next opening replays little then.
    private static let lastStateByteCountMax = 16 << 20
    /// So few records are replayed as fast as a state is read.
    private static let lastTailByteCountMin = 16 << 10

    /// Whether one is worth its while as the replica closes. A state that was never written down is hardly heavier than
    /// the changes that made it.
    var isDueAtEnd: Bool {
      tailByteCount > max(Self.lastTailByteCountMin, stateByteCount / 4)
        && max(stateByteCount, tailByteCount) <= Self.lastStateByteCountMax
    }

    var isUnderWay: Bool {
      switch stage {
      case .none, .written: false
      case .writing, .storing: true
      }
    }

    var isIdle: Bool { if case .none = stage { true } else { false } }

    // MARK: Stages

    mutating func begin(recordByteCount: Int, statesMerged: Int) {
      stage = .writing(Cut(recordByteCount: recordByteCount, tailByteCount: tailByteCount, statesMerged: statesMerged))
    }

    mutating func written(_ state: StoredSnapshot, statesMerged: Int) {
      guard case .writing(let cut) = stage else { return }
      stage = cut.statesMerged == statesMerged ? .written(cut, state) : .none
    }

    /// Whether one is written down that is not outdated.
    mutating func isWritten(statesMerged: Int) -> Bool {
      guard case .written(let cut, _) = stage else { return false }
      if cut.statesMerged != statesMerged { stage = .none }
      return true
    }

    /// One that is written down and whose changes are all durable: a cut may hold writes whose records are still to
    /// come.
    mutating func takeToStore(durable: VersionVector) -> CheckpointStep? {
      guard case .written(let cut, let state) = stage, durable.covers(state.version) else { return nil }
      stage = .storing(cut, state)
      isUnreadable = false
      return .store(state, recordByteCount: cut.recordByteCount)
    }

    /// - Parameter isStored: false where the log refused it. It only saves time: whether the log has failed shows with
    ///   the next append.
    mutating func ended(isStored: Bool) {
      guard case .storing(let cut, let state) = stage else { return }
      stage = .none
      guard isStored else {
        tailByteCountMin = tailByteCount + max(state.bytes.count, tailByteCount)
        return
      }
      tailByteCount -= min(cut.tailByteCount, tailByteCount)
      stateByteCount = state.bytes.count
      tailByteCountMin = 0
    }

    // MARK: The log

    /// The log stands on `snapshot` now, and keeps no checkpoint that this covers.
    mutating func compacted(into snapshot: StoredSnapshot) {
      (tailByteCount, stateByteCount, isUnreadable) = (0, snapshot.bytes.count, false)
      if case .written = stage { stage = .none }
    }

    /// The log has dropped what may have held changes that are taken back.
    mutating func retracted(tailByteCount: Int) {
      self.tailByteCount = tailByteCount
      if case .written = stage { stage = .none }
    }
  }

  /// What is to be done for a checkpoint.
  package enum CheckpointStep: Sendable {
    /// Written down beside the engine.
    case write(DocumentCut)
    /// Stored, with the weight of the records that it covers.
    case store(StoredSnapshot, recordByteCount: Int)
  }

  /// What is to be done now for a checkpoint, if anything.
  ///
  /// - Parameters:
  ///   - isHeld: whether the log is to be told of a retraction first.
  ///   - isLast: whether the replica closes.
  ///   - cut: nil while a transaction is open.
  mutating func checkpointStep(
    _ policy: Policy, durable: VersionVector, isHeld: Bool, isLast: Bool, _ cut: () -> DocumentCut?
  ) -> CheckpointStep? {
    guard let byteCountMin = policy.checkpointByteCountMin, !checkpoints.isUnderWay else { return nil }
    if !isLast, checkpoints.isWritten(statesMerged: statesMerged) {
      return isHeld ? nil : checkpoints.takeToStore(durable: durable)
    }
    guard isLast ? checkpoints.isDueAtEnd : checkpoints.isDue(byteCountMin), !mustCompact, !isHeld, let cut = cut(),
      !isLast || durable.covers(cut.version)
    else { return nil }
    checkpoints.begin(recordByteCount: recordByteCount, statesMerged: statesMerged)
    return .write(cut)
  }

  mutating func checkpointWritten(_ state: StoredSnapshot) {
    checkpoints.written(state, statesMerged: statesMerged)
  }
}
