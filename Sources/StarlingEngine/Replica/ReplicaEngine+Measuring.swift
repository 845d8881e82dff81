import StarlingCore
import StarlingGuard
import StarlingSession
import StarlingWire

// For those who draw curves. Whatever can be counted while work is done is a plain number by now; the rest is looked at
// when somebody asks.
extension ReplicaEngine {
  /// - Complexity: O(documents · members · writers)
  public func measure() -> EngineMeasurements {
    var standings: [EngineMeasurements.Standing: Int] = [:]
    for peer in peers.all.lazy.compactMap({ self.peers[$0] }) { standings[peer.standing, default: 0] += 1 }
    return EngineMeasurements(
      counters: countersNow, peers: standings, endpointsDialled: endpoints.count,
      endpointsUnreachable: endpoints.unreachableCount, hasLogFailed: pipeline.failure != nil,
      documentsQuarantined: quarantined.count,
      waiters: waiters.writerCount, answersWaiting: waitingAnswers.values.reduce(0) { $0 + $1.count },
      documents: documentsInOrder.map(measure))
  }

  private func measure(_ hosted: HostedDocument) -> DocumentMeasurements {
    let standing = hosted.handle.standing
    let (replica, log) = (hosted.handle.replica, pipeline[hosted.id])
    let (stable, operations) = (stableVersion(of: hosted.id), standing.version.operationCount)
    let own = standing.version[replica]
    return DocumentMeasurements(
      id: hosted.id, writers: standing.version.entries.count, conflicts: standing.conflictCount,
      changesHeld: standing.heldCount, backlogBytes: hosted.handle.backlogByteCount,
      recordsWaiting: log.unlogged.count, asksWithheld: hosted.withheld.count,
      operationsUnlogged: operations.subtractingAtMost(log.durable.operationCount),
      operationsUnacknowledged: own.subtractingAtMost(hosted.members.acknowledged(of: replica)),
      operationsUnstable: operations.subtractingAtMost(stable.operationCount), members: hosted.members.stores.count,
      snapshotBytes: log.compaction.snapshotByteCount, recordBytes: log.compaction.recordByteCount)
  }
}

extension PeerTable.Peer {
  fileprivate var standing: EngineMeasurements.Standing {
    if isRefused { return .refused }
    guard let hello else { return .silent }
    return !diverged.isEmpty ? .diverged : hello.relays ? .relay : .member
  }
}

extension DocumentHandle {
  fileprivate var standing: (version: Version, conflictCount: Int, heldCount: Int) {
    state.withLock { ($0.document.version, $0.document.conflictCount, $0.gate.count) }
  }
}

extension UInt64 {
  /// Down to zero.
  fileprivate func subtractingAtMost(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
