import StarlingCore
import StarlingWire

// Connections that could be made in one direction only (Protocol/conversation.md, "One-way links").
extension Connections {
  /// So many are told of to a newcomer.
  private static let toldCountMax = 4

  /// The peer has said who it is.
  public mutating func noteLink(to peer: PeerHandle, now: Duration) {
    guard let known = peers[peer], let hello = known.hello else { return }
    let isDialled = known.endpoint != nil
    oneWayLinks.meet(
      peer, store: hello.store, isDialled: isDialled,
      isDialable: isDialled ? known.toldEndpoints?.isEmpty == false : !hello.endpoints.isEmpty, now: now)
  }

  /// The peer asked or acknowledged: it follows us over this connection.
  public mutating func hearFollower(_ peer: PeerHandle) -> [Effect] {
    // Before what follows from it is looked at.
    let turns = oneWayLinks.hearFollower(on: peer)
    return effects(of: turns)
  }

  /// What is due by the clock.
  ///
  /// - Parameter plan: which daemons are dialled; nil for a replica that is none.
  public mutating func reviewOneWayLinks(_ plan: Membership.Plan?, now: Duration) -> [Effect] {
    guard oneWayLinks.isUnsettled else { return [] }
    let daemons = Set(peers.hellos.lazy.filter(isAlike).map(\.store))
    let turns = oneWayLinks.review(now: now) { store in
      // A lower daemon dials its uplinks alone of those of its shard, and hears from them what the others write.
      guard let plan, !plan.isUpper, daemons.contains(store) else { return true }
      return plan.uplinks.contains { $0.store == store }
    }
    return effects(of: turns)
  }

  private func effects(of turns: [OneWayLinks.Turn]) -> [Effect] {
    turns.flatMap { turn -> [Effect] in
      switch turn {
      case .take(let peer): told(peer) + (follows(peer) ? [.begin(peer, serves: false, follows: true)] : [])
      case .leave(let peer): [.stopFollowing(peer)]
      case .give(let peer): told(peer) + (serves(peer) ? [.begin(peer, serves: true, follows: false)] : [])
      case .stop: []
      }
    }
  }

  private func told(_ peer: PeerHandle) -> [Effect] { link(to: peer).map { [.tell(.oneWayLink($0))] } ?? [] }

  // MARK: Known links

  /// Those that stand now, ascending by peer.
  public var oneWay: [OneWayLink] { oneWayLinks.peers.compactMap(link) }

  /// What a newcomer is told of them, for people.
  func oneWayNotice(for peer: PeerHandle) -> String? {
    let links = trusts[peer].mayRelay ? oneWay.prefix(Self.toldCountMax) : []
    return links.isEmpty ? nil : links.map(\.description).joined(separator: "; ")
  }

  private func link(to peer: PeerHandle) -> OneWayLink? {
    guard let known = peers[peer], let hello = known.hello else { return nil }
    let isDialled = known.endpoint != nil
    return OneWayLink(
      store: hello.store, isDialled: isDialled, endpoints: isDialled ? known.toldEndpoints ?? [] : hello.endpoints)
  }
}
