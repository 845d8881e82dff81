import StarlingCore
import StarlingSession
import StarlingWire

/// What an engine makes of what the log holds of a document.
struct RecoveredState {
  var document = Document()
  var remembered = Replication.Remembered()
  var recordsReplayed = 0
}

extension RecoveredState {
  /// From the latest checkpoint, or from the snapshot and all records where there is none or it cannot be used: what is
  /// in the records is the truth, and a checkpoint only spares reading it.
  static func read(
    _ id: DocumentID, from log: any ChangeLog, _ report: (EngineEvent) -> Void
  ) async throws -> Self {
    do {
      if let stored = try await log.recoverFromCheckpoint(id) { return try Self(of: id, stored) }
    } catch {
      let state = try Self(of: id, try await log.recover(id), isCheckpointUnreadable: true)
      // Else the document is damaged, and that is what is told.
      report(.checkpointUnreadable(id, error))
      return state
    }
    return try Self(of: id, try await log.recover(id))
  }

  init(of id: DocumentID, _ stored: RecoveredDocument, isCheckpointUnreadable: Bool = false) throws {
    (remembered.members, remembered.leases) = (stored.members, stored.leases)
    // As when its changes were merged first: a removal may come before a move that had not seen it.
    document.holdsRemovedObjects = true
    do {
      if let snapshot = stored.snapshot {
        document = try SnapshotCoding.open(snapshot.bytes, limits: .own)
        document.holdsRemovedObjects = true
        guard document.version == snapshot.version else {
          throw LogError(
            .corrupt, "The log of '\(id)' holds a state at \(document.version) as one at \(snapshot.version).")
        }
      }
      for record in stored.records {
        var patch = Patch()
        switch try Batch.merge(record.bytes, into: &document, patch: &patch, limits: .own) {
        case .merged, .duplicate: break
        case .notYet(let missing), .lacksAnchors(let missing):
          // Going on without it could use its dots a second time.
          throw LogError(.corrupt, "The log of '\(id)' lacks \(missing), on which changes in it stand.")
        }
      }
    } catch let error as LogError {
      throw error
    } catch {
      throw LogError(.corrupt, "What the log holds of '\(id)' cannot be read.", cause: error)
    }
    recordsReplayed = stored.records.count
    remembered.compaction = Compaction(
      logStart: stored.history?.logStart ?? stored.snapshot?.version ?? VersionVector(),
      stateByteCount: stored.snapshot?.bytes.count ?? 0, tailByteCount: stored.records.byteCount,
      historyByteCount: stored.history?.byteCount ?? 0, isCheckpointUnreadable: isCheckpointUnreadable)
  }
}
