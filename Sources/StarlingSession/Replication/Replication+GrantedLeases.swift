package import StarlingCore
import StarlingWire

// Replica ids that are leased (Protocol/conversation.md, "Leases"): by a relay that keeps what it acknowledges.
//
// ```
//   lease ──► LeaseTable ──► log ──► leased
//                ▲
//                └── durable further, a liveness lock that has ended
// ```
extension Replication {
  package var isGrantingLeases: Bool { policy.isRelay && policy.grantsReplicaIDs && isDurable }

  mutating func receive(_ lease: Message.Lease, from peer: PeerHandle) {
    guard let hello = peers[peer]?.hello else { return }
    guard isGrantingLeases, trust(in: peer).mayWrite else {
      return say(.leased(Message.Leased(document: lease.document, answer: .nothing)), to: peer)
    }
    guard let number = documents.number(of: lease.document) else {
      return openDocument(lease.document, for: peer, heeding: .lease(lease))
    }
    let holder = LeaseTable.Holder(store: hello.store, user: trust(in: peer).listedName)
    let answer: Message.Leased.Answer? =
      switch lease.request {
      case .ask
      where documents[number].leases.needsFresh(holder) && !ask({ $0.mayLease(to: peer, in: lease.document, &$1) }):
        .nothing
      case .ask:
        documents[number].leases.ask(by: holder, fresh: newReplicaID(), version: documents[number].version)
      case .goOn(let grant): documents[number].leases.goOn(grant, by: holder)
      case .giveBack(let grant): documents[number].leases.giveBack(grant, by: holder)
      }
    rememberLeases(of: number, saying: answer.map { LeaseRecord.Answer(peer: peer, holder: holder, answer: $0) })
    settleLeases(of: number)
  }

  /// Frees for the next lease what was returned and is durable as far as it was written.
  mutating func settleLeases(of number: DocumentNumber) {
    guard !documents[number].leases.isEmpty else { return }
    let (document, version) = (documents[number].id, documents[number].version)
    for (store, grant) in documents[number].leases.settle(durable: pipeline.durable(of: document), version: version) {
      if let peer = peers.connections(to: store).first {
        say(.leased(Message.Leased(document: document, answer: .returned(grant))), to: peer)
      }
    }
    rememberLeases(of: number)
  }

  /// Stores what is new, and says the answer once that is done.
  private mutating func rememberLeases(of number: DocumentNumber, saying answer: LeaseRecord.Answer? = nil) {
    let document = documents[number].id
    let entries = documents[number].leases.takeRemembered()
    if entries != nil { noteLeases(of: number) }
    let all = documents[number].leases
    if let answer = pipeline.remember(entries, of: document, saying: answer, all: all.entries) {
      tell(answer, in: number)
    }
    effects.append(.log)
  }

  /// What was decided is stored: says so where it was asked, or where the holder has come back since.
  mutating func tell(_ answer: LeaseRecord.Answer, in number: DocumentNumber) {
    let reached = peers[answer.peer] != nil ? answer.peer : peers.connections(to: answer.holder.store).first
    if let reached {
      if case .granted(let grant) = answer.answer, !documents[number].leases.told(grant) { return }
      say(.leased(Message.Leased(document: documents[number].id, answer: answer.answer)), to: reached)
    } else if case .granted(let grant) = answer.answer {
      documents[number].leases.untold(grant, by: answer.holder)
      settleLeases(of: number)
    }
  }

  mutating func noteLeases(of number: DocumentNumber) {
    let counts = documents[number].leases.counts
    for account in Set(counts.keys).union(documents[number].lessees) {
      connections.budgets.hold(counts[account] ?? 0, of: .leases, by: account, in: documents[number].id)
    }
    documents[number].lessees = Set(counts.keys)
  }

  /// Somebody else writes, or has written, under the id of this store: it was copied, or put back from a copy.
  mutating func doubtLeases() {
    identity.continues = false
    closed.doubtLeases()
    for number in documents.inOrder where !documents.look(at: number, { $0.pointee.leases.isEmpty }) {
      let document = documents[number].id
      for (holder, grant) in documents[number].leases.doubt() {
        guard let peer = peers.connections(to: holder).first else { continue }
        say(.leased(Message.Leased(document: document, answer: .over(grant))), to: peer)
      }
      rememberLeases(of: number)
    }
  }

  // MARK: What must hold

  /// Whether changes come from those who may have made them: while a holder says everything to us alone, nobody else
  /// has anything new under its id but a second holder, which is refused by name.
  mutating func keepToLeases(
    _ lastDots: some Sequence<Dot>, from peer: PeerHandle, in number: DocumentNumber, isAlive: (StoreID) -> Bool
  ) -> Bool {
    guard !documents[number].leases.isEmpty else { return true }
    let sender = peers[peer]?.hello?.store
    let (document, version) = (documents[number].id, documents[number].version)
    for last in lastDots {
      let isAdmitted = documents[number].leases.admits(
        last, from: sender, held: version[last.replica], isProvable: isAlive)
      guard !isAdmitted else { continue }
      guard connections.identity(of: peer).key == nil else {
        let what = "it wrote '\(document)' as replica \(last.replica), which is leased to another store"
        return ask {
          $0.deny(peer, .leaseRefused, what, document, as: last.replica, &$1)
          return false
        }
      }
      counters.denied += 1
      let explanation = "Replica \(last.replica) is leased to another store, and \(last) of '\(document)' is not its."
      report(.refused(sender, explanation: explanation))
      refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation))
      return false
    }
    return true
  }

  // MARK: Holders that ended

  /// Takes back what a store held that has provably ended.
  ///
  /// - Parameter holdsBack: whether changes of a replica id wait in a document for what they stand on. They were made
  ///   under the lease, and may still merge.
  /// - Returns: whether nothing of it is left to be looked at again.
  package mutating func holderEnded(
    _ store: StoreID, holdsBack: (DocumentNumber, ReplicaID) -> Bool
  ) -> Bool {
    guard isGrantingLeases, !peers.isReached(store) else { return false }
    var isSettled = true
    for number in documents.inOrder {
      documents[number].members.leave(store)
      let replicas = documents[number].leases.provable(of: store)
      guard !replicas.isEmpty else { continue }
      guard !replicas.contains(where: { holdsBack(number, $0) }) else {
        isSettled = false
        continue
      }
      let version = documents[number].version
      documents[number].leases.holderEnded(store, version: version)
      settleLeases(of: number)
    }
    return isSettled
  }
}
