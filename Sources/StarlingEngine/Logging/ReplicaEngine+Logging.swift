package import StarlingCore
import StarlingGuard
import StarlingSession
import StarlingWire

/// What waits for the next group commit.
struct PendingAppend {
  var records: [LogRecord] = []
  /// For each document, the version that stands once the records are appended.
  var versions: [DocumentID: Version] = [:]
}

// The log, and what follows from its answers: acknowledgements, and writers that wait (`ReplicaEngine+Waiting.swift`).
extension ReplicaEngine {
  func enqueue(_ records: [LogRecord], in hosted: HostedDocument) {
    guard !isLogLost, !hosted.isForgotten else { return }
    rouse(hosted)
    pending.records.append(contentsOf: records)
    hosted.unlogged.append(contentsOf: records)
    hosted.handle.addUnlogged(records.byteCount)
    boundBacklog(of: hosted)
  }

  /// The log is to be told something of the document beside records: a state, members, loans.
  func owe(_ hosted: HostedDocument) {
    guard !hosted.isOwing, !hosted.isForgotten else { return }
    hosted.isOwing = true
    owing.append(hosted)
  }

  /// Begins a group commit if there is something to commit and none under way.
  func startLogging() {
    guard logging == nil else { return }
    if logError != nil {
      guard logRetry.isDue(clock.uptime()) else { return }
    } else {
      guard
        !pending.records.isEmpty || !connections.writersToKeep.isEmpty || forgotten.isToStore
          || connections.generations.isChanged
          || owing.contains(where: \.owesLog)
      else { return }
    }
    logging = begin { await $0.drainLog() }
  }

  /// Appends until nothing waits. One at a time: what comes meanwhile is the next group. Groups and the rest take turns:
  /// without pause between the groups nothing else would ever have its turn, and peers may have thousands of documents
  /// opened of which the log is told something.
  private func drainLog() async {
    defer {
      logging = nil
      owing.removeAll { hosted in
        hosted.isOwing = hosted.owesLog || isFoldDue(hosted)
        return !hosted.isOwing
      }
    }
    do {
      var isTurnOfGroup = false
      while true {
        if !connections.writersToKeep.isEmpty {
          // Before anything that was written under them.
          await keepWriters()
          continue
        }
        if isTurnOfGroup, let group = takeGroup() {
          try await append(group)
          isTurnOfGroup = false
          noteLogWorks()
          continue
        }
        isTurnOfGroup = true
        if let document = forgotten.takeToStore() {
          try await keeping({ forgotten.putBack() }) { try await log.forget(document) }
          commitCount += 1
          stored(forgotten: document)
        } else if let generations = takeGenerations() {
          try await keeping({ connections.generations.isChanged = true }) { try await log.remember(generations) }
          commitCount += 1
        } else if let (hosted, state) = takeFold() {
          try await fold(hosted, into: state)
        } else if let (hosted, state) = takeAgedState() {
          try await keeping({ hosted.agedState = hosted.agedState ?? state }) {
            try await fold(hosted, intoAged: state)
          }
        } else if let (hosted, members) = takeMembersToRemember() {
          try await keeping({ hosted.membersToRemember = hosted.membersToRemember ?? members }) {
            try await log.remember(members, of: hosted.id)
          }
          commitCount += 1
        } else if let hosted = nextRefused() {
          try await writeAgain(hosted)
        } else if let (hosted, record) = takeLeasesToRemember() {
          try await keeping({ hosted.putBack(record) }) { try await store(record, of: hosted) }
        } else if let group = takeGroup() {
          try await append(group)
        } else if logError != nil {
          // Nothing waits that would show whether it works again.
          try await log.append([])
        } else {
          return
        }
        noteLogWorks()
      }
    } catch {
      logging = nil
      fail(error as? LogError ?? LogError(.unwritable, "The log refused.", cause: error, isTransient: false))
    }
  }

  private func append(_ group: PendingAppend) async throws {
    let began = clock.uptime()
    try await keeping({ putBack(group) }) { try await log.append(group.records) }
    commitCount += 1
    noteCommit(of: group, took: clock.uptime() - began)
    accepted(group)
  }

  /// Runs `body`; where it throws, what it was to store waits again.
  func keeping(_ putBack: () -> Void, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch {
      putBack()
      throw error
    }
  }

  /// What is appended next. Records of a document whose state must be folded first stay: they may
  /// stand on what only the state holds. So do those of a document whose members are to be stored: under which ids we write
  /// is among those, and stored first.
  private func takeGroup() -> PendingAppend? {
    var group = pending
    pending = PendingAppend()
    // A group that the log refused may have been put back meanwhile.
    if !forgotten.isEmpty {
      group.records.removeAll { forgotten.contains($0.document) }
      group.versions = group.versions.filter { !forgotten.contains($0.key) }
    }
    let blocked = Set(
      owing.lazy.filter { $0.mustFold || $0.membersToRemember != nil || $0.retraction != nil }.map(\.id))
    if !blocked.isEmpty {
      pending.records = group.records.filter { blocked.contains($0.document) }
      pending.versions = group.versions.filter { blocked.contains($0.key) }
      group.records.removeAll { blocked.contains($0.document) }
      for document in blocked { group.versions[document] = nil }
    }
    return group.records.isEmpty ? nil : group
  }

  private func noteCommit(of group: PendingAppend, took duration: Duration) {
    counters.commits += 1
    counters.recordsLogged += group.records.count
    counters.bytesLogged += group.records.byteCount
    counters.commitMicroseconds.add(duration.microseconds)
  }

  private func accepted(_ group: PendingAppend) {
    for (document, records) in Dictionary(grouping: group.records, by: \.document) {
      guard let hosted = documents[document] else { continue }
      hosted.unlogged.removeFirst(records.count)
      let byteCount = records.byteCount
      hosted.recordByteCount += byteCount
      hosted.checkpoints.recordByteCount += byteCount
      hosted.handle.addUnlogged(-byteCount)
      roomMayHaveCome(in: hosted)
      if hosted.answersReading > 0 { hosted.retained.append(contentsOf: records) }
      if isFoldDue(hosted) { owe(hosted) }
    }
    for (document, version) in group.versions.sorted(by: { $0.key.name < $1.key.name }) {
      guard let hosted = documents[document] else { continue }
      advance(hosted, to: version)
      reviewCheckpoint(of: hosted)
    }
  }

  /// What is held without a record in between: nothing to append, yet durable all the same.
  func advance(_ hosted: HostedDocument, to version: Version) {
    guard !hosted.durable.covers(version) else { return }
    hosted.durable.merge(version)
    hosted.mustAcknowledge = true
    rouse(hosted)
    acknowledgeIfDue(hosted, now: clock.uptime())
    serveWaiters(of: hosted)
    settleLeases(of: hosted)
  }

  // MARK: Folding

  private enum FoldedState {
    case cut(DocumentCut)
    /// As it came.
    case adopted(StoredSnapshot)
  }

  /// A document that is to be folded and can be: none of whose transactions is open.
  private func takeFold() -> (HostedDocument, FoldedState)? {
    for hosted in owing where isFoldDue(hosted) && hosted.retraction == nil {
      if let adopted = hosted.adopted {
        hosted.adopted = nil
        if adopted.statesMerged == hosted.statesMerged { return (hosted, .adopted(adopted.snapshot)) }
      }
      if let cut = hosted.handle.cut() { return (hosted, .cut(cut)) }
    }
    return nil
  }

  func isFoldDue(_ hosted: HostedDocument) -> Bool {
    if hosted.mustFold { return true }
    guard case .stateOnly(let byteCountMin) = configuration.history else { return false }
    return hosted.recordByteCount > max(byteCountMin, 2 * hosted.snapshotByteCount, hosted.foldByteCountMin)
  }

  private func fold(_ hosted: HostedDocument, into state: FoldedState) async throws {
    let states = hosted.statesMerged
    let snapshot: StoredSnapshot
    switch state {
    case .cut(let cut):
      // It may hold writes that are still in the outbox; they get their records as well.
      let bytes = await beginBeside { SnapshotCoding.encode(cut) }.value
      snapshot = StoredSnapshot(version: cut.version, bytes: bytes)
    case .adopted(let adopted): snapshot = adopted
    }
    do {
      try await log.fold(hosted.id, into: snapshot, keeping: kept(in: hosted))
    } catch let error as LogError where error.isTransient && !hosted.mustFold {
      // It only saves room. What waits to be appended needs less of it, and shows whether the log has failed.
      hosted.foldByteCountMin = hosted.recordByteCount + max(snapshot.bytes.count, hosted.recordByteCount)
      guard logError == nil else { throw error }
      return
    }
    hosted.foldByteCountMin = 0
    hosted.snapshotByteCount = snapshot.bytes.count
    hosted.recordByteCount = 0
    hosted.checkpoints.folded(into: snapshot)
    commitCount += 1
    counters.folds += 1
    hosted.floor = snapshot.version
    hosted.statesFolded = states
    advance(hosted, to: snapshot.version)
  }

  /// Our own changes that no other durable store is known to hold. The state may hold some whose records are still to come.
  func kept(in hosted: HostedDocument) -> [ReplicaID: UInt64] {
    guard configuration.keepsOwnChanges else { return [:] }
    _ = hosted.own.note(hosted.handle.replica)
    return hosted.own.acknowledged
  }

  // MARK: Acknowledging

  /// Tells those whom we follow what we hold, at most once an interval; again with each heartbeat,
  /// for those who joined or were lost to us meanwhile.
  func acknowledgeIfDue(_ hosted: HostedDocument, now: Duration) {
    guard owesAcknowledgement(hosted), now >= hosted.nextAcknowledgement else { return }
    hosted.nextAcknowledgement = now + configuration.acknowledgementInterval
    let version = hosted.handle.acknowledgeable(of: hosted.durable)
    // What is held back is told as soon as it may be.
    hosted.mustAcknowledge = version != hosted.durable
    guard !version.isEmpty else { return }
    let toSide = Message.acknowledge(hosted.id, version, behind: hosted.behind.side).encoded()
    let toOthers =
      hosted.behind.side == hosted.behind.all
      ? toSide : Message.acknowledge(hosted.id, version, behind: hosted.behind.all).encoded()
    for peer in connections.followed {
      send(connections.isBeside(peer) ? toSide : toOthers, to: peer)
    }
  }

  /// Tells one of them alone, who was told nothing yet.
  func acknowledge(_ hosted: HostedDocument, to peer: PeerHandle) {
    guard logError == nil else { return }
    let version = hosted.handle.acknowledgeable(of: hosted.durable)
    guard !version.isEmpty else { return }
    say(
      .acknowledge(hosted.id, version, behind: connections.isBeside(peer) ? hosted.behind.side : hosted.behind.all),
      to: peer)
  }

  /// Whether there is something to tell them, at once or when the interval has passed.
  func owesAcknowledgement(_ hosted: HostedDocument) -> Bool {
    hosted.mustAcknowledge && !hosted.durable.isEmpty && logError == nil
  }

  func receiveAcknowledgement(
    of document: DocumentID, _ version: Version, behind: Version?, from peer: PeerHandle
  ) {
    // Nobody waits for a reader: it writes nothing that could stand on what was let go of, and promises nothing.
    guard let hosted = documents[document], let hello = peers[peer]?.hello, trust(in: peer).mayWrite else { return }
    perform(connections.hearFollower(peer))
    let version = connections.heeded(version, from: peer, beside: hosted.handle.version)
    let isKept = hosted.members.acknowledge(
      hello.store, version, behind: behind, beside: hosted.handle.version, isDurable: hello.isDurable,
      isBeside: connections.isBeside(peer), now: clock.wallMilliseconds())
    if !isKept {
      let limit = Members.Policy().strangerCountMax
      refuse(peer, Budgets.Overdraft(.versionEntries, limit: limit, isOfProcess: true), in: document)
    }
    if hello.isDurable { hosted.own.acknowledge(version, held: hosted.handle.version) }
    serveWaiters(of: hosted)
    noteDue(hosted)
  }

}

// For tests: what waits for the log.
extension ReplicaEngine {
  package var pendingRecordCount: Int { pending.records.count }

  package func durableVersion(of document: DocumentID) -> Version { documents[document]?.durable ?? Version() }

  package var hasLogFailed: Bool { logError != nil }

  package var waiterCount: Int { waiters.writerCount }

  package func retainedRecordCount(of document: DocumentID) -> Int { documents[document]?.retained.count ?? 0 }

  package func unloggedRecordCount(of document: DocumentID) -> Int { documents[document]?.unlogged.count ?? 0 }
}

extension Duration {
  /// Whole ones; held at what an `Int` holds.
  fileprivate var microseconds: Int {
    let (seconds, attoseconds) = components
    let (product, overflow) = Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max : product &+ Int(attoseconds / 1_000_000_000_000)
  }
}

extension [LogRecord] {
  var byteCount: Int { reduce(0) { $0 + $1.bytes.count } }
}
