package import StarlingCore
import StarlingGuard
import StarlingSession
import StarlingWire

// For those who draw curves. Whatever can be counted while work is done is a plain number by now; the rest is looked at
// when somebody asks.
extension ReplicaEngine {
  /// - Complexity: O(documents · members · writers)
  public func measure() -> EngineMeasurements {
    let peers = replication.connections.peers
    var standings: [EngineMeasurements.Standing: Int] = [:]
    for peer in peers.all.lazy.compactMap({ peers[$0] }) { standings[peer.standing, default: 0] += 1 }
    return EngineMeasurements(
      counters: countersNow, peers: standings, endpointsDialled: replication.endpoints.count,
      endpointsUnreachable: replication.endpoints.unreachableCount, hasLogFailed: replication.pipeline.failure != nil,
      documentsQuarantined: quarantined.count,
      waiters: replication.waiters.writerCount, answersWaiting: waitingAnswers.values.reduce(0) { $0 + $1.count },
      documents: documentsInOrder.map(measure))
  }

  private func measure(_ open: OpenDocument) -> DocumentMeasurements {
    let standing = open.handle.standing
    let (replica, log) = (open.handle.replica, replication.pipeline[open.id])
    let stable = replication.stable(in: open.number)
    let (state, operations) = (replication.documents[open.number], standing.version.operationCount)
    let own = standing.version[replica]
    return DocumentMeasurements(
      id: open.id, operations: operations, writers: standing.version.entries.count, conflicts: standing.conflictCount,
      changesHeld: standing.heldCount, backlogBytes: open.handle.backlogByteCount,
      recordsWaiting: log.unlogged.count, asksWithheld: state.withheld.count,
      operationsUnlogged: operations.subtractingAtMost(log.durable.operationCount),
      operationsUnacknowledged: own.subtractingAtMost(state.members.acknowledged(of: replica)),
      operationsUnstable: operations.subtractingAtMost(stable.operationCount), members: state.members.stores.count,
      snapshotBytes: log.compaction.snapshotByteCount, recordBytes: log.compaction.recordByteCount)
  }

  /// What every member of the document has durably merged, as far as it is known here.
  package func stableVersion(of document: DocumentID) -> Version {
    replication.documents.number(of: document).map { replication.stable(in: $0) } ?? Version()
  }

  // MARK: Status

  /// How the engine stands now.
  public func status() -> EngineStatus {
    let failure = replication.pipeline.failure
    return EngineStatus(
      store: opened.store, isDurable: replication.isDurable, logError: failure,
      isLogRetried: failure != nil && !replication.pipeline.isLost, unsaved: replication.unsaved,
      quarantined: quarantined, peers: peersNow, endpoints: replication.endpoints.bound,
      documents: documentsInOrder.map(\.id), counters: countersNow,
      daemons: replication.daemons.map {
        EngineStatus.Daemons(isUpper: $0.isUpper, hereCount: $0.hereCount, goneCount: $0.goneCount)
      }, oneWayLinks: replication.connections.oneWay)
  }

  /// The peers, each once: by the connection that was dialled here where there are two.
  private var peersNow: [EngineStatus.Peer] {
    let peers = replication.connections.peers
    let all = peers.all.compactMap { peers[$0]?.status }
    return Dictionary(grouping: all, by: \.store).values.compactMap { connections in
      connections.first { $0.isDialled } ?? connections.first
    }
  }

  private var countersNow: EngineCounters {
    var counters = replication.countersNow
    for open in documentsInOrder { counters.presenceRefused += open.handle.presenceRefusedCount }
    return counters
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
