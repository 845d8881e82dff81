import StarlingCore
import StarlingWire

// Which daemons there are, and connections to those that should be dialled (Protocol/conversation.md, "Members").
//
// ```
//   a list of endpoints ──┐
//   a cluster ────────────┼─► contact points ─► hello ─► members ─► Membership ─► plan ─► dialled
//                         └── dropped once its peer is known and not among those to dial
// ```
extension Replication {
  mutating func beginMembership() {
    guard policy.gossips, policy.isRelay else { return }
    var rules = Membership.Policy()
    rules.silence = policy.memberSilence
    rules.beatInterval = policy.memberSilence / 4
    membership = Membership(
      store: identity.store, incarnation: wall, endpoints: endpoints.toldToMembers, tier: policy.tier, policy: rules)
  }

  /// Says that this daemon leaves, so that nobody looks for it.
  mutating func leaveMembership() {
    guard let last = membership?.leave() else { return }
    for peer in connections.alike { say(.members(last), to: peer) }
  }

  mutating func tickMembership() {
    let now = now
    guard let events = membership?.tick(now: now) else { return }
    tell(events)
    guard let news = membership?.takeNews(now: now), !news.isEmpty else { return }
    for peer in connections.alike { say(.members(news), to: peer) }
  }

  mutating func receive(_ members: [Message.Member], from peer: PeerHandle) {
    let now = now
    guard connections.isTrustedRelay(peer), peers[peer]?.hello.map(connections.isAlike) ?? false,
      let events = membership?.hear(members, now: now)
    else { return }
    tell(events)
  }

  /// Somebody said hello.
  mutating func meet(_ hello: Message.Hello, at peer: PeerHandle) {
    noteRecipient(hello, at: peer)
    carryOut(endpoints.met(hello.store, serving: hello.shard, isMeshPeer: connections.isAlike(hello), at: peer))
    guard membership != nil, connections.isAlike(hello) else { return }
    if let all = membership?.everything(now: now) { say(.members(all), to: peer) }
    chooseUplink()
  }

  private mutating func tell(_ events: [Membership.Event]) {
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

  // MARK: Status

  /// What is known of the group's daemons; nil in a replica that does not ask.
  package struct Daemons: Sendable {
    /// Whether this one is of the upper tier, or of the only one.
    package let isUpper: Bool
    package let hereCount: Int
    package let goneCount: Int
  }

  package var daemons: Daemons? {
    membership.map {
      Daemons(
        isUpper: $0.plan(now: now, mayDial: policy.mayDial).isUpper, hereCount: $0.hereCount, goneCount: $0.goneCount)
    }
  }

  package var countersNow: EngineCounters {
    var counters = counters
    counters.waitsTimedOut = waiters.timedOutCount
    for number in documents.inOrder { counters.add(documents[number].session.statistics) }
    return counters
  }
}
