package import StarlingCore
import StarlingWire

// Our own changes that the group refuses for good, because their replica id is somebody else's
// (Protocol/conversation.md, "Whose a replica id is"; Documentation/Decisions/refused-changes-are-written-again.md).
//
// ```
//   disown ──► a fresh id ──► does anybody else hold them? ── perhaps ──► reported; they stay readable here
//                                │ nobody
//                                ▼        between two groups of the log
//            log without them ──► document without them ──► one change that does the same ──► log, in one step ──► sent
// ```
extension Replication {
  /// A daemon says that an id is somebody else's. What the group has of it stays; from now on another is written under.
  mutating func receiveDisowned(_ replica: ReplicaID, in document: DocumentID, from peer: PeerHandle) {
    guard trust(in: peer).mayRelay, let number = documents.number(of: document), !isRetracting(number) else { return }
    let isWrittenUnder = documents[number].replica == replica
    guard isWrittenUnder || documents[number].own.writers.contains(replica) else { return }
    let isLeased = isWrittenUnder && documents[number].leaseClient.held != nil
    if isWrittenUnder { rename(for: number) }
    // What was written under it until now is handed over first.
    effects += [.takeOutbox(number), .reviewDisowned(replica, in: number, by: peer, isLeased: isLeased)]
  }

  package mutating func reviewDisowned(
    _ replica: ReplicaID, in number: DocumentNumber, by peer: PeerHandle, isLeased: Bool
  ) {
    guard documents[number].refusedForGood[replica] != documents[number].version[replica] else { return }
    if peers[peer]?.isRelay == true, !isLeased {
      documents[number].disowned[replica] = peer
    } else {
      reportRefused([replica: counter(of: replica, saidBy: peer, in: number)], in: number)
    }
  }

  /// The daemon has said how much it holds, after it refused: what it lacks now of those ids it never takes.
  mutating func reviewDisowned(by peer: PeerHandle, in number: DocumentNumber) {
    let document = documents[number].id
    for (replica, daemon) in documents[number].disowned where daemon == peer {
      documents[number].disowned[replica] = nil
      let held = counter(of: replica, saidBy: peer, in: number)
      guard documents[number].version[replica] > held, !isRetracting(number) else { continue }
      switch whetherHeld(replica, beyond: held, in: number) {
      case .byRelay: continue
      case .perhaps: reportRefused([replica: held], in: number)
      case .byNobody:
        pipeline.refused(replica, beyond: held, own: documents[number].own.writers, in: document)
        effects.append(.log)
      }
    }
  }

  private func counter(of replica: ReplicaID, saidBy peer: PeerHandle, in number: DocumentNumber) -> UInt64 {
    documents[number].session.version(of: peer)?[replica] ?? 0
  }

  private enum Holding {
    /// No other store was given them, as far as can be told.
    case byNobody
    /// A relay has them, and passes them on.
    case byRelay
    case perhaps
  }

  /// Whether others may hold operations of `replica` beyond `counter`. Written again, they would count twice there.
  private func whetherHeld(_ replica: ReplicaID, beyond counter: UInt64, in number: DocumentNumber) -> Holding {
    guard policy.retractsChanges, !pipeline.isLost, !policy.isRelay else { return .perhaps }
    var holding = Holding.byNobody
    for other in peers.talking {
      if connections.isTrustedRelay(other) {
        if self.counter(of: replica, saidBy: other, in: number) > counter { return .byRelay }
      } else if peers[other]?.interests.contains(documents[number].id) == true {
        holding = .perhaps
      }
    }
    let acknowledged = max(
      documents[number].members.acknowledged(of: replica), documents[number].own.acknowledged[replica] ?? 0)
    return acknowledged > counter ? .perhaps : holding
  }

  private mutating func reportRefused(_ counters: [ReplicaID: UInt64], in number: DocumentNumber) {
    for (replica, counter) in counters.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let written = documents[number].version[replica]
      guard written > counter, documents[number].refusedForGood[replica] != written else { continue }
      documents[number].refusedForGood[replica] = written
      report(.disowned(documents[number].id, replica, counter + 1...written))
    }
  }

  // MARK: Writing again

  /// Whether changes may be written again, the log's records at hand.
  package enum Rewriting: Sendable {
    case now
    /// A relay has them after all, or nothing is left to be done.
    case done
    case never
  }

  /// - Parameters:
  ///   - remainder: the document without what is refused.
  ///   - isWriting: whether a transaction is open.
  package mutating func mayWriteAgain(
    without counters: [ReplicaID: UInt64], on remainder: VersionVector, in number: DocumentNumber, isWriting: Bool
  ) -> Rewriting {
    let document = documents[number].id
    // What was written since the id was left stands on what is refused: the group takes nothing under that id either.
    if counters[documents[number].replica] != nil { renameAll(to: newReplicaID()) }
    // A state that has merged since is in no record yet.
    if pipeline[document].compaction.mustCompact || isWriting { return .done }
    // Somebody may have connected since.
    for (replica, counter) in pipeline[document].refused.counters {
      switch whetherHeld(replica, beyond: counter, in: number) {
      case .byNobody: continue
      case .perhaps: return .never
      case .byRelay:
        pipeline.keepRefused(of: replica, in: document)
        return .done
      }
    }
    return former(of: number).limited(to: counters) == remainder ? .now : .never
  }

  /// What stands before refused changes are given up.
  package func former(of number: DocumentNumber) -> VersionVector {
    pipeline.standing(of: documents[number].id) ?? documents[number].version
  }

  /// They cannot be written again.
  package mutating func leaveRefused(in number: DocumentNumber) {
    reportRefused(pipeline.leaveRefused(in: documents[number].id).counters, in: number)
  }

  /// The document stands at `version` now, with `change` in place of what was refused; nobody is told before the log
  /// has it.
  package mutating func wroteAgain(
    _ change: Change?, at version: VersionVector, insteadOf former: VersionVector,
    without counters: [ReplicaID: UInt64],
    in number: DocumentNumber
  ) {
    let document = documents[number].id
    let retraction = Retraction(
      beyond: counters, of: former, change: change, version: version, replica: documents[number].replica)
    let own = change.map { records(of: OrderedChanges([$0]), in: number) } ?? []
    noteOwn(own, in: number)
    countUnlogged(pipeline.giveUp(retraction, in: document, appending: own), in: number)
    documents[number].version = version
    documents[number].digest = nil
    // A caller that waits for what was given up waits for what takes its place.
    waiters.replaceVersion(in: document, with: version)
  }

  /// The log has it, or is given up.
  mutating func publish(_ retraction: Retraction, in number: DocumentNumber) {
    if let change = retraction.change { publish(OrderedChanges([change]), of: number) }
    for part in retraction.givenUp {
      report(.writtenAgain(documents[number].id, part.replica, part.counters, as: retraction.replica))
    }
    effects.append(.takeOutbox(number))
    // They were told of a version that covers what was given up, and would ask for that for as long as the connection
    // stands.
    for peer in peers.talking { beginAgain(with: peer) }
  }
}
