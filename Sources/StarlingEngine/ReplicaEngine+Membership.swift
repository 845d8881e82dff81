import StarlingCore
import StarlingSession
import StarlingWire

// Which daemons there are, and connections to those that should be dialled (Protocol/conversation.md, "Members").
//
// ```
//   a list of endpoints ──┐
//   beacons ──────────────┼─► contact points ─► hello ─► members ─► Membership ─► plan ─► dialled
//                         └── let go of once whoever is there is known and not among those to dial
// ```
extension ReplicaEngine {
  private static let membershipInterval = Duration.milliseconds(250)
  /// How long an endpoint is tried before another of the same daemon.
  private static let patience = Duration.seconds(5)
  /// Endpoints that somebody called out, dialled at one time.
  private static let beckonedCountMax = 4

  // MARK: Life

  func beginMembership() {
    guard configuration.gossips, configuration.isRelay else { return }
    var policy = Membership.Policy()
    policy.silence = configuration.memberSilence
    policy.beatInterval = configuration.memberSilence / 4
    membership = Membership(
      store: identity.store, incarnation: clock.wallMilliseconds(), endpoints: endpointsForMembers,
      tier: configuration.tier.asTold, policy: policy)
  }

  /// Says that this daemon leaves, so that nobody looks for it.
  func leaveMembership() {
    guard let last = membership?.leave() else { return }
    for peer in relaysTalking { say(.members(last), to: peer) }
  }

  func tickMembership(now: Duration) {
    guard now >= nextMembership else { return }
    nextMembership = now + Self.membershipInterval
    guard let events = membership?.tick(now: now) else { return }
    tell(events)
    guard let news = membership?.takeNews(now: now), !news.isEmpty else { return }
    for peer in relaysTalking { say(.members(news), to: peer) }
  }

  // MARK: What is heard

  func receive(_ members: [Message.Member], from peer: PeerHandle) {
    guard trust(in: peer).mayRelay, peers[peer]?.hello?.relays == true,
      let events = membership?.hear(members, now: clock.uptime())
    else { return }
    tell(events)
  }

  /// Somebody said hello.
  func meet(_ hello: Message.Hello, at peer: PeerHandle) {
    if let endpoint = peers[peer]?.endpoint {
      endpoints[endpoint]?.store = hello.store
      if dialledByHand.contains(endpoint) { contactStores[endpoint] = hello.store }
      // Only those who relay have fellows.
      if !hello.relays { setRelation(.plain, at: endpoint) }
    }
    guard membership != nil, hello.relays else { return }
    if let all = membership?.everything(now: clock.uptime()) { say(.members(all), to: peer) }
    chooseUplink()
  }

  private var relaysTalking: [PeerHandle] {
    peersInOrder.filter { $0.1.hello?.relays == true && !$0.1.isRefused }.map(\.0)
  }

  private func tell(_ events: [Membership.Event]) {
    for event in events {
      switch event {
      case .came(let store): report(.daemon(store, .came))
      case .moved(let store): report(.daemon(store, .moved))
      case .left(let store): report(.daemon(store, .left))
      case .gone(let store): report(.daemon(store, .gone))
      case .contested: report(.storeContested)
      }
    }
    // Whom to dial may be others now.
    if !events.isEmpty { nextDiscovery = .zero }
  }

  var daemonsNow: EngineStatus.Daemons? {
    membership.map {
      EngineStatus.Daemons(
        isUpper: $0.plan(now: clock.uptime(), mayDial: configuration.mayDial).isUpper, hereCount: $0.hereCount,
        goneCount: $0.goneCount)
    }
  }

  // MARK: Whom to dial

  /// Dials an endpoint of which it is not known yet who is there.
  func dialByHand(_ endpoint: String) throws {
    try dial(endpoint, as: .byHand, relation: relationToContacts(at: endpoint))
  }

  private func relationToContacts(at endpoint: String) -> Relation {
    guard let plan = membership?.plan(now: clock.uptime(), mayDial: configuration.mayDial) else { return .plain }
    return relation(plan.isUpper ? .fellow : .standby, at: endpoint)
  }

  /// Nobody is a fellow whom the other cannot dial from there.
  private func relation(_ wanted: Relation, at endpoint: String) -> Relation {
    wanted == .fellow && dialableEndpoints(from: endpoint).isEmpty ? .plain : wanted
  }

  /// Tries endpoints that somebody called out, a few at a time and each for a while.
  func dialBeckoned(now: Duration) {
    for (endpoint, dialled) in endpointsInOrder where dialled.origin == .beckoned {
      if let since = dialled.unreachableSince, now - since > configuration.learnedEndpointLifetime { hangUp(endpoint) }
    }
    guard let beckoned = configuration.beckoned?() else { return }
    for endpoint in beckoned where configuration.mayDial(endpoint) {
      guard endpoints.values.count(where: { $0.origin == .beckoned }) < Self.beckonedCountMax else { return }
      try? dial(endpoint, as: .beckoned, relation: relationToContacts(at: endpoint))
    }
  }

  /// Dials whom the plan names, and hangs up on whom it names no more.
  func arrangeConnections(now: Duration) {
    guard let membership else { return }
    let plan = membership.plan(now: now, mayDial: configuration.mayDial)
    var kept: Set<String> = []
    for contact in plan.fellows { keep(contact, as: .fellow, now: now, &kept) }
    for contact in plan.uplinks { keep(contact, as: .standby, now: now, &kept) }
    if let lost = plan.lost { keep(lost, as: plan.isUpper ? .fellow : .standby, now: now, &kept) }
    let isLinked = kept.contains { endpoints[$0].map { peers[$0.peer]?.hello != nil } ?? false }
    for (endpoint, dialled) in endpointsInOrder where !kept.contains(endpoint) {
      let isKnown = dialled.store.map(membership.isHere) ?? false
      switch dialled.origin {
      case .member: hangUp(endpoint)
      case .byHand, .beckoned: if isKnown, isLinked { hangUp(endpoint) }
      case .discovered, .learned: break
      }
    }
    for endpoint in dialledByHand.sorted() where endpoints[endpoint] == nil {
      // Whoever was there is reached otherwise; who is gone may come back there first.
      if isLinked, contactStores[endpoint].map(membership.isHere) ?? false { continue }
      try? dialByHand(endpoint)
    }
    chooseUplink()
  }

  /// Sees to it that a daemon is dialled, once and in that way.
  private func keep(_ contact: Membership.Contact, as relation: Relation, now: Duration, _ kept: inout Set<String>) {
    let dialled = endpointsInOrder.filter {
      $0.1.origin != .learned && ($0.1.store == contact.store || contact.endpoints.contains($0.0))
    }
    // One that talks comes before one that does not.
    let current = dialled.first { peers[$0.1.peer]?.hello != nil } ?? dialled.first
    var next = contact.endpoints[0]
    if let (endpoint, dialled) = current {
      let wanted = self.relation(relation, at: endpoint)
      let fits = dialled.relation == wanted || wanted == .standby && dialled.relation == .uplink
      let place = contact.endpoints.firstIndex(of: endpoint)
      let hasAnother = contact.endpoints.count > (place == nil ? 0 : 1)
      let isStuck = hasAnother && dialled.unreachableSince.map { now - $0 > Self.patience } ?? false
      if fits, !isStuck {
        kept.insert(endpoint)
        return
      }
      if isStuck {
        next = contact.endpoints[((place ?? -1) + 1) % contact.endpoints.count]
      } else {
        next = endpoint
      }
      hangUp(endpoint)
    }
    if endpoints[next]?.origin == .learned { hangUp(next) }
    let origin: Dialled.Origin = dialledByHand.contains(next) ? .byHand : .member
    try? dial(next, as: origin, relation: self.relation(relation, at: next), store: contact.store)
    kept.insert(next)
  }
}

extension EngineConfiguration.Tier {
  var asTold: Message.Member.Tier {
    switch self {
    case .either: .either
    case .upper: .upper
    case .lower: .lower
    }
  }
}
