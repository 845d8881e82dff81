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

  // MARK: Life

  func beginMembership() {
    guard configuration.gossips, configuration.isRelay else { return }
    var policy = Membership.Policy()
    policy.silence = configuration.memberSilence
    policy.beatInterval = configuration.memberSilence / 4
    membership = Membership(
      store: identity.store, incarnation: clock.wallMilliseconds(), endpoints: endpoints.toldToMembers,
      tier: configuration.tier.asTold, policy: policy)
  }

  /// Says that this daemon leaves, so that nobody looks for it.
  func leaveMembership() {
    guard let last = membership?.leave() else { return }
    for peer in peers.relays { say(.members(last), to: peer) }
  }

  func tickMembership(now: Duration) {
    guard now >= nextMembership else { return }
    nextMembership = now + Self.membershipInterval
    guard let events = membership?.tick(now: now) else { return }
    tell(events)
    guard let news = membership?.takeNews(now: now), !news.isEmpty else { return }
    for peer in peers.relays { say(.members(news), to: peer) }
  }

  // MARK: What is heard

  func receive(_ members: [Message.Member], from peer: PeerHandle) {
    guard connections.isTrustedRelay(peer),
      let events = membership?.hear(members, now: clock.uptime())
    else { return }
    tell(events)
  }

  /// Somebody said hello.
  func meet(_ hello: Message.Hello, at peer: PeerHandle) {
    perform(endpoints.met(hello.store, relays: hello.relays, at: peer))
    guard membership != nil, hello.relays else { return }
    if let all = membership?.everything(now: clock.uptime()) { say(.members(all), to: peer) }
    chooseUplink()
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
    // Other daemons may have to be dialled now.
    if !events.isEmpty { endpoints.reviewSoon() }
  }

  var daemonsNow: EngineStatus.Daemons? {
    membership.map {
      EngineStatus.Daemons(
        isUpper: $0.plan(now: clock.uptime(), mayDial: configuration.mayDial).isUpper, hereCount: $0.hereCount,
        goneCount: $0.goneCount)
    }
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
