import StarlingCore
import StarlingSession

// What is told of a connection.
extension PeerTable {
  /// How many connections stand how.
  var standings: [EngineMeasurements.Standing: Int] {
    var standings: [EngineMeasurements.Standing: Int] = [:]
    for peer in all.lazy.compactMap({ self[$0] }) { standings[peer.standing, default: 0] += 1 }
    return standings
  }

  /// The peers, each once: by the connection that was dialled here where there are two.
  var statuses: [EngineStatus.Peer] {
    let statuses = all.compactMap { self[$0]?.status }
    return Dictionary(grouping: statuses, by: \.store).values.compactMap { connections in
      connections.first { $0.isDialled } ?? connections.first
    }
  }
}

extension PeerTable.Peer {
  var standing: EngineMeasurements.Standing {
    if isRefused { return .refused }
    guard let hello else { return .silent }
    return !diverged.isEmpty ? .diverged : hello.relays ? .relay : .member
  }

  var status: EngineStatus.Peer? {
    hello.map {
      EngineStatus.Peer(
        store: $0.store, agent: $0.agent, isDurable: $0.isDurable, isRelay: $0.relays, shard: $0.shard,
        isDialled: endpoint != nil, endpoint: endpoint, notice: $0.notice,
        documents: documents.values.sorted { $0.id.name < $1.id.name })
    }
  }
}
