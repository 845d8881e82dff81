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
      floor: stored.history?.floor ?? stored.snapshot?.version ?? Version(),
      stateByteCount: stored.snapshot?.bytes.count ?? 0, tailByteCount: stored.records.byteCount,
      historyByteCount: stored.history?.byteCount ?? 0, isCheckpointUnreadable: isCheckpointUnreadable)
  }
}
