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
    guard trust(in: peer).mayRelay, let hosted = documents[document], hosted.retraction == nil else { return }
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
      guard hosted.handle.version[replica] > held, hosted.retraction == nil else { continue }
      switch whetherHeld(replica, beyond: held, in: hosted) {
      case .byRelay: continue
      case .perhaps: reportRefused([replica: held], in: hosted)
      case .byNobody:
        hosted.refused.counters[replica] = max(held, hosted.refused.counters[replica] ?? 0)
        hosted.refused.own = hosted.own.writers
        owe(hosted)
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
    guard log.retractsChanges, !isLogLost, !configuration.isRelay else { return .perhaps }
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

  /// A document whose refused changes may be written again now: the log holds all that is merged here, but for records.
  func nextRefused() -> HostedDocument? {
    owing.first { hosted in
      if hosted.isForgotten { return false }
      if hosted.retraction != nil { return hosted.membersToRemember == nil }
      return !hosted.refused.isEmpty && !hosted.mustFold && hosted.membersToRemember == nil && !hosted.handle.isWriting
    }
  }

  /// One step of the log's: nothing is appended meanwhile.
  func writeAgain(_ hosted: HostedDocument) async throws {
    if hosted.retraction == nil {
      guard try await giveUpRefused(in: hosted) else {
        let counters = hosted.refused.counters
        hosted.refused = RefusedChanges()
        return reportRefused(counters, in: hosted)
      }
      // Under which ids we write is stored before the first record of one of them.
      guard hosted.retraction != nil, hosted.membersToRemember == nil else { return }
    }
    guard let retraction = hosted.retraction, !hosted.isForgotten else { return }
    try await log.retract(hosted.id, beyond: retraction.counters, appending: retraction.records)
    commitCount += 1
    guard hosted.retraction != nil, !hosted.isForgotten else { return }
    let byteCount = retraction.records.byteCount
    hosted.unlogged.removeFirst(retraction.records.count)
    hosted.handle.addUnlogged(-byteCount)
    hosted.recordByteCount += byteCount
    hosted.checkpoints.retracted(recordByteCount: hosted.recordByteCount)
    publishWrittenAgain(hosted)
    advance(hosted, to: retraction.version)
  }

  /// Gives refused changes up and makes the change that does what they did, which the log and the peers are still to be told.
  ///
  /// - Returns: false where that cannot be.
  private func giveUpRefused(in hosted: HostedDocument) async throws -> Bool {
    publishOutbox(of: hosted)
    let refused = hosted.refused
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
      for record in hosted.unlogged[countTaken...] { guard try remainder.take(record) else { return false } }
      countTaken = hosted.unlogged.count
      let counters = remainder.refused.counters
      // What was written since the id was left stands on what is refused: the group takes nothing under that id either.
      if counters[hosted.handle.replica] != nil { renameAll(to: newReplicaID()) }
      // A state that has merged meanwhile is in no record yet.
      if hosted.mustFold || hosted.handle.isWriting { return true }
      // Somebody may have come meanwhile.
      for (replica, counter) in refused.counters {
        switch whetherHeld(replica, beyond: counter, in: hosted) {
        case .byNobody: continue
        case .perhaps: return false
        case .byRelay:
          hosted.refused.counters[replica] = nil
          return true
        }
      }
      let former = pending.versions[hosted.id] ?? hosted.handle.version
      guard former.limited(to: counters) == remainder.document.version else { return false }
      switch hosted.handle.writeAgain(on: remainder.document, insteadOf: former) {
      case .notNow: continue
      case .tooLarge: return false
      case .done(let change, let version):
        noteGivenUp(counters, of: former, in: hosted, change, version)
        return true
      }
    }
  }

  /// The document stands at `version` now; nobody is told before the log has it.
  private func noteGivenUp(
    _ counters: [ReplicaID: UInt64], of former: Version, in hosted: HostedDocument, _ change: Change?,
    _ version: Version
  ) {
    func isLeft(_ record: LogRecord) -> Bool { record.lastCounter <= counters[record.replica] ?? .max }
    let replica = change?.replica ?? hosted.handle.replica
    var records = hosted.unlogged.filter(isLeft)
    if let change {
      let own = self.records(of: change, in: hosted.id)
      noteOwn(own, in: hosted)
      records += own
    }
    hosted.handle.addUnlogged(records.byteCount - hosted.unlogged.byteCount)
    hosted.unlogged = records
    hosted.retained.removeAll { !isLeft($0) }
    pending.records.removeAll { $0.document == hosted.id }
    pending.versions[hosted.id] = nil
    hosted.durable = hosted.durable.limited(to: counters)
    // What was made of the former state is no more: as if another had been merged, and folded.
    hosted.statesMerged += 1
    hosted.statesFolded += 1
    (hosted.cut, hosted.adopted, hosted.agedState, hosted.digest) = (nil, nil, nil, nil)
    // Who waits for what was given up waits for what takes its place.
    waiters.replaceVersion(in: hosted.id, with: version)
    let events = counters.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { refused, counter in
      former[refused] > counter
        ? EngineEvent.writtenAgain(hosted.id, refused, counter + 1...former[refused], as: replica) : nil
    }
    hosted.refused = RefusedChanges()
    hosted.retraction = Retraction(
      counters: counters, records: records, change: change, version: version, events: events)
    owe(hosted)
  }

  /// The log has it, or is given up.
  func publishWrittenAgain(_ hosted: HostedDocument) {
    guard let retraction = hosted.retraction else { return }
    hosted.retraction = nil
    if let change = retraction.change { publish([change], of: hosted, toSide: [change]) }
    publishOutbox(of: hosted)
    for event in retraction.events { report(event) }
    // They were told of a version that covers what was given up, and would ask for that for as long as the connection stands.
    for peer in peers.talking { begin(anew: peer) }
  }
}

extension Version {
  /// Covers no more of some replicas than is said.
  fileprivate func limited(to counters: [ReplicaID: UInt64]) -> Version {
    var version = self
    for (replica, counter) in counters where version[replica] > counter { version[replica] = counter }
    return version
  }
}
