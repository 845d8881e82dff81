import StarlingCore
import StarlingGuard
import StarlingSession

extension DocumentMeasurements {
  /// Where a document stands, as it is and as is known of it.
  ///
  /// - Parameter stable: what all members have.
  /// - Complexity: O(members · writers)
  init(of open: OpenDocument, stable: VersionVector, in replication: borrowing Replication) {
    let standing = open.handle.standing
    let log = replication.pipeline[open.id]
    let (state, operations) = (replication.documents[open.number], standing.version.operationCount)
    let presence = open.handle.presenceByteCounts
    let (replica, own) = (open.handle.replica, standing.version[open.handle.replica])
    self.init(
      id: open.id, operations: operations, writers: standing.version.entries.count, conflicts: standing.conflictCount,
      changesHeld: standing.heldCount, backlogBytes: open.handle.backlogByteCount,
      // A log that has yet to take changes back that were given up has something to do, too.
      recordsWaiting: log.unlogged.count + (replication.pipeline.isRetracting(open.id) ? 1 : 0),
      pullsPostponed: state.postponed.count, presenceBytes: presence.held, presenceBytesCharged: presence.charged,
      operationsUnlogged: operations.subtractingAtMost(log.durable.operationCount),
      operationsUnacknowledged: own.subtractingAtMost(state.members.acknowledged(of: replica)),
      operationsUnstable: operations.subtractingAtMost(stable.operationCount), members: state.members.stores.count,
      snapshotBytes: log.compaction.snapshotByteCount, recordBytes: log.compaction.recordByteCount)
  }
}

extension DocumentHandle {
  fileprivate var standing: (version: VersionVector, conflictCount: Int, heldCount: Int) {
    state.withLock { ($0.document.version, $0.document.conflictCount, $0.gate.count) }
  }
}

extension UInt64 {
  /// Down to zero.
  fileprivate func subtractingAtMost(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
