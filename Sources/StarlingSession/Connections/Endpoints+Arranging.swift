public import StarlingCore

// Which daemons are dialled, in what way, and whose stream is taken (Protocol/conversation.md, "Members").
//
// ```
//   plan ──► each daemon in it is dialled once, at the next of its endpoints where one does not answer
//        └─► contact points are let go of once whoever is there is known, and dialled again once nobody is linked
// ```
extension Endpoints {
  /// How long an endpoint is tried before another of the same daemon.
  private static let patience = Duration.seconds(5)

  /// Dials an endpoint before it is known who is there.
  ///
  /// - Parameter plan: which daemons are dialled; nil for a replica that is none.
  public mutating func dialByHand(_ endpoint: String, _ plan: Membership.Plan?, now: Duration) -> [Effect] {
    dial(endpoint, as: .byHand, relation: relationToContact(at: endpoint, plan), now: now)
  }

  func relationToContact(at endpoint: String, _ plan: Membership.Plan?) -> Relation {
    guard let plan else { return .plain }
    return relation(plan.isUpper ? .meshPeer : .standby, at: endpoint)
  }

  /// A peer that cannot dial us from there is no fellow.
  private func relation(_ wanted: Relation, at endpoint: String) -> Relation {
    wanted == .meshPeer && dialable(from: endpoint).isEmpty ? .plain : wanted
  }

  /// Dials the daemons that the plan names, and hangs up on those that it names no more.
  ///
  /// - Parameters:
  ///   - isHere: whether a daemon with that store is here, as far as is known.
  ///   - isTalking: whether the peer has said who it is.
  public mutating func arrange(
    _ plan: Membership.Plan, now: Duration, isHere: (StoreID) -> Bool, isTalking: (PeerHandle) -> Bool
  ) -> [Effect] {
    var effects: [Effect] = []
    var kept: Set<String> = []
    let lost = plan.lost.map { [($0, plan.isUpper ? Relation.meshPeer : .standby)] } ?? []
    for (contact, relation) in plan.meshPeers.map({ ($0, Relation.meshPeer) })
      + plan.uplinks.map({ ($0, Relation.standby) }) + lost
    {
      effects += keep(contact, as: relation, now: now, isTalking, &kept)
    }
    let isLinked = kept.contains { dialled[$0]?.peer.map(isTalking) ?? false }
    for (endpoint, known) in inOrder where !kept.contains(endpoint) {
      switch known.origin {
      case .member: effects += hangUp(endpoint)
      case .byHand, .announced: if isLinked, known.store.map(isHere) ?? false { effects += hangUp(endpoint) }
      case .discovered, .learned: break
      }
    }
    for endpoint in dialledByHand.sorted() where dialled[endpoint] == nil {
      // Whoever was there is reached otherwise; one that is gone may come back there first.
      if isLinked, contactStores[endpoint].map(isHere) ?? false { continue }
      effects += dialByHand(endpoint, plan, now: now)
    }
    return effects
  }

  /// Sees to it that a daemon is dialled, once and in that way.
  private mutating func keep(
    _ contact: Membership.Contact, as relation: Relation, now: Duration, _ isTalking: (PeerHandle) -> Bool,
    _ kept: inout Set<String>
  ) -> [Effect] {
    var effects: [Effect] = []
    let candidates = inOrder.filter {
      $0.value.origin != .learned && ($0.value.store == contact.store || contact.endpoints.contains($0.key))
    }
    // One that talks comes before one that does not.
    let current = candidates.first { $0.value.peer.map(isTalking) ?? false } ?? candidates.first
    var next = contact.endpoints[0]
    if let (endpoint, known) = current {
      let wanted = self.relation(relation, at: endpoint)
      let fits = known.relation == wanted || wanted == .standby && known.relation == .uplink
      let place = contact.endpoints.firstIndex(of: endpoint)
      let hasAnother = contact.endpoints.count > (place == nil ? 0 : 1)
      let isStuck = hasAnother && known.unreachableSince.map { now - $0 > Self.patience } ?? false
      if fits, !isStuck {
        kept.insert(endpoint)
        return []
      }
      next = isStuck ? contact.endpoints[((place ?? -1) + 1) % contact.endpoints.count] : endpoint
      effects += hangUp(endpoint)
    }
    if dialled[next]?.origin == .learned { effects += hangUp(next) }
    let origin: Origin = dialledByHand.contains(next) ? .byHand : .member
    effects += dial(next, as: origin, relation: self.relation(relation, at: next), store: contact.store, now: now)
    kept.insert(next)
    return effects
  }

  /// Takes the stream of one of the upper daemons, of another where that is lost.
  ///
  /// - Parameters:
  ///   - planned: the uppers that are to be followed, the best first.
  ///   - isRelay: whether the peer has said that it relays.
  public mutating func chooseUplink(planned: () -> [StoreID], isRelay: (PeerHandle) -> Bool) -> [Effect] {
    let above = inOrder.filter { $0.value.relation == .uplink || $0.value.relation == .standby }
    guard !above.isEmpty else { return [] }
    let talking = above.filter { $0.value.peer.map(isRelay) ?? false }
    let planned = planned()
    let wanted = talking.filter { $0.value.store.map(planned.contains) ?? false }
    let choices = wanted.isEmpty ? talking : wanted
    let former = choices.first { $0.value.relation == .uplink }
    let best = planned.lazy.compactMap { store in choices.first { $0.value.store == store } }.first
    let chosen = (former ?? best ?? choices.first)?.key
    var effects: [Effect] = []
    for (endpoint, known) in above where known.relation == .uplink && endpoint != chosen {
      effects += setRelation(.standby, at: endpoint)
    }
    if let chosen { effects += setRelation(.uplink, at: chosen) }
    return effects
  }
}
