package import StarlingCore
import StarlingSession
import StarlingWire

// The log, as `LogPipeline` decides: one job after the other is performed, and what follows from the log's answers
// (Documentation/Operating.md, "When the disk fails").
extension ReplicaEngine {
  func enqueue(_ records: [LogRecord], in hosted: HostedDocument) {
    guard let byteCount = pipeline.enqueue(records, in: hosted.id) else { return }
    rouse(hosted)
    hosted.handle.addUnlogged(byteCount)
    perform(pipeline.boundBacklog(of: hosted.id, byteCount: hosted.handle.backlogByteCount))
  }

  /// Begins to tell the log what waits, if something does and nobody is at it.
  func startLogging() {
    if pipeline.begins(now: clock.uptime()) { logging = begin { await $0.drainLog() } }
  }

  private func drainLog() async {
    while let job = pipeline.next(
      version: { documents[$0]?.handle.version ?? Version() }, isWriting: { documents[$0]?.handle.isWriting ?? true },
      cut: { documents[$0]?.handle.cut() })
    {
      do {
        try await perform(job)
        perform(pipeline.done(now: clock.uptime()))
      } catch {
        let error = error as? LogError ?? LogError(.unwritable, "The log refused.", cause: error, isTransient: false)
        perform(pipeline.failed(error, now: clock.uptime()))
      }
    }
  }

  private func perform(_ job: LogPipeline.Job) async throws {
    switch job {
    case .keepWriters(let bindings): await configuration.noteWriters(bindings)
    case .append(let group):
      let began = clock.uptime()
      try await log.append(group.records)
      noteCommit(of: group.records, took: clock.uptime() - began)
    case .forget(let document): try await log.forget(document)
    case .rememberGenerations: try await log.remember(storedGenerations)
    case .fold(let document, let state, _):
      let snapshot = await writeDown(state)
      pipeline.wroteDown(snapshot)
      try await fold(document, into: snapshot)
    case .foldAged(let document, let state): try await fold(document, into: state)
    case .rememberMembers(let document, let members): try await log.remember(members, of: document)
    case .giveUpRefused(let document): try await giveUpRefused(in: document)
    case .retract(let document, let retraction):
      try await log.retract(document, beyond: retraction.counters, appending: retraction.records)
    case .rememberLeases(let document, let record): try await log.remember(leases: record.entries, of: document)
    case .probe: try await log.append([])
    }
  }

  private func noteCommit(of records: [LogRecord], took duration: Duration) {
    counters.commits += 1
    counters.recordsLogged += records.count
    counters.bytesLogged += records.byteCount
    counters.commitMicroseconds.add(duration.microseconds)
  }

  private func writeDown(_ state: Compaction.FoldedState) async -> StoredSnapshot {
    switch state {
    // It may hold writes that are still in the outbox; they get their records as well.
    case .cut(let cut): await beginBeside { StoredSnapshot(of: cut) }.value
    case .writtenDown(let snapshot): snapshot
    }
  }

  private func fold(_ document: DocumentID, into snapshot: StoredSnapshot) async throws {
    try await log.fold(document, into: snapshot, keeping: documents[document].map(kept) ?? [:])
    counters.folds += 1
  }

  /// Our own changes that no other durable store is known to hold. The state may hold some whose records are still to come.
  private func kept(in hosted: HostedDocument) -> [ReplicaID: UInt64] {
    guard configuration.keepsOwnChanges else { return [:] }
    _ = hosted.own.note(hosted.handle.replica)
    return hosted.own.acknowledged
  }

  // MARK: What follows

  func perform(_ effects: [LogPipeline.Effect]) {
    for effect in effects {
      switch effect {
      case .relieved(let document, let byteCount):
        guard let hosted = documents[document] else { continue }
        hosted.handle.addUnlogged(-byteCount)
        roomMayHaveCome(in: hosted)
      case .dropped(_, let recordCount): counters.recordsDropped += recordCount
      case .durable(let document): documents[document].map(becameDurable)
      case .appended(let document): documents[document].map(reviewCheckpoint)
      case .forgotten(let document): stored(forgotten: document)
      case .tell(let answer, let document): tell(answer, in: document)
      case .writtenAgain(let document, let retraction): publish(retraction, in: document)
      case .failed(let error, let isNews, let isLost):
        counters.logFailures += 1
        if isNews { report(.logFailed(error)) }
        perform(waiters.logFailed(isLost: isLost))
      case .recovered(let outage): recovered(after: outage)
      }
    }
  }

  private func becameDurable(_ hosted: HostedDocument) {
    hosted.acknowledgements.mark()
    rouse(hosted)
    acknowledgeIfDue(hosted, now: clock.uptime())
    serveWaiters(of: hosted)
    settleLeases(of: hosted)
  }

  /// The log accepts writes again.
  private func recovered(after outage: Duration) {
    // It could only be read when it was opened, and can be written now.
    if identity.refusal != nil {
      identity.refusal = nil
      identity.isDurable = true
    }
    counters.logRecoveries += 1
    report(.logRecovered(after: outage))
    // Peers that heard meanwhile that nothing is kept here learn that it is.
    for peer in peers.talking where peers[peer]?.isRefused == false { greet(peer, wantsReply: false) }
    for hosted in documentsInOrder {
      hosted.acknowledgements.mark()
      rouse(hosted)
      roomMayHaveCome(in: hosted)
    }
  }

  /// Operations that the log has not accepted, of each document that has such.
  var unsaved: [DocumentID: UInt64] {
    var unsaved: [DocumentID: UInt64] = [:]
    for hosted in documentsInOrder {
      let (version, durable) = (hosted.handle.version, pipeline[hosted.id].durable)
      guard !durable.covers(version) else { continue }
      unsaved[hosted.id] = version.entries.reduce(0) { $0 + ($1.counter - min($1.counter, durable[$1.replica])) }
    }
    return unsaved
  }
}

// For tests: what waits for the log.
extension ReplicaEngine {
  package var pendingRecordCount: Int { pipeline.pendingRecordCount }

  package func durableVersion(of document: DocumentID) -> Version { pipeline[document].durable }

  package var hasLogFailed: Bool { pipeline.failure != nil }

  package var waiterCount: Int { waiters.writerCount }

  package func retainedRecordCount(of document: DocumentID) -> Int { pipeline[document].retained.count }

  package func unloggedRecordCount(of document: DocumentID) -> Int { pipeline[document].unlogged.count }
}

extension StoredSnapshot {
  /// - Complexity: O(state); not for the link's thread.
  init(of cut: DocumentCut) { self.init(version: cut.version, bytes: SnapshotCoding.encode(cut)) }
}

extension Duration {
  /// Whole ones; held at what an `Int` holds.
  fileprivate var microseconds: Int {
    let (seconds, attoseconds) = components
    let (product, overflow) = Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max : product &+ Int(attoseconds / 1_000_000_000_000)
  }
}
