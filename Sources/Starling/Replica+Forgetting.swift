public import StarlingCore
import StarlingEngine

extension Replica {
  /// Deletes a document of the group for good, here at once and at every other member when the deletion reaches it. Its
  /// log is removed, its open handles and models read as empty and refuse writes, and its name cannot be used again in
  /// the group.
  ///
  /// A daemon with keys allows it to keys with the role `relays`, and to processes that need no key.
  ///
  /// - Parameters:
  ///   - document: not the main document, which stays.
  ///   - count: how many other stores must have forgotten it durably before the call returns.
  ///   - limit: How long to wait for the other members; nil for as long as it takes.
  /// - Throws: `ForgetError`, and nothing is forgotten; `LogError` if the log failed; `FlushError(.timedOut)` if the
  ///   others did not answer in time: then it is forgotten here, and by them when the deletion reaches them.
  public func forget(_ document: DocumentID, confirmedBy count: Int = 0, timeout limit: Duration? = nil) async throws {
    try await engine.forget(document, confirmedBy: count, timeout: limit)
  }

  /// The documents of the group that are forgotten, ascending by name.
  public func forgottenDocuments() async -> [DocumentID] { await engine.forgottenDocuments }
}
