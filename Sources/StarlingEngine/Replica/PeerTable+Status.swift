import StarlingCore
import StarlingSession

// What is told of a connection.
extension PeerTable.Peer {
  var standing: EngineMeasurements.Standing {
    if isRefused { return .refused }
    guard let hello else { return .silent }
    return !diverged.isEmpty ? .diverged : hello.relays ? .relay : .member
  }

  var status: EngineStatus.Peer? {
    hello.map {
      EngineStatus.Peer(
        store: $0.store, agent: $0.agent, isDurable: $0.isDurable, isRelay: $0.relays, isDialled: endpoint != nil,
        endpoint: endpoint, notice: $0.notice, documents: documents.values.sorted { $0.id.name < $1.id.name })
    }
  }
}
