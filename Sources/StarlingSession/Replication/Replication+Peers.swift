import StarlingCore
import StarlingWire

// Connections that come and go (Protocol/conversation.md, "Connections").
extension Replication {
  func trust(in peer: PeerHandle) -> Trust { connections.trusts[peer] }

  // MARK: What the link tells

  /// - Parameter entry: what the allowlist says of the key.
  package mutating func opened(_ peer: PeerHandle, isDialled: Bool, as identity: PeerIdentity, entry: Trust?) {
    guard !isClosing else { return }
    carryOut(connections.open(peer, as: identity, isDialled: isDialled, entry: entry, now: wall))
    guard isOnline else { return }
    returned(peer)
    forget(peer)
    guard !isDialled || trust(in: peer).isSomebody else { return distrust(peer) }
    connections.begin(peer, endpoints)
    if isDialled {
      endpoints.setUnreachable(peer, since: nil)
      greet(peer, wantsReply: true)
    }
  }

  package mutating func closed(_ peer: PeerHandle) {
    schedule.helloAsked.remove(peer)
    if isClosing { return peers[peer] = nil }
    connections.trusts.close(peer)
    guard isOnline else { return }
    ended(peer)
    forget(peer)
  }

  /// Somebody was not let in, or is let in no more.
  package mutating func turnedAway(_ event: AccessEvent, isRevocation: Bool) {
    if isClosing || isRevocation && !connections.isNews(revocationOf: event.user, now: now) { return }
    report(.access(event))
  }

  package mutating func handshakeFailed(at endpoint: String, _ failure: HandshakeFailure) {
    if isOnline, !isClosing { report(.notAdmitted(endpoint, failure)) }
  }

  /// Says goodbye.
  package mutating func leave() {
    leaveMembership()
    for peer in peers.talking { say(.goodbye, to: peer) }
  }

  // MARK: Leaving

  /// It leaves in good order; who keeps nothing does not come back. What it published last may still be to come.
  mutating func saidGoodbye(_ peer: PeerHandle) {
    let hello = peers[peer]?.hello
    if let hello, trust(in: peer).mayWrite {
      for number in documents.inOrder { documents[number].members.leave(hello.store) }
    }
    connections.farewells.add(
      Farewells.Leaver(peer, store: hello?.store, endpoints: hello?.endpoints ?? []), now: now)
    ended(peer)
    if connections.forget(peer, now: now) {
      stopTalking(to: peer)
      if let hello { forgetSharer(hello.store) }
    }
  }

  /// Those that said goodbye a moment ago.
  mutating func seeOff() {
    for leaver in connections.farewells.takeLeft(by: now) {
      stopFollowing(leaver.peer)
      carryOut(endpoints.left(leaver.peer, store: leaver.store, endpoints: leaver.endpoints, now: now))
    }
  }

  /// One that said goodbye is back before it was seen off.
  mutating func returned(_ peer: PeerHandle) {
    if connections.farewells.remove(peer) { stopFollowing(peer) }
  }

  private mutating func ended(_ peer: PeerHandle) {
    if peers[peer]?.hello != nil { leaseReview.expectEnds(now: now) }
    carryOut(connections.leaving(peer))
    endpoints.setUnreachable(peer, since: now)
    // A caller that waits until everybody has answered waits for this one too, until it is known to be gone.
    if policy.reviewsUnreachable { endpoints.reviewSoon() }
    chooseUplink()
  }

  mutating func forget(_ peer: PeerHandle) {
    let store = peers[peer]?.hello?.store
    guard connections.forget(peer, now: now) else { return }
    forgotten(peer)
    if let store { forgetSharer(store) }
  }

  /// Nothing stands any more of what the peer was told or asked.
  mutating func forgotten(_ peer: PeerHandle) {
    stopTalking(to: peer)
    stopFollowing(peer)
  }

  private mutating func stopTalking(to peer: PeerHandle) {
    effects.append(.goOnAnswering(peer, .all))
    for number in documents.inOrder {
      documents[number].postponed[peer] = nil
      documents[number].disagreements.forget(peer)
    }
  }

  /// A store that is reached no more speaks of nothing.
  private mutating func forgetSharer(_ store: StoreID) {
    guard !peers.isReached(store) else { return }
    for number in documents.inOrder where documents[number].sharers.remove(store) != nil {
      documents.noteResting(number)
    }
    closed.left(store)
  }

  mutating func stopFollowing(_ peer: PeerHandle) {
    for number in documents.inOrder { stopFollowing(peer, in: number) }
  }

  /// Both sides begin again, with nothing that they knew of each other on this connection.
  package mutating func beginAgain(with peer: PeerHandle) {
    if let effects = endpoints.dialAgain(peer, now: now) {
      // Whoever may do nothing any more is hung up on again as soon as it answers, and that is remembered.
      carryOut(effects)
    } else {
      carryOut(connections.leaving(peer))
      hangUp(peer)
    }
  }

  private mutating func hangUp(_ peer: PeerHandle) {
    forget(peer)
    connections.trusts.close(peer)
    effects.append(.disconnect(peer))
  }

  // MARK: Offline

  /// Offline, writes are kept and logged, and no peer hears or is heard; each side catches up afterwards.
  package mutating func setOnline(_ isOnline: Bool) {
    self.isOnline = isOnline
    if isOnline {
      // What the link refuses is tried again in a while.
      for endpoint in endpoints.dialledByHand.sorted() { dialByHand(endpoint) }
      effects.append(.discover)
    } else {
      dropPeers()
    }
  }

  /// Drops every connection. Endpoints dialled by hand are remembered.
  private mutating func dropPeers() {
    carryOut(endpoints.hangUpAll())
    for peer in peers.all { hangUp(peer) }
  }

  // MARK: Trust

  private mutating func distrust(_ peer: PeerHandle) {
    guard let endpoint = endpoints.endpoint(of: peer) else { return }
    carryOut(connections.distrust(peer, at: endpoint))
    carryOut(endpoints.distrust(endpoint, connections.identity(of: peer), now: now))
  }

  /// Makes every trust again, as the allowlist says now.
  package mutating func reviewTrust(_ allowlist: (_ key: String, _ isDialled: Bool) -> Trust?) {
    carryOut(connections.reviewTrust(wall: wall, now: now, allowlist))
    let wall = wall
    let trusted = endpoints.reviewTrust(now: now) { identity in
      Trust(in: identity, entry: identity.key.flatMap { allowlist($0, true) }, now: wall).isSomebody
    }
    for endpoint in trusted where isOnline { dialByHand(endpoint) }
  }

  /// Asks whether something may be, and decides what follows from the answer.
  mutating func ask(_ question: (inout Connections, inout [Connections.Effect]) -> Bool) -> Bool {
    var effects: [Connections.Effect] = []
    let answer = question(&connections, &effects)
    carryOut(effects)
    return answer
  }

  mutating func mayRead(_ peer: PeerHandle, _ document: DocumentID) -> Bool {
    ask { $0.mayRead(peer, document, &$1) }
  }

  mutating func mayWrite(_ peer: PeerHandle, _ document: DocumentID) -> Bool {
    ask { $0.mayWrite(peer, document, &$1) }
  }
}
