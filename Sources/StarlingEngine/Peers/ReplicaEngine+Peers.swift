import StarlingCore
import StarlingSession
import StarlingWire

// Peers, what they say, and whom to follow (Protocol/conversation.md).
extension ReplicaEngine {
  var peers: PeerTable {
    get { connections.peers }
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
        if mayBeHeard(peer) { receivePublished(frame, from: peer) }
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
    forget(peer)
    guard !dialled || trust(in: peer).isSomebody else { return distrust(peer) }
    connections.begin(peer, endpoints)
    if dialled {
      endpoints.setUnreachable(peer, since: nil)
      say(.hello(greeting(for: peer, wantsReply: true)), to: peer)
    }
  }

  /// It leaves in good order; who keeps nothing does not come back.
  private func saidGoodbye(_ peer: PeerHandle) {
    let hello = peers[peer]?.hello
    if let hello, trust(in: peer).mayWrite {
      for hosted in documentsInOrder { hosted.members.leave(hello.store) }
    }
    closed(peer)
    perform(
      endpoints.left(peer, store: hello?.store, endpoints: hello?.endpoints ?? [], now: clock.uptime()))
  }

  private func closed(_ peer: PeerHandle) {
    if let store = peers[peer]?.hello?.store {
      if !peers.isReached(store, besides: peer) {
        counters.peersLeft += 1
        report(.left(store))
      }
      expectEnds()
    }
    forget(peer)
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
    guard connections.forget(peer, now: clock.uptime()) else { return }
    goOnAnswering(peer)
    for hosted in documentsInOrder {
      hosted.withheld[peer] = nil
      hosted.disagreements.forget(peer)
      unfollow(peer, in: hosted)
    }
  }

  func beginFollowing(_ peer: PeerHandle, in hosted: HostedDocument) {
    acknowledge(hosted, to: peer)
    perform(
      hosted.session.follow(
        peer, version: hosted.handle.version, isTrustedWithState: trust(in: peer).mayRelay,
        account: account(of: peer), now: clock.uptime()), in: hosted)
  }

  func unfollow(_ peer: PeerHandle, in hosted: HostedDocument) {
    rouse(hosted)
    perform(hosted.session.forget(peer, version: hosted.handle.version, now: clock.uptime()), in: hosted)
  }

  /// In every document, with a peer that has come.
  func begin(with peer: PeerHandle, serves: Bool, follows: Bool) {
    for hosted in documentsInOrder {
      if serves { sayHave(of: hosted, to: peer) }
      if follows { beginFollowing(peer, in: hosted) }
      rouse(hosted)
    }
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

  private func greeting(for peer: PeerHandle, wantsReply: Bool) -> Message.Hello {
    let relation = peers[peer]?.relation ?? .plain
    let isBelow = relation == .uplink || relation == .standby
    let told =
      isBelow ? [] : peers[peer]?.toldEndpoints ?? peers[peer]?.endpoint.map(endpoints.dialable) ?? endpoints.told
    peers[peer]?.toldEndpoints = told
    return Message.Hello(
      lowestVersion: Handshake.versions.lowerBound, highestVersion: Handshake.versions.upperBound,
      store: identity.store, epoch: epoch, agent: configuration.agent, endpoints: told,
      isDurable: identity.isDurable && logError == nil, relays: configuration.isRelay, lends: isLending,
      wantsReply: wantsReply, isFellow: relation == .fellow, notice: connections.oneWayNotice(for: peer),
      generation: start?.generation, knownStart: peers[peer]?.knownStart)
  }

  /// Tells a peer once more who we are, where that has changed, or where it is to tell us everything again.
  func greetAnew(_ peer: PeerHandle, wantsReply: Bool = false) {
    say(.hello(greeting(for: peer, wantsReply: wantsReply)), to: peer)
  }

  /// A greeting or its answer may be lost like any other frame.
  func greetAgain() {
    for peer in peers.unanswered { say(.hello(greeting(for: peer, wantsReply: true)), to: peer) }
  }

  private func receiveDirect(_ bytes: [UInt8], from peer: PeerHandle) {
    counters.messagesReceived += 1
    counters.bytesReceived += bytes.count
    peers[peer]?.tally.receivedMessage()
    guard mayBeHeard(peer), peers[peer]?.isRefused != true else { return }
    let message: Message
    do {
      message = try Message(decoding: bytes, limits: wireLimits(for: peer))
    } catch {
      if isVersionTooLong(bytes, error, from: peer) { return }
      counters.malformed += 1
      reportForeign(peer, error)
      refuse(peer, Message.Refusal(code: .malformed, explanation: "A message of \(bytes.count) bytes: \(error)"))
      return
    }
    guard let message = heeding(message, from: peer) else { return }
    let now = clock.uptime()
    switch message {
    case .hello(let hello): receive(hello, from: peer)
    case .refuse(let refusal): receive(refusal, from: peer)
    case .goodbye: saidGoodbye(peer)
    // A beacon is for who is not connected.
    case .beacon, .unknown: break
    // Who lost us in between says hello when asked to.
    case _ where peers[peer]?.hello == nil: say(.hello(greeting(for: peer, wantsReply: true)), to: peer)
    case _ where !isPermitted(message, from: peer): break
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
      follow(part.document) {
        isTrustedWithState(peer, $0) ? $0.session.receive(part, from: peer, now: now) : []
      }
    case .resume(let resume):
      follow(resume.document) {
        $0.session.receive(resume, from: peer, version: $0.handle.version, now: now)
      }
    case .credit(let credit): receive(credit, from: peer, now: now)
    case .live(let frame): receivePublished(frame, from: peer)
    case .members(let members): receive(members, from: peer)
    case .writers(let bindings): receive(bindings, from: peer)
    case .evidence(let evidence): receive(evidence, from: peer)
    case .equivocations(let reports): receive(reports, from: peer)
    case .disown(let document, let replica): receiveDisowned(replica, in: document, from: peer)
    case .acknowledge(let document, let version, let behind):
      receiveAcknowledgement(of: document, version, behind: behind, from: peer)
    case .lease(let lease): receive(lease, from: peer)
    case .leased(let leased): receive(leased, from: peer)
    }
  }

  /// Who cannot even greet is another program, or speaks another protocol altogether: somebody dials where it should not.
  private func reportForeign(_ peer: PeerHandle, _ error: WireError) {
    guard let known = peers[peer], known.hello == nil, peers[peer]?.isNews(.foreign) == true else { return }
    let who = known.endpoint.map { "who answers at '\($0)'" } ?? "who dialled here"
    report(.refused(nil, explanation: "\(who) is no peer of this kind: its greeting cannot be read. \(error)"))
  }

  private func receive(_ refusal: Message.Refusal, from peer: PeerHandle) {
    counters.refusalsReceived.add(refusal.code)
    if refusal.code == .incompatibleVersion { peers[peer]?.isRefused = true }
    report(.refused(peers[peer]?.hello?.store, explanation: refusal.explanation))
  }

  private func follow(_ document: DocumentID, _ decide: (HostedDocument) -> [DocumentSession.Effect]) {
    guard let hosted = documents[document] else { return }
    rouse(hosted)
    perform(decide(hosted), in: hosted)
    tellProgress(of: hosted)
  }

  private func receive(_ hello: Message.Hello, from peer: PeerHandle) {
    if peers[peer] == nil { connections.begin(peer, endpoints) }
    let ours = greeting(for: peer, wantsReply: false)
    switch Handshake.judge(hello, ours: ours) {
    case .ourselves:
      // The end that dialled hangs up, once it has heard from the other who that is.
      if let endpoint = peers[peer]?.endpoint {
        perform(endpoints.metOurselves(at: endpoint))
      } else if hello.wantsReply {
        say(.hello(ours), to: peer)
      }
      return
    case .refuse(let refusal):
      peers[peer]?.isRefused = true
      report(.refused(hello.store, explanation: refusal.explanation))
      refuse(peer, refusal)
      return
    case .welcome: break
    }
    guard maySpeak(to: hello.store) else { return }
    let isNew = peers[peer]?.hello?.epoch != hello.epoch
    peers[peer]?.tally.receivedHello()
    guard mayGreet(peer, hello, isNew: isNew) else { return }
    if isNew {
      forget(peer)
      connections.begin(peer, endpoints, toldEndpoints: ours.endpoints)
    }
    peers[peer]?.hello = hello
    let isPutBack = heedGeneration(hello, from: peer)
    connections.noteLink(to: peer, now: clock.uptime())
    meet(hello, at: peer)
    // Before it is told where the documents stand, and sent what others wrote.
    tellWriters()
    tellEquivocations()
    if hello.wantsReply || isPutBack { greetAnew(peer) }
    if isNew {
      if !peers.isReached(hello.store, besides: peer) {
        counters.peersJoined += 1
        report(.joined(hello.store, agent: hello.agent))
      }
      tellPermissions(to: peer)
      tellForgotten(to: peer)
      meetLessor(peer)
      // Where there is a directory, it alone says who is dialled; a newcomer is a reason to look at once.
      if configuration.discover != nil { endpoints.reviewSoon() } else { dialBack(peer) }
    } else if !hello.wantsReply {
      return
    }
    // Who greets us again may have lost us in between, and with us what we asked for.
    begin(with: peer, serves: connections.serves(peer), follows: connections.follows(peer))
  }

  private func receive(_ have: Message.Have, from peer: PeerHandle, now: Duration) {
    peers[peer]?.note(have)
    guard let hosted = documents[have.document] else {
      return openForPeer(have.document, to: peer) { _ in }
    }
    rouse(hosted)
    hear(peer, in: hosted)
    let version = hosted.handle.version
    let replica = hosted.handle.replica
    let mayWrite = trust(in: peer).mayWrite
    // Who knows more of our own id than we do has it from another holder; if it may only read, it says so and no more.
    if have.version[replica] > version[replica], mayWrite { rename(for: hosted) }
    guard peers[peer]?.diverged.contains(hosted.id) != true else { return }
    if mayWrite, let theirs = have.digest, have.version == version, let ours = hosted.digest, ours.version == version {
      let verdict = hosted.disagreements.compare(
        peer, isEqual: ours.value == theirs, isTrustedWithState: trust(in: peer).mayRelay, now: now
      )
      switch verdict {
      case .goOn: break
      case .takeState:
        tellEvidence(of: hosted, to: peer)
        perform(hosted.session.takeState(of: peer, version: version, now: now), in: hosted)
      case .separate: return separate(hosted, from: peer)
      }
    }
    var have = have
    // Of a peer whose stream we do not take, only what it holds matters.
    if peers[peer]?.relation == .standby { have.position = nil }
    perform(
      hosted.session.receive(have, from: peer, version: version, now: now), in: hosted)
    if !hosted.disowned.isEmpty { reviewDisowned(by: peer, in: hosted) }
  }

  /// Equal versions must be equal states; where states have been exchanged and they still are not, merging on would spread the damage.
  private func separate(_ hosted: HostedDocument, from peer: PeerHandle) {
    guard let store = peers[peer]?.hello?.store, peers[peer]?.diverged.insert(hosted.id).inserted == true else {
      return
    }
    counters.divergences += 1
    report(.diverged(hosted.id, store))
    refuse(
      peer,
      Message.Refusal(
        code: .digestMismatch,
        explanation: "'\(hosted.id)': our versions are equal and our states are not. Compare the two stores' dumps."))
    unfollow(peer, in: hosted)
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
