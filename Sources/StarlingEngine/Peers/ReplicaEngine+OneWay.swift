import StarlingCore
import StarlingSession
import StarlingWire

// Connections that could be made in one direction only (Protocol/conversation.md, "One-way links").
extension ReplicaEngine {
  private static let toldCountMax = 4

  func noteLink(to peer: PeerHandle) {
    guard let known = peers[peer], let hello = known.hello else { return }
    let isDialled = known.endpoint != nil
    oneWayLinks.meet(
      peer, store: hello.store, isDialled: isDialled,
      isDialable: isDialled ? known.toldEndpoints?.isEmpty == false : !hello.endpoints.isEmpty, now: clock.uptime())
  }

  /// The peer asked or acknowledged: it follows us over this connection.
  func noteFollower(_ peer: PeerHandle) {
    perform(oneWayLinks.hearFollower(on: peer))
  }

  func reviewOneWayLinks(now: Duration) {
    guard isOnline, !peers.isEmpty else { return }
    let plan = membership?.plan(now: now, mayDial: configuration.mayDial)
    let daemons = Set(peers.values.compactMap { $0.hello?.relays == true ? $0.hello?.store : nil })
    perform(
      oneWayLinks.review(now: now) { store in
        // A lower daemon dials its uplinks alone, and hears from them what the others write.
        guard let plan, !plan.isUpper, daemons.contains(store) else { return true }
        return plan.uplinks.contains { $0.store == store }
      })
  }

  func isOneWay(_ peer: PeerHandle) -> Bool { oneWayLinks.isOneWay(peer) }

  var oneWayLinksNow: [OneWayLink] {
    oneWayLinks.peers.compactMap(link)
  }

  /// What a newcomer is told of them, for people.
  func oneWayNotice(for peer: PeerHandle) -> String? {
    let links = trust(in: peer).mayRelay ? oneWayLinksNow.prefix(Self.toldCountMax) : []
    return links.isEmpty ? nil : links.map(\.description).joined(separator: "; ")
  }

  private func link(to peer: PeerHandle) -> OneWayLink? {
    guard let known = peers[peer], let hello = known.hello else { return nil }
    let isDialled = known.endpoint != nil
    return OneWayLink(
      store: hello.store, isDialled: isDialled, endpoints: isDialled ? known.toldEndpoints ?? [] : hello.endpoints)
  }

  private func perform(_ turns: [OneWayLinks.Turn]) {
    for turn in turns {
      switch turn {
      case .take(let peer):
        if let link = link(to: peer) { report(.oneWayLink(link)) }
        guard follows(peer) else { continue }
        for hosted in documentsInOrder {
          rouse(hosted)
          beginFollowing(peer, in: hosted)
        }
      case .leave(let peer):
        for hosted in documentsInOrder {
          rouse(hosted)
          perform(hosted.session.forget(peer, version: hosted.handle.version, now: clock.uptime()), in: hosted)
        }
      case .give(let peer):
        if let link = link(to: peer) { report(.oneWayLink(link)) }
        for hosted in documentsInOrder where serves(peer) {
          rouse(hosted)
          sayHave(of: hosted, to: peer)
        }
      case .stop: break
      }
    }
  }
}
