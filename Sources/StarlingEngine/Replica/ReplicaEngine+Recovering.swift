import StarlingCore
import StarlingSession
import StarlingWire

extension ReplicaEngine {
  /// From the latest checkpoint, or from the snapshot and all records where there is none or it cannot be used: what is in
  /// the records is the truth, and a checkpoint only spares reading it.
  func recover(_ id: DocumentID) async throws -> RecoveredState {
    do {
      if let stored = try await log.recoverFromCheckpoint(id) {
        return noteReplayed(try RecoveredState(of: id, stored))
      }
    } catch {
      let state = try RecoveredState(of: id, try await log.recover(id), isCheckpointUnreadable: true)
      // Else the document is damaged, and that is what is told.
      report(.checkpointUnreadable(id, error))
      return noteReplayed(state)
    }
    return noteReplayed(try RecoveredState(of: id, try await log.recover(id)))
  }

  private func noteReplayed(_ state: RecoveredState) -> RecoveredState {
    replication.counters.recordsReplayed += state.recordsReplayed
    return state
  }
}
