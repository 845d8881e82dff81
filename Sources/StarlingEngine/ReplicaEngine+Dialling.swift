import StarlingCore
import StarlingSession
import StarlingWire

/// One endpoint that is dialled.
struct Dialled {
  enum Origin { case byHand, discovered, learned, beckoned, member }

  let peer: PeerHandle
  var origin: Origin
  var relation: Relation
  /// Who is there, or was when it last answered.
  var store: StoreID?
  /// Since when nobody answers there.
  var unreachableSince: Duration?
  /// Whether who was there has said that it leaves.
  var isLeft = false
}

// Endpoints: who is dialled, when, and until when (Protocol/conversation.md, "Connections").
extension ReplicaEngine {
  func dial(
    _ endpoint: String, as origin: Dialled.Origin, relation: Relation = .plain, store: StoreID? = nil
  ) throws {
    guard endpoints[endpoint] == nil, untrusted[endpoint] == nil, !configuration.endpoints.contains(endpoint),
      !ownEndpoints.contains(endpoint)
    else { return }
    let dialled = Dialled(
      peer: try link.connect(to: endpoint), origin: origin, relation: relation, store: store,
      unreachableSince: clock.uptime())
    endpoints[endpoint] = dialled
    for hosted in documentsInOrder { subscribe(to: hosted, at: dialled) }
  }

  /// Dials who dialled us at the endpoint that it named; what fails is tried again in a while.
  func dialBack(_ peer: PeerHandle) {
    guard let known = peers[peer], known.endpoint == nil, !known.isRefused, let hello = known.hello,
      trust(in: peer).mayRelay, membership == nil || !hello.isFellow,
      let endpoint = hello.endpoints.first(where: { configuration.mayDialBack($0, identity(of: peer).key) })
    else { return }
    try? dial(endpoint, as: .learned)
  }

  func hangUp(_ endpoint: String) {
    guard let dialled = endpoints.removeValue(forKey: endpoint) else { return }
    forget(dialled.peer)
    trusts.close(PeerNumber(dialled.peer.rawValue))
    for hosted in documentsInOrder { unsubscribe(from: hosted, at: dialled) }
    link.disconnect(dialled.peer)
  }

  /// Lets go of every connection. Endpoints dialled by hand are remembered for `redial`.
  func dropPeers() {
    for (endpoint, _) in endpointsInOrder { hangUp(endpoint) }
    for (peer, _) in peersInOrder {
      forget(peer)
      trusts.close(PeerNumber(peer.rawValue))
      link.disconnect(peer)
    }
  }

  /// Dials by hand what was dialled by hand.
  func redial() {
    for endpoint in dialledByHand.sorted() { try? dialByHand(endpoint) }
  }

  /// Dials what the directory names and lets go of what is gone.
  func discover() {
    guard isOnline else { return }
    let now = clock.uptime()
    if let discover = configuration.discover {
      reviewUnreachable(now: now)
      guard let wanted = discover().map(Set.init) else { return dialBeckoned(now: now) }
      for endpoint in wanted.sorted() { try? dial(endpoint, as: .discovered) }
      for (endpoint, dialled) in endpointsInOrder
      where [.discovered, .learned].contains(dialled.origin) && !wanted.contains(endpoint) {
        hangUp(endpoint)
      }
    } else {
      for (endpoint, dialled) in endpointsInOrder where dialled.origin == .learned {
        guard let since = dialled.unreachableSince else { continue }
        let lifetime = dialled.isLeft ? configuration.discoveryInterval : configuration.learnedEndpointLifetime
        if now - since > lifetime { hangUp(endpoint) }
      }
      // There may have been no room for one more.
      for (peer, _) in peersInOrder { dialBack(peer) }
    }
    dialBeckoned(now: now)
    arrangeConnections(now: now)
  }

  /// For so long after it was lost an endpoint is reviewed with each look at the directory.
  private static let reviewedFor: Duration = .seconds(3)

  private func reviewUnreachable(now: Duration) {
    guard let review = configuration.reviewUnreachable else { return }
    let unreachable = endpointsInOrder.filter { _, dialled in
      dialled.origin == .discovered && dialled.unreachableSince.map { now - $0 < Self.reviewedFor } ?? false
    }
    if !unreachable.isEmpty { review(unreachable.map(\.0)) }
  }

  var endpointsInOrder: [(String, Dialled)] {
    endpoints.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func setUnreachable(_ peer: PeerHandle, since moment: Duration?) {
    for endpoint in endpoints.keys where endpoints[endpoint]?.peer == peer {
      endpoints[endpoint]?.unreachableSince = moment
      if moment == nil { endpoints[endpoint]?.isLeft = false }
    }
  }
}
