package import StarlingCore
package import StarlingWire

// Writing under a leased replica id (Protocol/conversation.md, "Leases"): a process that keeps nothing takes one where
// a peer grants leases, so that the ids of many that come and go are few.
//
// ```
//   a grantor says hello ──► liveness lock ──► ask ──► takeUp: under the document's lock, before the first write
//   close ──► giveBack
// ```
//
// While the lock stands, what is written under a lease is sent to the grantor alone: if the process dies, nobody has
// anything that the grantor has not. As soon as somebody else is there to be told, the lock is withdrawn first.
extension Replication {
  private var isLeasing: Bool { policy.leasesReplicaID && !policy.isRelay && !identity.isDurable }

  /// Whether the document is written under a lease whose grantor alone may be told.
  func isConfined(_ number: DocumentNumber) -> Bool { confinedTo != nil && documents[number].leaseClient.held != nil }

  /// Whether a store may be told what is written here only once the liveness lock is withdrawn.
  func isConfined(against store: StoreID) -> Bool { confinedTo.map { $0 != store } ?? false }

  // MARK: Taking

  /// Asks a peer that grants leases for an id, or tells it of the one that is held.
  mutating func meetGrantor(_ peer: PeerHandle) {
    guard isLeasing, let hello = peers[peer]?.hello, hello.grantsLeases else { return }
    if policy.hasLifeSigns, !hasShownLife {
      hasShownLife = true
      if peers.isAlone(hello.store) { effects.append(.showLife(to: hello.store)) }
    }
    for number in documents.inOrder where connections.isShared(documents[number].id, with: peer) {
      seekLease(of: number, from: hello.store)
    }
  }

  /// The sign is put up where nobody else is there.
  package mutating func showedLife(to grantor: StoreID) { confinedTo = grantor }

  /// It is withdrawn.
  package mutating func withdrewLife() { confinedTo = nil }

  /// A document that has just been opened.
  mutating func seekLease(of number: DocumentNumber) {
    guard isLeasing else { return }
    let document = documents[number].id
    guard let grantor = peers.hellos.first(where: { $0.grantsLeases && $0.shard.contains(document) }) else { return }
    seekLease(of: number, from: grantor.store)
  }

  private mutating func seekLease(of number: DocumentNumber, from grantor: StoreID) {
    documents.activate(number)
    // What was written and not handed over yet shows when the lease is to be taken up.
    let hasWritten = documents[number].version[documents[number].replica] > 0
    carryOut(documents[number].leaseClient.meet(grantor, hasWritten: hasWritten, now: now), in: number)
  }

  mutating func receive(_ leased: Message.Leased, from peer: PeerHandle) {
    guard let hello = peers[peer]?.hello, let number = documents.number(of: leased.document) else { return }
    documents.activate(number)
    carryOut(documents[number].leaseClient.receive(leased.answer, from: hello.store), in: number)
  }

  /// What is due by the clock, or because more has merged.
  mutating func reviewLeaseClient(of number: DocumentNumber) {
    guard documents.look(at: number, { $0.pointee.leaseClient.isAwaited }) else { return }
    carryOut(documents[number].leaseClient.tick(now: now), in: number)
  }

  private mutating func carryOut(_ effect: LeaseClient.Effect, in number: DocumentNumber) {
    switch effect {
    case .say(let request, let grantor): say(request, of: number, to: grantor)
    case .takeUp(let grant): effects.append(.takeUp(grant, in: number))
    case .writeAsOneself: writeAsOneself(in: number)
    case .keepForGood: effects.append(.keepForGood(number))
    case .nothing: break
    }
  }

  /// The result of taking up a lease.
  package enum TakingUp: Sendable {
    case taken
    /// Not everything is here yet that was ever written under the id.
    case notYet
    /// Something is written already under the present id, or more under the other than was said.
    case tooLate
  }

  package mutating func took(_ grant: Message.LeaseGrant, _ outcome: TakingUp, in number: DocumentNumber) {
    switch outcome {
    case .taken:
      documents[number].replica = grant.replica
      documents[number].leaseClient.tookUp()
    case .notYet: break
    case .tooLate: carryOut(documents[number].leaseClient.mayNotTakeUp(), in: number)
    }
  }

  /// Where the grantor receives our stream, if it does, so that what is said comes after what was written.
  private mutating func say(_ request: Message.Lease.Request, of number: DocumentNumber, to grantor: StoreID) {
    let reached = peers.connections(to: grantor)
    guard let peer = reached.first(where: connections.serves) ?? reached.first else { return }
    say(.lease(Message.Lease(document: documents[number].id, request: request)), to: peer)
  }

  /// Somebody else writes under the leased id.
  package mutating func writeAsOneself(in number: DocumentNumber) {
    let fresh = newReplicaID()
    documents[number].leaseClient.lose()
    rename(number, to: fresh)
    report(.renamed(documents[number].id, to: fresh))
  }

  // MARK: Giving back

  /// Called when everything that was written is on its way.
  package mutating func returnLeases() {
    returnDeadline = now + Self.returnPatience
    for number in documents.inOrder {
      let version = documents[number].version
      carryOut(documents[number].leaseClient.close(version: version), in: number)
    }
  }

  /// The grantor learns of the end by the liveness lock too.
  private static var returnPatience: Duration { .seconds(2) }

  /// Whether a grantor that is reached is still to hear of what was returned, and is waited for.
  package var isReturning: Bool {
    now < returnDeadline
      && documents.inOrder.contains { number in
        documents[number].leaseClient.returningTo.map { peers.isReached($0) } ?? false
      }
  }
}
