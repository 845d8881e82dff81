package import StarlingCore
import StarlingSession

// For those who draw curves. Whatever can be counted while work is done is a plain number by now; the rest is looked at
// when somebody asks.
extension ReplicaEngine {
  /// - Complexity: O(documents · members · writers)
  public func measure() -> EngineMeasurements {
    EngineMeasurements(
      counters: countersNow, peers: replication.connections.peers.standings,
      endpointsDialled: replication.endpoints.count, endpointsUnreachable: replication.endpoints.unreachableCount,
      hasLogFailed: replication.pipeline.failure != nil, documentsQuarantined: replication.damaged.count,
      documentsClosed: replication.closed.count, waiters: replication.waiters.writerCount,
      answersWaiting: waitingAnswers.count,
      documents: documentsInOrder.map {
        DocumentMeasurements(of: $0, stable: replication.stable(in: $0.number), in: replication)
      })
  }

  /// What every member of the document has durably merged, as far as it is known here.
  package func stableVersion(of document: DocumentID) -> VersionVector {
    replication.documents.number(of: document).map { replication.stable(in: $0) } ?? VersionVector()
  }

  /// How the engine stands now.
  public func status() -> EngineStatus {
    EngineStatus(
      store: opened.store, isDurable: replication.isDurable, logError: replication.pipeline.failure,
      isLogRetried: replication.pipeline.isRetried, unsaved: replication.unsaved, quarantined: replication.damaged,
      peers: replication.connections.peers.statuses, endpoints: replication.endpoints.bound,
      documents: documentsInOrder.map(\.id), closedDocumentCount: replication.closed.count, counters: countersNow,
      daemons: replication.daemons.map {
        EngineStatus.Daemons(isUpper: $0.isUpper, hereCount: $0.hereCount, goneCount: $0.goneCount)
      }, oneWayLinks: replication.connections.oneWay)
  }

  private var countersNow: EngineCounters {
    var counters = replication.countersNow
    for open in documentsInOrder { counters.presenceRefused += open.handle.presenceRefusedCount }
    return counters
  }
}
