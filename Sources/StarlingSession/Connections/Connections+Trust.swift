public import StarlingCore
import StarlingWire

// The peers that connect, and what the allowlist says of each (Protocol/conversation.md, "Access"): the trust in each
// peer, made when its connection opens and again as the allowlist changes.
extension Connections {
  public func trust(in peer: PeerHandle) -> Trust { trusts[peer] }

  public func identity(of peer: PeerHandle) -> PeerIdentity { trusts.identity(of: peer) }

  /// What the peer did, with its identity.
  public func event(
    _ kind: AccessEvent.Kind, _ explanation: String, of peer: PeerHandle, _ document: DocumentID? = nil,
    _ replica: ReplicaID? = nil
  ) -> AccessEvent {
    AccessEvent(kind, explanation, trust(in: peer), identity(of: peer), document, replica)
  }

  /// A connection has opened. Taken while the replica works offline too: the peer is still there afterwards.
  ///
  /// - Parameters:
  ///   - entry: what the allowlist says of the key.
  ///   - now: milliseconds since 1970-01-01 UTC.
  public mutating func open(
    _ peer: PeerHandle, as identity: PeerIdentity, isDialled: Bool, entry: Trust?, now: UInt64
  ) -> [Effect] {
    let trust = trusts.open(peer, as: identity, isDialled: isDialled, entry: entry, now: now)
    guard !isDialled, identity.key != nil else { return [] }
    return [.tell(.access(event(.admitted, "it was let in, and \(trust.role.rawValue).", of: peer)))]
  }

  /// Whoever answers where we dial may do nothing, and is hung up on. The endpoint is dialled again later.
  public func distrust(_ peer: PeerHandle, at endpoint: String) -> [Effect] {
    let identity = identity(of: peer)
    let remedy =
      identity.key == nil
      ? "dial it as tcp://KEY@HOST:PORT, with the key that it prints when it starts."
      : "let its key in as one that relays (starling keys authorize)."
    let explanation = "the peer that answers at '\(endpoint)' is not trusted here; if it should be, \(remedy)"
    return [
      .tell(
        .access(AccessEvent(.untrusted, user: identity.key, address: identity.address, explanation: explanation)))
    ]
  }

  /// Makes every trust again. A connection whose peer may do something else now begins again, with what it may do.
  ///
  /// - Parameters:
  ///   - wall: milliseconds since 1970-01-01 UTC.
  ///   - allowlist: what it says of the key of a peer, and whether we dialled that.
  public mutating func reviewTrust(
    wall: UInt64, now: Duration, _ allowlist: (_ key: String, _ isDialled: Bool) -> Trust?
  ) -> [Effect] {
    trusts.review(now: wall, allowlist).flatMap { revision -> [Effect] in
      let (peer, present, former) = (revision.peer, revision.present, revision.former)
      if !present.mayRelay, let name = former.listedName { relaysMet.forget(named: name) }
      let identity = identity(of: peer)
      let event =
        present.isSomebody
        ? AccessEvent(.changed, "what it may do has changed: it \(present.role.rawValue) now.", present, identity)
        : AccessEvent(.revoked, "its key is let in no more, and it was cut off.", former, identity)
      let isTold = present.isSomebody || former.isSomebody && isNews(revocationOf: identity.key, now: now)
      return (isTold ? [.tell(.access(event))] : []) + [.beginAgain(peer)]
    }
  }

  /// Whether nobody was told of it yet: the link and the review of trust may both notice, in either order.
  public mutating func isNews(revocationOf key: String?, now: Duration) -> Bool {
    guard let key else { return true }
    defer { revocationsTold[key] = now }
    return revocationsTold[key].map { now - $0 > .seconds(2) } ?? true
  }
}
