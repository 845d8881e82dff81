package import StarlingCore
package import StarlingWire

// What peers say to us alone (Protocol/conversation.md).
extension Replication {
  package mutating func receive(direct bytes: [UInt8], from peer: PeerHandle) {
    if isClosing { return receiveWhileClosing(direct: bytes, from: peer) }
    guard isOnline else { return }
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
      return carryOut(connections.receive(bytes.count, unreadable: error, from: peer))
    }
    guard let message = heeding(message, from: peer) else { return }
    heed(message, from: peer)
  }

  private mutating func heeding(_ message: Message, from peer: PeerHandle) -> Message? {
    let held = message.document.flatMap(documents.number).map { documents[$0].version } ?? VersionVector()
    var effects: [Connections.Effect] = []
    let heeded = connections.heeding(message, from: peer, &effects) { _ in held }
    carryOut(effects)
    return heeded
  }

  /// What is in a message, as far as the peer may say it.
  package mutating func heed(_ message: Message, from peer: PeerHandle) {
    switch message {
    case .hello(let hello): receive(hello, from: peer)
    case .refuse(let refusal):
      counters.refusalsReceived.add(refusal.code)
      carryOut(connections.receive(refusal, from: peer))
    case .goodbye: saidGoodbye(peer)
    case .unknown: break
    case _ where peers[peer]?.hello == nil: askForHello(of: peer)
    case _ where message.document.map { !mayRead(peer, $0) } ?? false: break
    case _ where isElsewhere(message, from: peer): break
    case _ where isAboutForgotten(message, from: peer): break
    case .forget(let documents): receive(forgotten: documents, from: peer)
    case .heartbeat(let count): receive(heartbeat: count, from: peer)
    case .have(let have): receive(have, from: peer)
    case .want(let want): receive(want, from: peer)
    case .changes(let changes):
      noteAnswer(from: peer)
      follow(changes.document) { $0.documents[$1].session.receive(changes, from: peer, now: $0.now) }
    case .paths(let paths):
      noteAnswer(from: peer)
      follow(paths.document) {
        $0.mayWrite(peer, paths.document)
          ? $0.documents[$1].session.receive(paths: paths, from: peer, now: $0.now) : []
      }
    case .snapshot(let part):
      noteAnswer(from: peer)
      follow(part.document) { replication, number in
        replication.ask { $0.isTrustedWithState(peer, part.document, &$1) }
          ? replication.documents[number].session.receive(part, from: peer, now: replication.now) : []
      }
    case .resume(let resume):
      noteAnswer(from: peer)
      follow(resume.document) {
        $0.documents[$1].session.receive(resume, from: peer, version: $0.documents[$1].version, now: $0.now)
      }
    case .credit(let credit): receive(credit, from: peer)
    case .live(let frame): receive(published: frame, from: peer)
    case .members(let members): receive(members, from: peer)
    case .writers(let bindings): carryOut(connections.receive(bindings, from: peer))
    case .evidence(let evidence): receive(evidence, from: peer)
    case .equivocations(let reports): carryOut(connections.receive(reports, from: peer))
    case .disown(let document, let replica): receiveDisowned(replica, in: document, from: peer)
    case .acknowledge(let document, let version, let behind):
      receiveAcknowledgement(of: document, version, behind: behind, from: peer)
    case .lease(let lease): receive(lease, from: peer)
    case .leased(let leased): receive(leased, from: peer)
    }
  }

  /// An answer for the replica that closes: nothing else is heard any more.
  private mutating func receiveWhileClosing(direct bytes: [UInt8], from peer: PeerHandle) {
    if case .leased(let leased)? = try? Message(decoding: bytes) { receive(leased, from: peer) }
  }

  // MARK: Wants and credits

  private mutating func receive(_ want: Message.Want, from peer: PeerHandle) {
    guard let number = documents.number(of: want.document) else {
      return openDocument(want.document, for: peer, heeding: .want(want))
    }
    guard peers[peer]?.diverged.contains(want.document) != true else { return }
    carryOut(connections.hearFollower(peer))
    hear(peer, in: number)
    noteSharer(peer, holding: want.version, in: number)
    if peers[peer]?.interests.insert(want.document).inserted == true {
      effects.append(.tellPresence(number, to: peer))
    }
    let now = now
    // A want that came twice is answered once.
    guard peers[peer]?.flow.isUnderWay(want.document, request: want.request) == false else { return }
    peers[peer]?.flow.begin(want.document, request: want.request, now: now)
    counters.answers += 1
    effects += [.goOnAnswering(peer, .of(want.document)), .answer(want, to: peer)]
    goOnAnswering(peer)
  }

  private mutating func receive(_ credit: Message.Credit, from peer: PeerHandle) {
    let now = now
    peers[peer]?.flow.take(credit, now: now)
    goOnAnswering(peer)
  }

  /// As many of the answers that wait go on as there is space for.
  private mutating func goOnAnswering(_ peer: PeerHandle) {
    guard let count = peers[peer]?.flow.partCapacity, count > 0 else { return }
    effects.append(.goOnAnswering(peer, .oldest(count)))
  }

  /// An answer has ended, sent whole or not: what it leaves of the space is for others.
  package mutating func answered(_ peer: PeerHandle) { goOnAnswering(peer) }

  /// Gives up answers that nobody takes.
  mutating func reviewAnswers() {
    let now = now
    for peer in peers.all where peers[peer]?.flow.giveUp(now: now) == true {
      counters.answersGivenUp += 1
      effects.append(.goOnAnswering(peer, .all))
    }
    effects.append(.reviewCuts)
  }

  /// Whether the answer to `want` is still wanted.
  func isWanted(_ want: Message.Want, by peer: PeerHandle) -> Bool {
    peers[peer]?.flow.isUnderWay(want.document, request: want.request) == true
  }

  /// Whether more of its answers may be sent to the peer.
  func hasCapacity(for peer: PeerHandle) -> Bool { peers[peer]?.flow.hasCapacity == true }

  /// A part of an answer was sent.
  package mutating func noteAnswered(_ byteCount: Int, of document: DocumentID, to peer: PeerHandle) {
    peers[peer]?.flow.send(byteCount, of: document)
  }

  /// Ends an answer: from here on the peer follows the stream.
  mutating func handOver(_ number: DocumentNumber, answering want: Message.Want, to peer: PeerHandle) {
    let standing = pipeline.standing(of: want.document) ?? documents[number].version
    let stream = stream(of: number, for: peer)
    say(
      .resume(
        Message.Resume(
          document: want.document, request: want.request, version: standing, position: stream.position,
          tables: stream.encoder.tables())), to: peer)
    peers[peer]?.flow.end(want.document)
  }

  // MARK: Evidence

  private mutating func receive(_ evidence: Message.Evidence, from peer: PeerHandle) {
    guard policy.isRelay, connections.trustedRelays.contains(peer), trust(in: peer).covers(evidence.document),
      evidence.batch.count <= Evidence.byteCountMax, let number = documents.number(of: evidence.document)
    else { return }
    do {
      let theirs = try Batch.decode(evidence.batch)
      effects.append(.compare(Evidence.Comparison(of: theirs, in: evidence.document, at: documents[number].version)))
    } catch {
      refuseMalformed(peer, "Changes of '\(evidence.document)' to compare: \(error)")
    }
  }

  /// Two relays hold different states of one version, and the states alone may not show who is to blame
  /// (Protocol/conversation.md, "Evidence"): each tells the other the latest changes that its log has.
  mutating func tellEvidence(of number: DocumentNumber, to peer: PeerHandle) {
    guard policy.isRelay, connections.trustedRelays.contains(peer) else { return }
    effects.append(.tellEvidence(number, to: peer))
  }

  /// The latest records that the log has are told to a peer. What is too long to be told cannot be compared.
  package mutating func tell(evidence records: [LogRecord], to peer: PeerHandle) {
    for record in records where record.bytes.count <= Evidence.byteCountMax {
      say(.evidence(Message.Evidence(document: record.document, batch: record.bytes)), to: peer)
    }
  }

  /// What the log has was read.
  package mutating func compared(_ comparison: Evidence.Comparison, with records: [LogRecord]) {
    let ours = records.flatMap { (try? Batch.decode($0.bytes)) ?? [] }
    for dot in Evidence.equivocations(in: comparison.theirs, against: ours) {
      note(EquivocationReport(dot, in: comparison.document))
    }
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
    case .forget, .hello, .live, .refuse, .goodbye, .members, .writers, .equivocations, .heartbeat, .unknown:
      nil
    }
  }
}
