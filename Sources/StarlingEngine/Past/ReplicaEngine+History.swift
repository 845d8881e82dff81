public import StarlingCore
import StarlingSession
import StarlingWire

// What was: read from the log, and brought back.
extension ReplicaEngine {
  /// A page of a document's history: who wrote, when, what. Everything written or merged before the call
  /// is in it.
  ///
  /// - Parameters:
  ///   - cursor: the end of the page before; nil begins.
  ///   - countMax: at most this many changes.
  ///   - isDetailed: whether the summaries name the slots that were touched.
  /// - Throws: `LogError` where the log failed or the document is not open; `HistoryError`.
  public func historyPage(
    of document: DocumentID, _ order: HistoryOrder = .newestFirst, from cursor: HistoryCursor? = nil,
    atMost countMax: Int = 100, isDetailed: Bool = false
  ) async throws -> HistoryPage {
    precondition(countMax > 0, "A page of no changes has no end.")
    precondition(cursor.map { $0.order == order } ?? true, "A page goes on in the order of the page before.")
    if cursor == nil { try await flush(document, until: .durable) }
    return try await reader(of: document).page(order, from: cursor, atMost: countMax, isDetailed: isDetailed)
  }

  /// A document's history, change by change, read a page at a time.
  public nonisolated func history(
    of document: DocumentID, _ order: HistoryOrder = .newestFirst, isDetailed: Bool = false
  ) -> DocumentHistory {
    DocumentHistory { cursor in
      try await self.historyPage(of: document, order, from: cursor, isDetailed: isDetailed)
    }
  }

  /// The document as it stood at `version`, from the state below it in the log and the changes that the
  /// version covers.
  ///
  /// - Throws: `HistoryError` where the version is forgotten (it names the log's floor and the policy that
  ///   folded it), not known here, or none at which a replica can stand; `LogError`.
  /// - Complexity: O(state at the floor + changes since)
  public func document(_ document: DocumentID, at version: Version) async throws -> HistoricDocument {
    let hosted = try opened(document)
    if let present = present(of: hosted), present.version == version { return present }
    // What no log was asked to keep is not there to be read.
    if hosted.handle.version.covers(version) { try await flush(document, until: .durable) }
    return HistoricDocument(id: document, document: try await reader(of: document).document(at: version))
  }

  /// The document as it stands now.
  ///
  /// - Throws: `HistoryError` while a transaction is open.
  public func present(of document: DocumentID) throws -> HistoricDocument {
    guard let present = present(of: try opened(document)) else { throw transactionOpen(document) }
    return present
  }

  /// Makes the document look as it did at `version`, by a change that writes what differs and nothing
  /// else, and that is undone, merged and read in history as any other. Objects that are gone come back as
  /// new ones with the same content; what others write meanwhile survives as it does beside any write.
  ///
  /// - Parameter message: kept in the change.
  /// - Throws: as `document(_:at:)`; `OversizedWrite` where more differs than one change may hold. Then nothing
  ///   is written.
  public func restore(_ document: DocumentID, to version: Version, message: String? = nil) async throws {
    let then = try await self.document(document, at: version)
    let hosted = try opened(document)
    // The engine's thread is not to stand still for a transaction of another.
    if hosted.handle.isWrittenElsewhere { try await waitForTransaction(in: hosted, hasWritten: false) }
    try hosted.handle.rewrite(message: message) { $0.restore(like: then.document, patch: &$1) }
    publishOutbox(of: hosted)
  }

  private func present(of hosted: HostedDocument) -> HistoricDocument? {
    hosted.handle.copy().map { HistoricDocument(id: hosted.id, document: $0) }
  }

  private func transactionOpen(_ document: DocumentID) -> HistoryError {
    HistoryError(.transactionOpen, "A transaction of '\(document)' is open, whose half nobody may see.")
  }

  private func opened(_ document: DocumentID) throws -> HostedDocument {
    guard phase == .running, let hosted = documents[document] else {
      throw LogError(.misuse, "'\(document)' is not open.")
    }
    return hosted
  }

  func reader(of document: DocumentID) -> LogReader {
    LogReader(log: log, document: document, policy: configuration.history)
  }

  // MARK: Forks

  /// An independent copy of the document as it stands, under a replica id of its own.
  ///
  /// - Throws: `HistoryError` while a transaction is open.
  public func fork(_ document: DocumentID) throws -> ForkedDocument {
    fork(try present(of: document))
  }

  /// An independent copy of a document as it stood.
  public func fork(_ historic: HistoricDocument) -> ForkedDocument {
    ForkedDocument(
      handle: DocumentHandle(
        id: historic.id, replica: newReplicaID(), document: historic.document, now: clock.wallMilliseconds))
  }

  /// How a fork is merged back.
  public enum MergeForm: Hashable, Sendable {
    /// What was written in the fork, change by change: it becomes part of the history.
    case changes
    /// The fork's state in one step. History begins anew above it.
    case state
  }

  /// Merges what was written in a fork into the document that it was taken from, for everybody. May be
  /// repeated; what came before changes nothing.
  ///
  /// - Throws: `HistoryError` where the fork stands on something that has not come here, or cannot be
  ///   merged; with `.state` while a transaction of the fork is open.
  public func merge(_ fork: ForkedDocument, as form: MergeForm = .changes) throws {
    let hosted = try opened(fork.id)
    // The fork may stand on what waits there.
    publishOutbox(of: hosted)
    switch form {
    case .changes: try mergeChanges(of: fork, into: hosted)
    case .state: try mergeState(of: fork, into: hosted)
    }
    publishOutbox(of: hosted)
    startLogging()
  }

  private func mergeChanges(of fork: ForkedDocument, into hosted: HostedDocument) throws {
    let version = hosted.handle.version
    guard version.covers(fork.base) else {
      throw HistoryError(.notHere, "The fork of '\(fork.id)' stands at \(fork.base), which has not come here yet.")
    }
    let merged = hosted.handle.merge(fork.changes().filter { $0.lastCounter > version[$0.replica] })
    counters.changesMerged += merged.changeCount
    let records = records(of: merged, in: hosted.id)
    noteOwn(records.filter { $0.replica == fork.handle.replica }, in: hosted)
    enqueue(records, in: hosted)
    // Whoever relays or not: nobody else publishes what was written here.
    publish(merged.changes, of: hosted, toSide: merged.changes)
    // What the fork stands on was let go of here; its state has it.
    if !merged.anchorsLacking.isEmpty { return try mergeState(of: fork, into: hosted) }
    if let refused = merged.refused {
      throw HistoryError(.unreadable, "The fork of '\(fork.id)' cannot be merged.", cause: refused)
    }
  }

  private func mergeState(of fork: ForkedDocument, into hosted: HostedDocument) throws {
    guard let cut = fork.handle.cut() else { throw transactionOpen(fork.id) }
    do {
      let merged = try hosted.handle.merge(Document(cut.snapshot()))
      pipeline.mergedState(in: hosted.id)
      enqueue(records(of: merged, in: hosted.id), in: hosted)
    } catch {
      throw HistoryError(.unreadable, "The fork of '\(fork.id)' cannot be merged.", cause: error)
    }
  }
}
