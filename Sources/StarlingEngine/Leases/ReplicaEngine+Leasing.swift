import StarlingCore
import StarlingSession
import StarlingWire

// Writing under a replica id on loan (Protocol/conversation.md, "Leases"): a process that keeps nothing takes one where
// a peer lends, so that the ids of many that come and go are few.
//
// ```
//   a peer that lends says hello ──► sign of life ──► ask ──► takeUp: under the document's lock, before the first write
//   close ──► giveBack
// ```
//
// While the sign stands, what is written under a loan is said to the lessor alone: if the process dies, nobody has
// anything that the lessor has not. As soon as somebody else is there to be told, the sign is withdrawn first.
extension ReplicaEngine {
  private var isLeasing: Bool { configuration.leasesReplicaID && !configuration.isRelay && !identity.isDurable }

  /// Whether the document is written under a loan whose lessor alone may be told.
  func isConfined(_ hosted: HostedDocument) -> Bool { confinedTo != nil && hosted.tenure.held != nil }

  /// Asks a peer that lends for an id, or tells it of the one that is held.
  func meetLessor(_ peer: PeerHandle) {
    guard isLeasing, let hello = peers[peer]?.hello, hello.lends else { return }
    showLife(to: hello.store)
    for hosted in documentsInOrder { seekLease(of: hosted, from: hello.store) }
  }

  /// A document that has just been opened.
  func seekLease(of hosted: HostedDocument) {
    guard isLeasing, let lessor = peers.hellos.first(where: \.lends) else { return }
    seekLease(of: hosted, from: lessor.store)
  }

  private func seekLease(of hosted: HostedDocument, from lessor: StoreID) {
    rouse(hosted)
    perform(
      hosted.tenure.meet(lessor, hasWritten: hosted.handle.hasWritten, now: clock.uptime()), in: hosted)
  }

  func receive(_ leased: Message.Leased, from peer: PeerHandle) {
    guard let hello = peers[peer]?.hello, let hosted = documents[leased.document] else { return }
    rouse(hosted)
    perform(hosted.tenure.receive(leased.answer, from: hello.store), in: hosted)
  }

  /// What is due by the clock, or because more has merged.
  func reviewTenure(of hosted: HostedDocument, now: Duration) {
    guard hosted.tenure.isAwaited else { return }
    perform(hosted.tenure.tick(now: now), in: hosted)
  }

  private func perform(_ effect: Tenure.Effect, in hosted: HostedDocument) {
    switch effect {
    case .say(let request, let lessor): say(request, of: hosted, to: lessor)
    case .takeUp(let loan):
      switch hosted.handle.takeUp(loan.replica, after: loan.counter) {
      case .taken: hosted.tenure.tookUp()
      case .notYet: break
      case .tooLate: perform(hosted.tenure.mayNotTakeUp(), in: hosted)
      }
    case .writeAsOneself: writeAsOneself(in: hosted)
    case .keepForGood: if !withdrawLife() { writeAsOneself(in: hosted) }
    case .nothing: break
    }
  }

  /// Where the lessor receives our stream, if it does, so that what is said comes after what was written.
  private func say(_ request: Message.Lease.Request, of hosted: HostedDocument, to lessor: StoreID) {
    let connections = peers.connections(to: lessor)
    guard let peer = connections.first(where: self.connections.serves) ?? connections.first else { return }
    say(.lease(Message.Lease(document: hosted.id, request: request)), to: peer)
  }

  /// Somebody else writes under the id on loan.
  func writeAsOneself(in hosted: HostedDocument) {
    let fresh = newReplicaID()
    hosted.tenure.lose()
    hosted.handle.rename(to: fresh)
    report(.renamed(hosted.id, to: fresh))
  }

  // MARK: Ending

  /// From here on nothing is written under a loan any more.
  func ceaseWriting() {
    for hosted in documentsInOrder where hosted.tenure.held != nil { hosted.handle.rename(to: newReplicaID()) }
  }

  private static let returnPatience: Duration = .seconds(2)

  /// Called when everything that was written is on its way; returns once the lessor has heard, or after two seconds: it
  /// learns of the end by the sign of life too.
  func giveLoansBack() async {
    for hosted in documentsInOrder { perform(hosted.tenure.close(version: hosted.handle.version), in: hosted) }
    guard isReturning else { return }
    await withCheckedContinuation { returning = (clock.uptime() + Self.returnPatience, $0) }
  }

  private var isReturning: Bool {
    documentsInOrder.contains { hosted in
      hosted.tenure.returningTo.map { peers.isReached($0) } ?? false
    }
  }

  /// While the engine closes, nothing else is heard any more.
  func hearReturns(_ events: [LinkEvent]) {
    guard let deadline = returning?.deadline else { return }
    for event in events {
      switch event {
      case .direct(let peer, let bytes):
        if case .leased(let leased)? = try? Message(decoding: bytes) { receive(leased, from: peer) }
      case .closed(let peer, _): peers[peer] = nil
      case .opened, .handshakeFailed, .turnedAway, .published: break
      }
    }
    if !isReturning || clock.uptime() >= deadline { endReturning() }
  }

  func endReturning() {
    returning?.continuation.resume()
    returning = nil
  }

  // MARK: The sign of life

  /// Puts the sign up where nobody else is there.
  private func showLife(to lessor: StoreID) {
    guard let signs = configuration.lifeSigns, !hasShownLife else { return }
    hasShownLife = true
    guard peers.isAlone(lessor),
      signs.show(identity.store.description)
    else {
      return
    }
    confinedTo = lessor
  }

  /// Whether a peer may be told what is written here; withdraws the sign of life where another than the lessor is to be.
  func maySpeak(to store: StoreID) -> Bool {
    guard let lessor = confinedTo, store != lessor else { return true }
    return withdrawLife()
  }

  /// False where the sign still stands.
  private func withdrawLife() -> Bool {
    guard confinedTo != nil else { return true }
    guard configuration.lifeSigns?.withdraw(identity.store.description) ?? true else { return false }
    confinedTo = nil
    return true
  }
}
