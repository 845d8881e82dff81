import StarlingCore
import StarlingSession
import StarlingWire

extension AccessEvent {
  init(_ stranger: TurnedAway) {
    let (kind, explanation): (Kind, String) =
      switch stranger.reason {
      case .notAdmitted: (.notAdmitted, "its key is not let in.")
      case .revoked: (.revoked, "its key is let in no more, and it was cut off.")
      case .unproved: (.unproved, "it did not prove a key.")
      case .unfinished: (.unfinished, "it broke off before it had introduced itself.")
      case .excess: (.excess, "it passed a limit of connections or subscriptions, and was cut off.")
      }
    self.init(kind, user: stranger.user, address: stranger.address, explanation: explanation)
  }

  /// What a peer of that trust did.
  fileprivate init(
    _ kind: Kind, _ explanation: String, _ trust: Trust, _ identity: PeerIdentity, _ document: DocumentID? = nil,
    _ replica: ReplicaID? = nil
  ) {
    self.init(
      kind, user: identity.key, address: identity.address, name: trust.name, role: trust.role, document: document,
      replica: replica, explanation: explanation)
  }
}

// Who may do what (Protocol/conversation.md, "Access"): the trust in each peer, made when its connection opens and again
// as the allowlist changes, and held against each message before that is acted upon.
extension ReplicaEngine {
  func trust(in peer: PeerHandle) -> Trust { connections.trusts[peer] }

  func identity(of peer: PeerHandle) -> PeerIdentity { connections.trusts.identity(of: peer) }

  private func entry(for identity: PeerIdentity, isDialled: Bool) -> Trust? {
    identity.key.flatMap { configuration.allowlist($0, isDialled) }
  }

  // MARK: Giving trust

  /// Taken while the replica works offline too: whoever comes meanwhile is still there afterwards.
  func noteTrust(_ event: LinkEvent) {
    switch event {
    case .opened(let peer, let isDialled, let identity):
      let trust = connections.trusts.open(
        peer, as: identity, isDialled: isDialled,
        entry: entry(for: identity, isDialled: isDialled),
        now: clock.wallMilliseconds())
      guard !isDialled, identity.key != nil else { return }
      report(.access(AccessEvent(.admitted, "it was let in, and \(trust.role.rawValue).", trust, identity)))
    case .closed(let peer, _): connections.trusts.close(peer)
    case .turnedAway(let stranger):
      if stranger.reason == .revoked, !isNews(revocationOf: stranger.user) { return }
      report(.access(AccessEvent(stranger)))
    case .handshakeFailed, .direct, .published: break
    }
  }

  /// Hangs up on whoever answers where we dial and may do nothing. It is dialled again once it may.
  func distrust(_ peer: PeerHandle) {
    guard let endpoint = endpoints.endpoint(of: peer) else { return }
    let identity = identity(of: peer)
    let remedy =
      identity.key == nil
      ? "dial it as tcp://KEY@HOST:PORT, with the key that it prints when it starts."
      : "let its key in as one that relays (starling keys authorize)."
    let explanation = "whoever answers at '\(endpoint)' is not trusted here; if it should be, \(remedy)"
    report(.access(AccessEvent(.untrusted, user: identity.key, address: identity.address, explanation: explanation)))
    perform(endpoints.distrust(endpoint, identity))
  }

  /// Makes every trust again. A connection whose peer may do something else now is closed: both sides begin anew with
  /// what it may do.
  func reviewTrustIfDue(now: Duration) {
    guard now >= nextTrustReview else { return }
    nextTrustReview = now + configuration.trustInterval
    let time = clock.wallMilliseconds()
    for revision in connections.trusts.review(now: time, configuration.allowlist) {
      let (peer, present, former) = (revision.peer, revision.present, revision.former)
      let identity = identity(of: peer)
      let event =
        present.isSomebody
        ? AccessEvent(.changed, "what it may do has changed: it \(present.role.rawValue) now.", present, identity)
        : AccessEvent(.revoked, "its key is let in no more, and it was cut off.", former, identity)
      let isNews = present.isSomebody || former.isSomebody && isNews(revocationOf: identity.key)
      if isNews { report(.access(event)) }
      begin(anew: peer)
    }
    let trusted = endpoints.reviewTrust {
      Trust(in: $0, entry: entry(for: $0, isDialled: true), now: time).isSomebody
    }
    for endpoint in trusted where isOnline { try? dialByHand(endpoint) }
  }

  /// Both sides begin again, with nothing that they knew of each other on this connection.
  func begin(anew peer: PeerHandle) {
    if let effects = endpoints.dialAgain(peer, now: clock.uptime()) {
      // Whoever may do nothing any more is hung up on again as soon as it answers, and that is remembered.
      perform(effects)
    } else {
      if let store = peers[peer]?.hello?.store, !peers.isReached(store, besides: peer) {
        counters.peersLeft += 1
        report(.left(store))
      }
      forget(peer)
      connections.trusts.close(peer)
      link.disconnect(peer)
    }
  }

  /// Whether nobody was told of it yet: the link and the review of trust may both notice, in either order.
  private func isNews(revocationOf key: String?) -> Bool {
    guard let key else { return true }
    let now = clock.uptime()
    defer { revocationsTold[key] = now }
    return revocationsTold[key].map { now - $0 > .seconds(2) } ?? true
  }

  // MARK: Holding to it

  /// Whether what a peer sends is looked at at all.
  func mayBeHeard(_ peer: PeerHandle) -> Bool {
    if trust(in: peer).isSomebody { return true }
    counters.denied += 1
    if connections.trusts.noteDenial("", of: peer) {
      refuse(peer, Message.Refusal(code: .notWelcome, explanation: "This key may do nothing here."))
    }
    return false
  }

  /// Nobody asks a reader for what it wrote: it is told so when it comes, not when it finds out.
  func tellPermissions(to peer: PeerHandle) {
    guard !trust(in: peer).mayWrite else { return }
    let explanation = "This key may read here; what is written under it is not taken."
    refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation))
  }

  /// Whether the message is about a document that its sender may read.
  func isPermitted(_ message: Message, from peer: PeerHandle) -> Bool {
    guard let document = message.document else { return true }
    return mayRead(peer, document)
  }

  func mayRead(_ peer: PeerHandle, _ document: DocumentID) -> Bool {
    if trust(in: peer).covers(document) { return true }
    deny(peer, .readRefused, "it may not read '\(document)'", document)
    return false
  }

  func mayWrite(_ peer: PeerHandle, _ hosted: HostedDocument) -> Bool {
    guard mayRead(peer, hosted.id) else { return false }
    if trust(in: peer).mayWrite { return true }
    deny(peer, .writeRefused, "it may read '\(hosted.id)', not write it", hosted.id)
    return false
  }

  /// A state says what was removed by what it does not hold: it is taken from relays alone.
  func isTrustedWithState(_ peer: PeerHandle, _ hosted: HostedDocument) -> Bool {
    if trust(in: peer).mayRelay { return true }
    deny(peer, .stateRefused, "it sent a whole state of '\(hosted.id)', which only relays may", hosted.id)
    return false
  }

  /// What a peer did, with who it is.
  func event(
    _ kind: AccessEvent.Kind, _ explanation: String, of peer: PeerHandle, _ document: DocumentID? = nil,
    _ replica: ReplicaID? = nil
  ) -> AccessEvent {
    AccessEvent(kind, explanation, trust(in: peer), identity(of: peer), document, replica)
  }

  /// Counts, tells the operator once, and says so to the peer.
  func deny(
    _ peer: PeerHandle, _ kind: AccessEvent.Kind, _ what: String, _ document: DocumentID, _ replica: ReplicaID? = nil
  ) {
    counters.denied += 1
    guard connections.trusts.noteDenial(what, of: peer) else { return }
    report(.access(event(kind, what, of: peer, document, replica)))
    refuse(peer, Message.Refusal(code: .notWelcome, explanation: "This key was refused: \(what)."))
  }
}

extension Message {
  /// What it is about; nil for what is about no document, or several, and for frames that say so themselves.
  var document: DocumentID? {
    switch self {
    case .have(let have): have.document
    case .want(let want): want.document
    case .changes(let changes), .paths(let changes): changes.document
    case .snapshot(let part): part.document
    case .evidence(let evidence): evidence.document
    case .resume(let resume): resume.document
    case .credit(let credit): credit.document
    case .acknowledge(let document, _, _): document
    case .lease(let lease): lease.document
    case .leased(let leased): leased.document
    case .disown(let document, _): document
    case .forget, .hello, .live, .refuse, .goodbye, .members, .beacon, .writers, .equivocations, .heartbeat, .unknown:
      nil
    }
  }
}
