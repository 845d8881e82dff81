package import StarlingCore
import StarlingWire

// A relay that has more documents than it is to keep open closes those that nobody uses. To close one is what the end
// of the process is for it: its log has everything, and it is opened again when somebody speaks of it
// (Documentation/Decisions/unused-documents-are-closed.md).
//
// ```
//   idle ──► resting ── nobody follows it, every daemon that is here has the same ──► closed
//     ▲                                                                                 │
//     └──── opened ◄── a peer speaks of it, somebody here opens it, its turn ◄──────────┘
// ```
extension Replication {
  /// So many are looked at with a tick, and so many opened for other daemons.
  private static let lookCountMax = 64
  private static let turnCountMax = 8
  /// So many more may be open while other daemons hear of those that are closed.
  private static let openForTurnsCountMax = 512

  // MARK: Closing

  /// Somebody here holds the document: it stays open.
  package mutating func keepOpen(_ document: DocumentID) { keptOpen.insert(document) }

  /// The log holds a document that is opened once somebody speaks of it.
  package mutating func foundClosed(_ document: DocumentID) { closed.found(document) }

  /// With each tick: closes some of those that are too many.
  mutating func closeUnused() {
    let countMax = policy.openDocumentCountMax
    guard documents.count > countMax, policy.isRelay, pipeline.failure == nil else { return }
    let relays = Set(peers.relays.compactMap { peers[$0]?.hello?.store })
    for _ in 0..<min(Self.lookCountMax, documents.restingCount) where documents.count > countMax {
      // One that is used is not looked at again before whoever uses it is gone.
      guard let number = documents.takeResting(), !isUsed(number, besides: relays) else { continue }
      if mayClose(number) { close(number) } else { documents.noteResting(number) }
    }
  }

  /// Whether somebody here holds the document, or a peer speaks of it that is no relay.
  private func isUsed(_ number: DocumentNumber, besides relays: Set<StoreID>) -> Bool {
    documents.look(at: number) { keptOpen.contains($0.pointee.id) || !$0.pointee.sharers.isSubset(of: relays) }
  }

  private mutating func mayClose(_ number: DocumentNumber) -> Bool {
    guard documents.look(at: number, { $0.pointee.awaitsNothing }) else { return false }
    let (document, version) = documents.look(at: number) { ($0.pointee.id, $0.pointee.version) }
    rememberMembers(of: number)
    return pipeline.isIdle(document, at: version) && !waiters.waits(for: document)
      && !peers.isAnswered(about: document) && areEven(number)
  }

  /// Whether those daemons that spoke of the document hold what is here.
  private func areEven(_ number: DocumentNumber) -> Bool {
    documents.look(at: number) { state in
      state.pointee.session.areEven(with: state.pointee.version)
        && state.pointee.sharers.allSatisfy { store in
          peers.connections(to: store).contains { state.pointee.session.isFollowing($0) }
        }
    }
  }

  private mutating func close(_ number: DocumentNumber) {
    let (document, version) = documents.look(at: number) { ($0.pointee.id, $0.pointee.version) }
    let silent = documents.look(at: number) { $0.pointee.session.silent }.compactMap { peers[$0]?.hello?.store }
    for (peer, relation) in endpoints.connections { unsubscribe(from: number, at: peer, in: relation) }
    counters.add(documents.look(at: number) { $0.pointee.session.statistics })
    counters.documentsClosed += 1
    documents.remove(number)
    peers.close(document)
    pipeline.close(document)
    // Of one in which nobody wrote, the log knows nothing either.
    if !version.isEmpty { closed.closed(document, missedBy: silent) }
    effects.append(.close(number))
  }

  // MARK: For other daemons

  /// A peer is here: if it is a daemon that serves some of the same documents, it may have missed what is closed here,
  /// or have what is lacking.
  mutating func noteArrival(of peer: PeerHandle) {
    guard let hello = peers[peer]?.hello, policy.isRelay, hello.relays, hello.shard.overlaps(connections.shard) else {
      return
    }
    closed.arrived(hello.store, epoch: hello.epoch)
  }

  /// With each tick: opens some of those that other daemons are to hear of.
  mutating func openInTurn() {
    guard closed.isRoundUnderWay else { return }
    let countMax = policy.openDocumentCountMax + Self.openForTurnsCountMax
    for _ in 0..<Self.turnCountMax where documents.count + opening.count < countMax {
      guard let document = closed.next() else { return }
      effects.append(.reopen(document))
    }
  }

  /// What the log holds of it cannot be read now.
  package mutating func failedToReopen(_ document: DocumentID, _ error: LogError?) {
    guard damaged[document] == nil else {
      closed.remove(document)
      return
    }
    closed.failed(document)
    if let error { report(.logFailed(error)) }
  }
}

extension DocumentState {
  /// Whether nothing goes on in it.
  var awaitsNothing: Bool {
    attention == .idle && session.isSettled && !holdsChanges && unloggedByteCount == 0
      && !isMakingDigest && !isCollecting && !isWatched && !isPresent && openTransaction == nil && postponed.isEmpty
      && disowned.isEmpty && refusedForGood.isEmpty && !leases.hasHolders
  }
}
