import StarlingCore
import StarlingWire

// Which peer to ask, when, and how long to wait for an answer.
extension DocumentSession {
  /// Notes since when a followed peer has been ahead of us.
  mutating func review(_ peer: PeerHandle, version: VersionVector, now: Duration) {
    guard let followed = peers[peer], followed.place == .following else { return }
    let since = followed.isAhead(of: version) ? followed.behindSince ?? now : nil
    peers.update(peer) { $0.behindSince = since }
  }

  mutating func askAgain(_ peer: PeerHandle, version: VersionVector, now: Duration) -> [Effect] {
    wait(peer)
    return askNext(version: version, now: now)
  }

  /// Has a peer say where it stands, unless it is asked already.
  mutating func confirm(_ peer: PeerHandle, version: VersionVector, now: Duration) -> [Effect] {
    peers[peer]?.place == .following ? askAgain(peer, version: version, now: now) : []
  }

  /// Asks at once, unless the latest ask was for the state and brought none: that is repeated after some patience.
  mutating func askForState(_ peer: PeerHandle, version: VersionVector, now: Duration) -> [Effect] {
    guard peers[peer]?.askedForState == true else { return askAgain(peer, version: version, now: now) }
    peers.update(peer) { $0.noteFailure(now: now) }
    review(peer, version: version, now: now)
    return askNext(version: version, now: now)
  }

  mutating func wait(_ peer: PeerHandle) {
    peers.update(peer) {
      $0.place = .waiting
      $0.behindSince = nil
    }
    queue.removeAll { $0 == peer }
    queue.append(peer)
  }

  /// Asks whoever is to be asked now; often nobody.
  mutating func askNext(version: VersionVector, now: Duration) -> [Effect] {
    var effects: [Effect] = []
    while let place = nextPlace(version: version, now: now) {
      effects.append(ask(queue.remove(at: place), version: version, now: now))
    }
    return effects
  }

  /// The place in the queue of the peer to be asked now.
  func nextPlace(version: VersionVector, now: Duration) -> Int? {
    guard !queue.isEmpty else { return nil }
    let waiting = queue.map { peers[$0]?.candidate(lacking: version, now: now) ?? AskingOrder.Candidate() }
    var asked: [AskingOrder.Asked] = []
    for followed in peers.values where followed.isAsked {
      asked.append(
        AskingOrder.Asked(
          candidate: followed.candidate(lacking: version, now: now), askedAt: followed.askedAt,
          heardAt: followed.heardAt))
    }
    return order.next(of: waiting, beside: asked, now: now)
  }

  mutating func ask(_ peer: PeerHandle, version: VersionVector, now: Duration) -> Effect {
    var followed = peers[peer] ?? Followed()
    let request = nextRequest
    nextRequest &+= 1
    statistics.pulls += 1
    followed.place = .asking(request: request, deadline: now + policy.timeout(after: followed.failures))
    followed.askedForState = followed.wantsState
    followed.wasAnnouncedWhenAsked = followed.isAnnounced
    followed.isHeldBack = false
    followed.askedAt = now
    followed.heardAt = nil
    followed.taken = 0
    followed.told = 0
    peers.set(followed, for: peer)
    // A replica that needs the state as it is now does not continue one that was made before.
    let isOthers = assemblyOwner.map { $0 != peer && peers[$0]?.isAsked == true } ?? false
    if followed.wantsState, !isOthers { assembly = nil }
    let begun = followed.wantsState || isOthers ? nil : assembly?.begun
    let want = Message.Want(
      document: document, request: request, version: version,
      wantsState: followed.wantsState && followed.isTrustedWithState, begun: begun,
      takesOwnOnly: !followed.isTrustedWithState,
      lacking: followed.isTrustedWithState ? [] : followed.anchorsWanted.sorted())
    return .ask(peer, want)
  }

  /// Whether the peer is asked by that request.
  func isAsking(_ peer: PeerHandle, for request: UInt32) -> Bool {
    peers.place(of: peer).map { place in
      if case .asking(request, _) = peers[at: place].place { true } else { false }
    } ?? false
  }

  /// An ask does not go out yet, since the peer has enough to answer: it is not waited for.
  mutating func hold(_ request: UInt32, to peer: PeerHandle) {
    changeAsk(request, to: peer) { followed, _, _ in
      followed.isHeldBack = true
      return Self.never
    }
  }

  /// It goes out now.
  mutating func release(_ request: UInt32, to peer: PeerHandle, now: Duration) {
    changeAsk(request, to: peer) { followed, _, policy in
      followed.isHeldBack = false
      followed.wasAnnouncedWhenAsked = followed.isAnnounced
      followed.askedAt = now
      return now + policy.timeout(after: followed.failures)
    }
  }

  /// The peer answers others: there is as much time as from now on. Not without end: a peer that answers others alone
  /// would keep its place among the few that are asked.
  mutating func prolong(_ request: UInt32, to peer: PeerHandle, now: Duration) {
    changeAsk(request, to: peer) { followed, deadline, policy in
      // One that the link did not take is repeated all the same.
      guard followed.undelivered == 0 else { return deadline }
      let latest = followed.askedAt + policy.timeoutBesideOthers
      return max(deadline, min(now + policy.timeout(after: followed.failures), latest))
    }
  }

  static let never = Duration.seconds(Int64.max / 4)

  /// The link did not take an ask: it is repeated soon.
  public mutating func undelivered(_ request: UInt32, to peer: PeerHandle, now: Duration) {
    changeAsk(request, to: peer) { followed, deadline, policy in
      followed.undelivered += 1
      let pause = policy.answerTimeout / 50 * (1 << min(followed.undelivered - 1, Self.undeliveredCountMax))
      return min(deadline, now + pause)
    }
  }

  /// Whether a part belongs to the ask under way; a part that does gives the answer more time.
  mutating func expects(_ request: UInt32, from peer: PeerHandle, now: Duration) -> Bool {
    changeAsk(request, to: peer) { followed, _, policy in
      followed.heardAt = now
      return now + policy.timeout(after: followed.failures)
    }
  }

  /// Changes what is known of the ask that is under way by that request, and until when it is waited for.
  ///
  /// - Returns: whether there is one.
  @discardableResult
  private mutating func changeAsk(
    _ request: UInt32, to peer: PeerHandle, _ change: (inout Followed, _ deadline: Duration, Policy) -> Duration
  ) -> Bool {
    guard let place = peers.place(of: peer), case .asking(request, let deadline) = peers[at: place].place else {
      return false
    }
    let later = change(&peers[at: place], deadline, policy)
    peers[at: place].place = .asking(request: request, deadline: later)
    return true
  }

  /// Counts a part of the answer under way, and says so once it is worth a message.
  mutating func take(_ byteCount: Int, from peer: PeerHandle, request: UInt32) -> [Effect] {
    peers.update(peer) { $0.taken += byteCount + AnswerFlow.partByteCount }
    return credit(peer, request: request, atLeast: AnswerFlow.creditByteCount)
  }

  mutating func credit(_ peer: PeerHandle, request: UInt32, atLeast byteCount: Int) -> [Effect] {
    guard let followed = peers[peer], followed.taken - followed.told >= byteCount else { return [] }
    peers.update(peer) { $0.told = followed.taken }
    let credit = Message.Credit(document: document, request: request, byteCount: UInt64(followed.taken))
    return [.credit(peer, credit)]
  }

  func refuseMalformed(_ peer: PeerHandle, _ what: String, _ error: any Error) -> Effect {
    .refuse(peer, Message.Refusal(code: .malformed, explanation: "In \(what): \(error)"))
  }
}
