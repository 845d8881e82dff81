import StarlingCore
import StarlingSession
import StarlingWire

// Our own changes that the group refuses for good, because their replica id is somebody else's (Protocol/conversation.md,
// "Whose a replica id is"; Documentation/Decisions/refused-changes-are-written-again.md).
//
// ```
//   disown ──► a fresh id ──► does anybody else hold them? ── perhaps ──► reported; they stay readable here
//                                    │ nobody
//                                    ▼        between two groups of the log
//                log without them ──► document without them ──► one change that does the same ──► log, in one step ──► sent
// ```
extension ReplicaEngine {
  /// A daemon says that an id is somebody else's. What the group has of it stays; from now on another is written under.
  func receiveDisowned(_ replica: ReplicaID, in document: DocumentID, from peer: PeerHandle) {
    guard trust(in: peer).mayRelay, let hosted = documents[document], !pipeline.isRetracting(document) else { return }
    let isWrittenUnder = hosted.handle.replica == replica
    guard isWrittenUnder || hosted.own.writers.contains(replica) else { return }
    let isLent = isWrittenUnder && hosted.tenure.held != nil
    publishOutbox(of: hosted)
    if isWrittenUnder { rename(for: hosted) }
    guard hosted.refusedForGood[replica] != hosted.handle.version[replica] else { return }
    if peers[peer]?.isRelay == true, !isLent {
      hosted.disowned[replica] = peer
    } else {
      reportRefused([replica: counter(of: replica, saidBy: peer, in: hosted)], in: hosted)
    }
  }

  /// The daemon has said how much it holds, after it refused: what it lacks now of those ids it never takes.
  func reviewDisowned(by peer: PeerHandle, in hosted: HostedDocument) {
    for (replica, daemon) in hosted.disowned where daemon == peer {
      hosted.disowned[replica] = nil
      let held = counter(of: replica, saidBy: peer, in: hosted)
      guard hosted.handle.version[replica] > held, !pipeline.isRetracting(hosted.id) else { continue }
      switch whetherHeld(replica, beyond: held, in: hosted) {
      case .byRelay: continue
      case .perhaps: reportRefused([replica: held], in: hosted)
      case .byNobody:
        pipeline.refused(replica, beyond: held, own: hosted.own.writers, in: hosted.id)
        startLogging()
      }
    }
  }

  private func counter(of replica: ReplicaID, saidBy peer: PeerHandle, in hosted: HostedDocument) -> UInt64 {
    hosted.session.version(of: peer)?[replica] ?? 0
  }

  private enum Holding {
    /// No other store was given them, as far as can be told.
    case byNobody
    /// A relay has them, and passes them on.
    case byRelay
    case perhaps
  }

  /// Who else may hold operations of `replica` beyond `counter`. Written again, they would count twice there.
  private func whetherHeld(_ replica: ReplicaID, beyond counter: UInt64, in hosted: HostedDocument) -> Holding {
    guard log.retractsChanges, !pipeline.isLost, !configuration.isRelay else { return .perhaps }
    var holding = Holding.byNobody
    for other in peers.talking {
      if connections.isTrustedRelay(other) {
        if self.counter(of: replica, saidBy: other, in: hosted) > counter { return .byRelay }
      } else if peers[other]?.interests.contains(hosted.id) == true {
        holding = .perhaps
      }
    }
    let acknowledged = max(hosted.members.acknowledged(of: replica), hosted.own.acknowledged[replica] ?? 0)
    return acknowledged > counter ? .perhaps : holding
  }

  private func reportRefused(_ counters: [ReplicaID: UInt64], in hosted: HostedDocument) {
    for (replica, counter) in counters.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let written = hosted.handle.version[replica]
      guard written > counter, hosted.refusedForGood[replica] != written else { continue }
      hosted.refusedForGood[replica] = written
      report(.disowned(hosted.id, replica, counter + 1...written))
    }
  }

  // MARK: Writing again

  /// Gives refused changes up and makes the change that does what they did, which the log and the peers are still to be told;
  /// or reports them where that cannot be.
  func giveUpRefused(in document: DocumentID) async throws {
    guard let hosted = documents[document], try await !mayHaveGivenUpRefused(in: hosted) else { return }
    reportRefused(pipeline.leaveRefused(in: document).counters, in: hosted)
  }

  /// False where it cannot be.
  private func mayHaveGivenUpRefused(in hosted: HostedDocument) async throws -> Bool {
    publishOutbox(of: hosted)
    let refused = pipeline[hosted.id].refused
    let found: RefusedChanges.Remainder?
    do {
      found = try await reader(of: hosted.id).remainder(without: refused)
    } catch let error as LogError where error.isTransient {
      throw error
    } catch {
      report(.historyUnreadable(hosted.id, error))
      return false
    }
    if hosted.isForgotten { return true }
    guard var remainder = found else { return false }
    var countTaken = 0
    while true {
      publishOutbox(of: hosted)
      let unlogged = pipeline[hosted.id].unlogged
      for record in unlogged[countTaken...] { guard try remainder.take(record) else { return false } }
      countTaken = unlogged.count
      let counters = remainder.refused.counters
      // What was written since the id was left stands on what is refused: the group takes nothing under that id either.
      if counters[hosted.handle.replica] != nil { renameAll(to: newReplicaID()) }
      // A state that has merged meanwhile is in no record yet.
      if pipeline[hosted.id].compaction.mustFold || hosted.handle.isWriting { return true }
      // Somebody may have come meanwhile.
      for (replica, counter) in refused.counters {
        switch whetherHeld(replica, beyond: counter, in: hosted) {
        case .byNobody: continue
        case .perhaps: return false
        case .byRelay:
          pipeline.keepRefused(of: replica, in: hosted.id)
          return true
        }
      }
      let former = pipeline.standing(of: hosted.id) ?? hosted.handle.version
      guard former.limited(to: counters) == remainder.document.version else { return false }
      switch hosted.handle.writeAgain(on: remainder.document, insteadOf: former) {
      case .notNow: continue
      case .tooLarge: return false
      case .done(let change, let version):
        noteGivenUp(
          Retraction(
            beyond: counters, of: former, change: change, version: version, replica: hosted.handle.replica), in: hosted)
        return true
      }
    }
  }

  /// The document stands at the retraction's version now; nobody is told before the log has it.
  private func noteGivenUp(_ retraction: Retraction, in hosted: HostedDocument) {
    let own = retraction.change.map { records(of: $0, in: hosted.id) } ?? []
    noteOwn(own, in: hosted)
    hosted.handle.addUnlogged(pipeline.giveUp(retraction, in: hosted.id, appending: own))
    (hosted.cut, hosted.digest) = (nil, nil)
    // Who waits for what was given up waits for what takes its place.
    waiters.replaceVersion(in: hosted.id, with: retraction.version)
  }

  /// The log has it, or is given up.
  func publish(_ retraction: Retraction, in document: DocumentID) {
    guard let hosted = documents[document] else { return }
    if let change = retraction.change { publish([change], of: hosted, toSide: [change]) }
    publishOutbox(of: hosted)
    for part in retraction.givenUp {
      report(.writtenAgain(document, part.replica, part.counters, as: retraction.replica))
    }
    // They were told of a version that covers what was given up, and would ask for that for as long as the connection stands.
    for peer in peers.talking { begin(anew: peer) }
  }
}
