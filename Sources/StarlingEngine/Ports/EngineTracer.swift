public import StarlingCore

/// Sees what happens to changes, for whoever traces them: where they are handed to the link, and where they merge.
///
/// ```
///   one process    write ─ origin ─► outbox ─► publishing { encode, link, log }
///   another                                         merging { document, readers, log, relay }
/// ```
///
/// What is seen here and there is the same work if it names the same changes: no frame says anything of traces
/// (Documentation/Decisions/traces-are-joined-by-names.md). An engine without a tracer asks for nothing of all this.
public protocol EngineTracer: Sendable {
  /// Asked on the writing thread before each write: what is to be known of it when it is published. Nil for nothing.
  func origin() -> (any Sendable)?

  /// Calls `body`, which publishes these changes.
  ///
  /// - Parameters:
  ///   - work: The changes.
  ///   - origins: What `origin()` returned for them, where it returned anything.
  ///   - body: Publishes them.
  func publishing(_ work: TracedWork, origins: [any Sendable], _ body: () -> Void)

  /// Calls `body`, which merges these changes.
  func merging(_ work: TracedWork, _ body: () -> Void)
}

/// Changes that are published or merged at one time.
public struct TracedWork: Sendable, Hashable {
  /// The document that the changes are of.
  public var document: DocumentID
  /// How many changes.
  public var changeCount: Int
  /// The last operations of the first and of the last change: with their replica ids they name both everywhere.
  public var first: Dot
  /// The last operation of the last change.
  public var last: Dot

  /// Nil where there are none.
  init?(_ document: DocumentID, changeCount: Int, lastDots: some BidirectionalCollection<Dot>) {
    guard let first = lastDots.first, let last = lastDots.last else { return nil }
    self.document = document
    self.changeCount = changeCount
    self.first = first
    self.last = last
  }
}
