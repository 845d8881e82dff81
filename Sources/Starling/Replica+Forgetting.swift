public import StarlingCore
import StarlingEngine

extension Replica {
  /// Forgets a document of the group for good, here and at every member as soon as it hears of it: its log is removed, open
  /// handles and models of it read as empty and take no writes, and its name cannot be used again in the group.
  ///
  /// At a daemon with keys only a key with the role `relays` may; whoever is let in without a key may too.
  ///
  /// - Parameters:
  ///   - document: not the main document, which stays.
  ///   - count: how many other stores must have forgotten it durably before the call returns.
  ///   - limit: How long to wait for the other members; nil for as long as it takes.
  /// - Throws: `ForgetError`, and nothing is forgotten; `LogError` where the log failed; `FlushError(.timedOut)` where the
  ///   others did not answer in time: it is forgotten here then, and by them when they hear of it.
  public func forget(_ document: DocumentID, confirmedBy count: Int = 0, atMost limit: Duration? = nil) async throws {
    try await engine.forget(document, confirmedBy: count, atMost: limit)
  }

  /// The documents of the group that are forgotten, ascending by name.
  public func forgottenDocuments() async -> [DocumentID] { await engine.forgottenDocuments }
}
