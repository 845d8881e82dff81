package import StarlingCore
package import StarlingSession
import StarlingWire

// Replica ids that are lent (Protocol/conversation.md, "Leases"): by a relay that keeps what it acknowledges.
//
// ```
//   lease ──► LeaseBook ──► log ──► leased
//                ▲
//                └── durable further, a sign of life that has ended
// ```
extension ReplicaEngine {
  var isLending: Bool {
    configuration.isRelay && configuration.lendsReplicaIDs && identity.isDurable && pipeline.failure == nil
  }

  /// The loans that the log remembers. It is what the last run left if it may go on under that run's replica id.
  func leaseBook(_ remembered: [LogLease]) -> LeaseBook {
    LeaseBook(remembered, continues: identity.replica != nil)
  }

  func receive(_ lease: Message.Lease, from peer: PeerHandle) {
    guard let hello = peers[peer]?.hello else { return }
    guard isLending, trust(in: peer).mayWrite else {
      say(.leased(Message.Leased(document: lease.document, answer: .nothing)), to: peer)
      return
    }
    guard let hosted = documents[lease.document] else {
      return openForPeer(lease.document, to: peer) { $0.receive(lease, from: peer) }
    }
    let holder = LeaseBook.Holder(store: hello.store, user: trust(in: peer).listedName)
    let answer: Message.Leased.Answer? =
      switch lease.request {
      case .ask
      where hosted.leases.needsFresh(holder) && !ask({ $0.mayLease(to: peer, in: hosted.id, &$1) }):
        .nothing
      case .ask: hosted.leases.ask(by: holder, fresh: newReplicaID(), version: hosted.handle.version)
      case .goOn(let loan): hosted.leases.goOn(loan, by: holder)
      case .giveBack(let loan): hosted.leases.giveBack(loan, by: holder)
      }
    rememberLeases(of: hosted, saying: answer.map { LeaseRecord.Answer(peer: peer, holder: holder, answer: $0) })
    settleLeases(of: hosted)
  }

  /// Lends anew what was given back and is durable as far as it was written.
  func settleLeases(of hosted: HostedDocument) {
    guard !hosted.leases.isEmpty else { return }
    for (store, loan) in hosted.leases.settle(durable: pipeline[hosted.id].durable, version: hosted.handle.version) {
      if let peer = peers.connections(to: store).first {
        say(.leased(Message.Leased(document: hosted.id, answer: .returned(loan))), to: peer)
      }
    }
    rememberLeases(of: hosted)
  }

  /// Stores what is new, and says the answer once that is done.
  private func rememberLeases(of hosted: HostedDocument, saying answer: LeaseRecord.Answer? = nil) {
    let entries = hosted.leases.takeRemembered()
    if entries != nil { noteLeases(of: hosted) }
    if let answer = pipeline.remember(entries, of: hosted.id, saying: answer, all: hosted.leases.entries) {
      tell(answer, in: hosted.id)
    }
    startLogging()
  }

  func tell(_ answer: LeaseRecord.Answer, in document: DocumentID) {
    let isTaken = say(.leased(Message.Leased(document: document, answer: answer.answer)), to: answer.peer)
    // Who is gone before it hears of a loan writes nothing under it.
    guard !isTaken, case .granted(let loan) = answer.answer, peers[answer.peer] == nil,
      let hosted = documents[document]
    else { return }
    _ = hosted.leases.giveBack(loan, by: answer.holder)
    settleLeases(of: hosted)
  }

  // MARK: What must hold

  /// Whether changes come from those who may have made them: while a holder says everything to us alone, nobody else has
  /// anything new under its id but a second holder, which is refused by name.
  func keepToLoans(_ lastDots: some Sequence<Dot>, from peer: PeerHandle, in hosted: HostedDocument) -> Bool {
    guard !hosted.leases.isEmpty else { return true }
    let sender = peers[peer]?.hello?.store
    let version = hosted.handle.version
    for last in lastDots {
      let isAdmitted = hosted.leases.admits(last, from: sender, held: version[last.replica]) {
        configuration.lifeSigns?.isStanding($0.description) ?? false
      }
      guard !isAdmitted else { continue }
      guard connections.identity(of: peer).key == nil else {
        let what = "it wrote '\(hosted.id)' as replica \(last.replica), which is lent to another store"
        return ask {
          $0.deny(peer, .loanRefused, what, hosted.id, as: last.replica, &$1)
          return false
        }
      }
      counters.denied += 1
      let explanation = "Replica \(last.replica) is lent to another store, and \(last) of '\(hosted.id)' is not its."
      report(.refused(sender, explanation: explanation))
      refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation))
      return false
    }
    return true
  }

  /// A connection has ended. Its process may take some moments to do so.
  func expectEnds() {
    leaseReviewsSoon = Self.leaseReviewsSoonMax
    nextLeaseReview = min(nextLeaseReview, clock.uptime() + Self.leaseReviewSoon)
  }

  private static let leaseReviewSoon: Duration = .milliseconds(20)
  private static let leaseReviewsSoonMax = 8

  /// Once a heartbeat, and soon after connections have ended.
  func reviewLeasesIfDue(now: Duration) {
    guard now >= nextLeaseReview else { return }
    nextLeaseReview = now + (leaseReviewsSoon > 0 ? Self.leaseReviewSoon : configuration.heartbeat)
    leaseReviewsSoon = max(0, leaseReviewsSoon - 1)
    reviewLeases()
  }

  /// Takes back what those held who have provably ended.
  private func reviewLeases() {
    guard isLending, let signs = configuration.lifeSigns else { return }
    for name in signs.ended() {
      guard let store = StoreID(description: name), !peers.isReached(store) else {
        continue
      }
      var isSettled = true
      for hosted in documentsInOrder {
        hosted.members.leave(store)
        let replicas = hosted.leases.provable(of: store)
        guard !replicas.isEmpty else { continue }
        // What waits here for what it stands on was made under the loan, and may still merge.
        guard !replicas.contains(where: hosted.handle.holdsBack) else {
          isSettled = false
          continue
        }
        hosted.leases.holderEnded(store, version: hosted.handle.version)
        settleLeases(of: hosted)
      }
      if isSettled { signs.clear(name) }
    }
  }

  /// The loans of a document, for tests.
  package func leases(of document: DocumentID) -> [LogLease] { documents[document]?.leases.entries ?? [] }
}

extension StoreID {
  /// Nil for what is not sixteen hexadecimal digits.
  fileprivate init?(description: String) {
    guard description.utf8.count == 16, let number = UInt64(description, radix: 16) else { return nil }
    self.init(rawValue: number)
  }
}
