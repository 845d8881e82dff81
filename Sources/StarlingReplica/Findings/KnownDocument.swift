package import StarlingCore
package import StarlingEngine
package import StarlingSession

/// One document, as all members that have it tell of it.
package struct KnownDocument {
  package let id: DocumentID
  package private(set) var holders: [(member: EngineStatus.Peer, standing: PeerDocument)] = []

  /// Whether all stand at one version.
  package var isAlike: Bool { Set(holders.map(\.standing.versionMark)).count == 1 }

  /// Two members that stand at one version and hold different things: the document went wrong at one of them.
  package var divergence: (EngineStatus.Peer, EngineStatus.Peer)? {
    for (place, one) in holders.enumerated() {
      for other in holders[(place + 1)...] where one.standing.versionMark == other.standing.versionMark {
        guard let digest = one.standing.digest, let otherDigest = other.standing.digest else { continue }
        if digest != otherDigest { return (one.member, other.member) }
      }
    }
    return nil
  }

  package var operationCount: UInt64 { holders.map(\.standing.operationCount).max() ?? 0 }

  fileprivate mutating func add(_ member: EngineStatus.Peer, _ standing: PeerDocument) {
    holders.append((member, standing))
  }
}

extension [EngineStatus.Peer] {
  /// Each member once: one that dials this replica and is dialled by it has two connections.
  package var members: [EngineStatus.Peer] {
    var members: [String: EngineStatus.Peer] = [:]
    for peer in self {
      guard let known = members[peer.store.description] else {
        members[peer.store.description] = peer
        continue
      }
      if known.endpoint == nil { members[peer.store.description]?.endpoint = peer.endpoint }
      if known.documents.count < peer.documents.count {
        members[peer.store.description]?.documents = peer.documents
      }
    }
    return members.sorted { $0.key < $1.key }.map { $0.value }
  }

  /// What they hold, ascending by name.
  package var knownDocuments: [KnownDocument] {
    var known: [String: KnownDocument] = [:]
    for member in self {
      for document in member.documents {
        known[document.id.name, default: KnownDocument(id: document.id)].add(member, document)
      }
    }
    return known.sorted { $0.key < $1.key }.map { $0.value }
  }
}
