import StarlingCore
import StarlingSession
import StarlingWire

// Peers, what they say, and which of them are followed (Protocol/conversation.md).
extension ReplicaEngine {
  var peers: PeerTable {
    // Read where it stands: a copy is counted by its owner at every look.
    _read { yield connections.peers }
    _modify { yield &connections.peers }
  }

  /// Everything that the link's thread brings: what arrived, and the occasion to do what is due.
  func receive(_ events: [LinkEvent]) {
    guard phase == .running, !isClosing else {
      hearReturns(events)
      return serveCancelledWaiters()
    }
    for event in events {
      noteTrust(event)
      guard isOnline else { continue }
      switch event {
      case .opened(let peer, let dialled, _): opened(peer, dialled: dialled)
      case .turnedAway: break
      case .handshakeFailed(_, let endpoint, let failure): report(.notAdmitted(endpoint, failure))
      case .closed(let peer, _): closed(peer)
      case .published(let peer, let frame):
        counters.bytesReceived += frame.count
        if ask({ $0.mayBeHeard(peer, &$1) }) { receivePublished(frame, from: peer) }
      case .direct(let peer, let bytes): receiveDirect(bytes, from: peer)
      }
    }
    publishWritten()
    tick()
    serveCancelledWaiters()
    startLogging()
  }

  // MARK: Connections

  private func opened(_ peer: PeerHandle, dialled: Bool) {
    returned(peer)
    forget(peer)
    guard !dialled || trust(in: peer).isSomebody else { return distrust(peer) }
    connections.begin(peer, endpoints)
    if dialled {
      endpoints.setUnreachable(peer, since: nil)
      greet(peer, wantsReply: true)
    }
  }

  /// It leaves in good order; who keeps nothing does not come back. What it published last may still be to come.
  private func saidGoodbye(_ peer: PeerHandle) {
    let hello = peers[peer]?.hello
    if let hello, trust(in: peer).mayWrite {
      for hosted in documentsInOrder { hosted.members.leave(hello.store) }
    }
    connections.farewells.add(
      Farewells.Leaver(peer, store: hello?.store, endpoints: hello?.endpoints ?? []), now: clock.uptime())
    ended(peer)
    if connections.forget(peer, now: clock.uptime()) { stopTalking(to: peer) }
  }

  /// Those that said goodbye a moment ago.
  func seeOff(now: Duration) {
    for leaver in connections.farewells.takeLeft(by: now) {
      stopFollowing(leaver.peer)
      perform(endpoints.left(leaver.peer, store: leaver.store, endpoints: leaver.endpoints, now: now))
    }
  }

  /// One that said goodbye is back before it was seen off.
  private func returned(_ peer: PeerHandle) {
    if connections.farewells.remove(peer) { stopFollowing(peer) }
  }

  private func closed(_ peer: PeerHandle) {
    ended(peer)
    forget(peer)
  }

  private func ended(_ peer: PeerHandle) {
    if peers[peer]?.hello != nil { expectEnds() }
    perform(connections.leaving(peer))
    endpoints.setUnreachable(peer, since: clock.uptime())
    // Who waits until everybody has answered waits for this one too, until it is known to be gone.
    if configuration.reviewUnreachable != nil { endpoints.reviewSoon() }
    chooseUplink()
  }

  /// The peers, each once: by the connection that was dialled here where there are two.
  var peersNow: [EngineStatus.Peer] {
    let all = peers.all.compactMap { peers[$0]?.status }
    return Dictionary(grouping: all, by: \.store).values.compactMap { connections in
      connections.first { $0.isDialled } ?? connections.first
    }
  }

  func forget(_ peer: PeerHandle) {
    if connections.forget(peer, now: clock.uptime()) { forgotten(peer) }
  }

  /// Nothing stands any more of what the peer was told or asked.
  func forgotten(_ peer: PeerHandle) {
    stopTalking(to: peer)
    stopFollowing(peer)
  }

  private func stopTalking(to peer: PeerHandle) {
    goOnAnswering(peer)
    for hosted in documentsInOrder {
      hosted.withheld[peer] = nil
      hosted.disagreements.forget(peer)
    }
  }

  func stopFollowing(_ peer: PeerHandle) {
    for hosted in documentsInOrder { unfollow(peer, in: hosted) }
  }

  func beginFollowing(_ peer: PeerHandle, in hosted: HostedDocument) {
    acknowledge(hosted, to: peer)
    perform(
      hosted.session.follow(
        peer, version: hosted.handle.version, isTrustedWithState: trust(in: peer).mayRelay,
        account: connections.account(of: peer), now: clock.uptime()), in: hosted)
  }

  func unfollow(_ peer: PeerHandle, in hosted: HostedDocument) {
    rouse(hosted)
    perform(hosted.session.forget(peer, version: hosted.handle.version, now: clock.uptime()), in: hosted)
  }

  // MARK: Talking

  @discardableResult
  func say(_ message: Message, to peer: PeerHandle) -> Bool {
    guard send(message.encoded(), to: peer) else { return false }
    if case .hello = message { peers[peer]?.tally.sentHello() }
    return true
  }

  /// A message that is encoded already, as one is that goes to several.
  @discardableResult
  func send(_ message: [UInt8], to peer: PeerHandle) -> Bool {
    guard isOnline else { return false }
    // One that the link does not take is lost like any other: the peer notices by the count.
    peers[peer]?.tally.sentMessage()
    guard link.send(message, to: peer) else {
      counters.undelivered += 1
      return false
    }
    counters.messagesSent += 1
    counters.messageBytesSent += message.count
    return true
  }

  var introduction: Connections.Introduction {
    Connections.Introduction(
      store: identity.store, epoch: epoch, agent: configuration.agent,
      isDurable: identity.isDurable && pipeline.failure == nil, lends: isLending)
  }

  /// Tells a peer who we are: for the first time, where that has changed, or where it is to tell us everything again.
  func greet(_ peer: PeerHandle, wantsReply: Bool) {
    say(.hello(connections.greeting(for: peer, introduction, endpoints, wantsReply: wantsReply)), to: peer)
  }

  private func receiveDirect(_ bytes: [UInt8], from peer: PeerHandle) {
    counters.messagesReceived += 1
    counters.bytesReceived += bytes.count
    peers[peer]?.tally.receivedMessage()
    guard ask({ $0.mayBeHeard(peer, &$1) }), peers[peer]?.isRefused != true else { return }
    let message: Message
    do {
      message = try Message(decoding: bytes, limits: connections.wireLimits(for: peer))
    } catch {
      if ask({ $0.isVersionTooLong(bytes, error, from: peer, &$1) }) { return }
      counters.malformed += 1
      return perform(connections.receive(bytes.count, unreadable: error, from: peer))
    }
    var effects: [Connections.Effect] = []
    let heeded = connections.heeding(message, from: peer, &effects) { documents[$0]?.handle.version ?? Version() }
    perform(effects)
    guard let message = heeded else { return }
    let now = clock.uptime()
    switch message {
    case .hello(let hello):
      returned(peer)
      perform(connections.receive(hello, from: peer, introduction, endpoints))
    case .refuse(let refusal):
      counters.refusalsReceived.add(refusal.code)
      perform(connections.receive(refusal, from: peer))
    case .goodbye: saidGoodbye(peer)
    // A beacon is for who is not connected.
    case .beacon, .unknown: break
    // Who lost us in between says hello when asked to.
    case _ where peers[peer]?.hello == nil: greet(peer, wantsReply: true)
    case _ where message.document.map { !mayRead(peer, $0) } ?? false: break
    case _ where isAboutForgotten(message, from: peer): break
    case .forget(let documents): receive(forgotten: documents, from: peer)
    case .heartbeat(let count): receive(heartbeat: count, from: peer)
    case .have(let have): receive(have, from: peer, now: now)
    case .want(let want): receive(want, from: peer)
    case .changes(let changes):
      follow(changes.document) { $0.session.receive(changes, from: peer, now: now) }
    case .paths(let paths):
      follow(paths.document) {
        mayWrite(peer, $0) ? $0.session.receive(paths: paths, from: peer, now: now) : []
      }
    case .snapshot(let part):
      follow(part.document) { hosted in
        ask { $0.isTrustedWithState(peer, hosted.id, &$1) } ? hosted.session.receive(part, from: peer, now: now) : []
      }
    case .resume(let resume):
      follow(resume.document) {
        $0.session.receive(resume, from: peer, version: $0.handle.version, now: now)
      }
    case .credit(let credit): receive(credit, from: peer, now: now)
    case .live(let frame): receivePublished(frame, from: peer)
    case .members(let members): receive(members, from: peer)
    case .writers(let bindings): perform(connections.receive(bindings, from: peer))
    case .evidence(let evidence): receive(evidence, from: peer)
    case .equivocations(let reports): perform(connections.receive(reports, from: peer))
    case .disown(let document, let replica): receiveDisowned(replica, in: document, from: peer)
    case .acknowledge(let document, let version, let behind):
      receiveAcknowledgement(of: document, version, behind: behind, from: peer)
    case .lease(let lease): receive(lease, from: peer)
    case .leased(let leased): receive(leased, from: peer)
    }
  }

  private func follow(_ document: DocumentID, _ decide: (HostedDocument) -> [DocumentSession.Effect]) {
    guard let hosted = documents[document] else { return }
    rouse(hosted)
    perform(decide(hosted), in: hosted)
    tellProgress(of: hosted)
  }

  private func receive(_ have: Message.Have, from peer: PeerHandle, now: Duration) {
    peers[peer]?.note(have)
    guard let hosted = documents[have.document] else {
      return openForPeer(have.document, to: peer) { _ in }
    }
    rouse(hosted)
    hear(peer, in: hosted)
    let version = hosted.handle.version
    let standing = Connections.Standing(
      replica: hosted.handle.replica, version: version,
      digest: hosted.digest.flatMap { $0.version == version ? $0.value : nil })
    for effect in connections.judge(have, from: peer, in: standing, &hosted.disagreements, now: now) {
      switch effect {
      case .rename: rename(for: hosted)
      case .takeState:
        tellEvidence(of: hosted, to: peer)
        perform(hosted.session.takeState(of: peer, version: version, now: now), in: hosted)
      case .separate(let store, let refusal):
        counters.divergences += 1
        report(.diverged(hosted.id, store))
        refuse(peer, refusal)
        unfollow(peer, in: hosted)
      case .receive(let have):
        perform(hosted.session.receive(have, from: peer, version: version, now: now), in: hosted)
        if !hosted.disowned.isEmpty { reviewDisowned(by: peer, in: hosted) }
      }
    }
  }

  func refuse(_ peer: PeerHandle, _ refusal: Message.Refusal) {
    counters.refusalsSent.add(refusal.code)
    say(.refuse(refusal), to: peer)
  }
}

extension PeerTable.Peer {
  fileprivate var status: EngineStatus.Peer? {
    hello.map {
      EngineStatus.Peer(
        store: $0.store, agent: $0.agent, isDurable: $0.isDurable, isRelay: $0.relays, isDialled: endpoint != nil,
        endpoint: endpoint, notice: $0.notice, documents: documents.values.sorted { $0.id.name < $1.id.name })
    }
  }
}
