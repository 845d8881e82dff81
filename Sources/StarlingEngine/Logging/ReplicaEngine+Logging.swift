package import StarlingCore
import StarlingSession
import StarlingWire

// The log, as `LogPipeline` decides: one job after the other is performed, and what follows from the log's answers
// (Documentation/Operating.md, "When the disk fails").
extension ReplicaEngine {
  /// Begins to tell the log what waits, if something does and nobody is at it.
  ///
  /// - Parameter isAwaited: somebody waits until it is durable.
  func startLogging(isAwaited: Bool = true) {
    if replication.pipeline.begins(now: clock.uptime(), isAwaited: isAwaited) {
      logging = begin { await $0.drainLog() }
    }
  }

  private func drainLog() async {
    while let job = await nextJobOfAll() {
      do {
        try await perform(job)
        decide { $0.logDone() }
      } catch {
        let error = error as? LogError ?? LogError(.unwritable, "The log refused.", cause: error, isTransient: false)
        decide { $0.logFailed(error) }
      }
    }
  }

  /// The next job, once those have written who are likely to write with the first of them, or have had time to: what
  /// they asked the engine before that runs at each yield.
  private func nextJobOfAll() async -> LogPipeline.Job? {
    var yieldCount = 0
    while yieldCount < Self.yieldCountMax, replication.awaitsWriters {
      await Task.yield()
      yieldCount += 1
    }
    return nextJob()
  }

  /// Together a fraction of what a commit takes.
  private static let yieldCountMax = 32

  private func nextJob() -> LogPipeline.Job? {
    let documents = replication.documents
    func handle(_ id: DocumentID) -> DocumentHandle? { documents.number(of: id).flatMap(document)?.handle }
    while let job = replication.pipeline.next(
      version: { handle($0)?.version ?? VersionVector() }, isWriting: { handle($0)?.isWriting ?? true },
      cut: { handle($0)?.cut() })
    {
      guard case .compact(let id, .cut, _, _) = job, let open = document(id) else { return job }
      takeOutbox(of: open)
      if let job = replication.bringOwn(withCompactionOf: open.number) { return job }
    }
    return nil
  }

  private func perform(_ job: LogPipeline.Job) async throws {
    switch job {
    case .keepWriters(let bindings): await configuration.noteWriters(bindings)
    case .append(let group):
      let began = clock.uptime()
      try await log.append(group.records)
      replication.counters.committed(group.records, took: clock.uptime() - began)
    case .forget(let document): try await log.forget(document)
    case .rememberGenerations: try await log.remember(StoredGenerations(replication.connections.generations))
    case .compact(let document, let state, let own, _):
      try await compact(document, into: await writeDown(state), appending: own)
    case .compactAged(let document, let state): try await compact(document, into: state, appending: [])
    case .rememberMembers(let document, let members): try await log.remember(members, of: document)
    case .giveUpRefused(let document): try await giveUpRefused(in: document)
    case .retract(let document, let retraction):
      try await log.retract(document, beyond: retraction.counters, appending: retraction.records)
    case .rememberLeases(let document, let record): try await log.remember(leases: record.entries, of: document)
    case .probe: try await log.append([])
    }
  }

  private func writeDown(_ state: Compaction.CompactedState) async -> StoredSnapshot {
    switch state {
    case .cut(let cut):
      let snapshot = await writeDown(cut)
      replication.pipeline.wroteDown(snapshot)
      return snapshot
    case .writtenDown(let snapshot): return snapshot
    }
  }

  private func compact(_ document: DocumentID, into snapshot: StoredSnapshot, appending own: [LogRecord]) async throws {
    let kept = configuration.keepsOwnChanges ? replication.kept(of: document) : [:]
    try await log.compact(document, into: snapshot, keeping: kept, appending: own)
    replication.counters.compactions += 1
    replication.counters.logged(own)
  }

  /// Returns once the disk holds whose the ids are that were bound or told.
  func keepWriters() async {
    let bindings = replication.pipeline.takeWriters()
    if !bindings.isEmpty { await configuration.noteWriters(bindings) }
  }
}

// For tests: what waits for the log.
extension ReplicaEngine {
  package var activeCount: Int { replication.documents.active.count }

  package var pendingRecordCount: Int { replication.pipeline.pendingRecordCount }

  package func durableVersion(of document: DocumentID) -> VersionVector { replication.pipeline.durable(of: document) }

  package var hasLogFailed: Bool { replication.pipeline.failure != nil }

  package var waiterCount: Int { replication.waiters.writerCount }

  package func retainedRecordCount(of document: DocumentID) -> Int { replication.pipeline[document].retained.count }

  package func unloggedRecordCount(of document: DocumentID) -> Int { replication.pipeline[document].unlogged.count }
}

extension ReplicaEngine {
  /// A state as the log keeps it, made beside the link's thread.
  ///
  /// - Complexity: O(state)
  func writeDown(_ cut: DocumentCut) async -> StoredSnapshot {
    let spanCountMin = configuration.keptTextSpanCountMin
    return await beginBeside { StoredSnapshot(of: cut, spanCountMin: spanCountMin) }.value
  }
}

extension StoredSnapshot {
  /// - Parameter spanCountMin: `EngineConfiguration.keptTextSpanCountMin`.
  /// - Complexity: O(state); not for the link's thread.
  init(of cut: DocumentCut, spanCountMin: Int) {
    self.init(version: cut.version, bytes: SnapshotCoding.encodeToKeep(cut, spanCountMin: spanCountMin))
  }
}
