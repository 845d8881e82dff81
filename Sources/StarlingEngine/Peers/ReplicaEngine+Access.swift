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
}

// Who may do what: `Connections` decides (Protocol/conversation.md, "Access").
extension ReplicaEngine {
  func trust(in peer: PeerHandle) -> Trust { connections.trusts[peer] }

  private func entry(for identity: PeerIdentity, isDialled: Bool) -> Trust? {
    identity.key.flatMap { configuration.allowlist($0, isDialled) }
  }

  // MARK: Giving trust

  func noteTrust(_ event: LinkEvent) {
    switch event {
    case .opened(let peer, let isDialled, let identity):
      perform(
        connections.open(
          peer, as: identity, isDialled: isDialled, entry: entry(for: identity, isDialled: isDialled),
          now: clock.wallMilliseconds()))
    case .closed(let peer, _): connections.trusts.close(peer)
    case .turnedAway(let stranger):
      if stranger.reason == .revoked, !connections.isNews(revocationOf: stranger.user, now: clock.uptime()) { return }
      report(.access(AccessEvent(stranger)))
    case .handshakeFailed, .direct, .published: break
    }
  }

  func distrust(_ peer: PeerHandle) {
    guard let endpoint = endpoints.endpoint(of: peer) else { return }
    perform(connections.distrust(peer, at: endpoint))
    perform(endpoints.distrust(endpoint, connections.identity(of: peer)))
  }

  func reviewTrustIfDue(now: Duration) {
    guard now >= nextTrustReview else { return }
    nextTrustReview = now + configuration.trustInterval
    let wall = clock.wallMilliseconds()
    perform(connections.reviewTrust(wall: wall, now: now, configuration.allowlist))
    let trusted = endpoints.reviewTrust {
      Trust(in: $0, entry: entry(for: $0, isDialled: true), now: wall).isSomebody
    }
    for endpoint in trusted where isOnline { try? dialByHand(endpoint) }
  }

  /// Both sides begin again, with nothing that they knew of each other on this connection.
  func begin(anew peer: PeerHandle) {
    if let effects = endpoints.dialAgain(peer, now: clock.uptime()) {
      // Whoever may do nothing any more is hung up on again as soon as it answers, and that is remembered.
      perform(effects)
    } else {
      perform(connections.leaving(peer))
      forget(peer)
      connections.trusts.close(peer)
      link.disconnect(peer)
    }
  }

  // MARK: Holding to it

  /// Asks whether something may be, and does what follows from the answer.
  func ask(_ question: (inout Connections, inout [Connections.Effect]) -> Bool) -> Bool {
    var effects: [Connections.Effect] = []
    let answer = question(&connections, &effects)
    perform(effects)
    return answer
  }

  func mayRead(_ peer: PeerHandle, _ document: DocumentID) -> Bool { ask { $0.mayRead(peer, document, &$1) } }

  func mayWrite(_ peer: PeerHandle, _ hosted: HostedDocument) -> Bool { ask { $0.mayWrite(peer, hosted.id, &$1) } }

  func refuse(_ peer: PeerHandle, _ overdraft: Budgets.Overdraft, in document: DocumentID) {
    var effects: [Connections.Effect] = []
    connections.refuse(peer, overdraft, in: document, &effects)
    perform(effects)
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
