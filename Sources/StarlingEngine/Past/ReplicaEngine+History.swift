public import StarlingCore
import StarlingSession
import StarlingWire

// What was: read from the log, and brought back.
extension ReplicaEngine {
  /// A page of a document's history: who wrote, when, what. Everything written or merged before the call
  /// is in it.
  ///
  /// - Parameters:
  ///   - document: The document whose history is read.
  ///   - order: The newest or the oldest change first.
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
  /// - Throws: `HistoryError` where the version is forgotten (it names the log start and the policy that
  ///   compacted it), not known here, or none at which a replica can stand; `LogError`.
  /// - Complexity: O(state at the log start + changes since)
  public func document(_ document: DocumentID, at version: VersionVector) async throws -> HistoricDocument {
    let open = try running(document)
    if let present = present(of: open), present.version == version { return present }
    // What no log was asked to keep is not there to be read.
    if open.handle.version.covers(version) { try await flush(document, until: .durable) }
    return HistoricDocument(id: document, document: try await reader(of: document).document(at: version))
  }

  /// The document as it stands now.
  ///
  /// - Throws: `HistoryError` while a transaction is open.
  public func present(of document: DocumentID) throws -> HistoricDocument {
    guard let present = present(of: try running(document)) else { throw HistoryError.transactionOpen(document) }
    return present
  }

  /// Makes the document look as it did at `version`, by a change that writes what differs and nothing
  /// else, and that is undone, merged and read in history as any other. Objects that are gone come back as
  /// new ones with the same content; what others write at the same time survives as it does beside any write.
  ///
  /// - Parameters:
  ///   - document: The document to restore.
  ///   - version: As a change of the history names it.
  ///   - message: kept in the change.
  /// - Throws: as `document(_:at:)`; `OversizedWrite` where more differs than one change may hold. Then nothing
  ///   is written.
  public func restore(_ document: DocumentID, to version: VersionVector, message: String? = nil) async throws {
    let then = try await self.document(document, at: version)
    let open = try running(document)
    // The engine's thread is not to stand still for a transaction of another.
    if open.handle.isWrittenElsewhere { try await waitForTransaction(in: open, hasWritten: false) }
    try open.handle.rewrite(message: message) { $0.restore(like: then.document, patch: &$1) }
    takeOutbox(of: open)
  }

  private func present(of open: OpenDocument) -> HistoricDocument? {
    open.handle.copy().map { HistoricDocument(id: open.id, document: $0) }
  }

  func reader(of document: DocumentID) -> LogReader {
    LogReader(
      log: log, document: document, policy: configuration.history,
      keptTextSpanCountMin: configuration.keptTextSpanCountMin)
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
        id: historic.id, replica: drawReplicaID(), document: historic.document, now: clock.wallMilliseconds))
  }

  /// How a fork is merged back.
  public enum MergeForm: Hashable, Sendable {
    /// What was written in the fork, change by change: it becomes part of the history.
    case changes
    /// The fork's state in one step. History begins again above it.
    case state
  }

  /// Merges what was written in a fork into the document that it was taken from, for everybody. May be
  /// repeated; what came before changes nothing.
  ///
  /// With `.changes`, where a change rests on something that was removed since the fork was taken, and that members may
  /// have forgotten, that change and the later ones are not merged. What the fork shows through them is written again,
  /// as one change of this replica; then the fork goes on from the document as it stands, under another replica id.
  ///
  /// - Throws: `HistoryError` where the fork stands on something that has not come here, or cannot be
  ///   merged; with `.state` while a transaction of the fork is open; with `.changes` while a transaction of the
  ///   document is, if something came since the fork was taken. Where contents must be written again also while a
  ///   transaction of either is open, and `OversizedWrite` where they are more than one change may hold: then none of
  ///   them is written, and the merge can be repeated.
  public func merge(_ fork: ForkedDocument, as form: MergeForm = .changes) throws {
    let open = try running(fork.id)
    // The fork may stand on what waits there.
    takeOutbox(of: open)
    let merge = ForkMerge(of: fork, into: open.handle)
    switch form {
    case .changes:
      let (merged, isWhole) = try merge.changes(acknowledged: replication.pipeline.durable(of: open.id))
      decide { $0.merged(fork: merged, writtenAs: fork.handle.replica, in: open.number) }
      try merge.finish(merged, isWhole: isWhole, goingOnAs: drawReplicaID)
    case .state:
      let merged = try merge.state()
      decide { $0.merged(stateOfFork: merged, in: open.number) }
    }
    takeOutbox(of: open)
    startLogging()
  }
}
