public import StarlingCore
import StarlingSession
import StarlingWire

// Documents that are forgotten for good (Protocol/conversation.md, "Forgetting").
extension ReplicaEngine {
  /// Forgets a document for good: here, and at every member of the group as soon as it hears of it. What was written to
  /// it is gone from the log, its handle reads as empty and takes no writes, and no peer that was away brings it back.
  /// Its name cannot be used again in the group.
  ///
  /// - Parameters:
  ///   - document: The document to delete at every member.
  ///   - count: how many other stores must have forgotten it durably before the call returns.
  ///   - limit: how long to wait for them; nil for as long as it takes.
  /// - Throws: `ForgetError`, and nothing is forgotten; `LogError` where the log failed; `FlushError(.timedOut)` where
  ///   the others did not answer in time: it is forgotten here then, and by them when they hear of it.
  public func forget(_ document: DocumentID, confirmedBy count: Int = 0, timeout limit: Duration? = nil) async throws {
    guard phase == .running else {
      throw LogError(.misuse, "'\(document)' is forgotten while the replica is not running.")
    }
    try decide { try $0.forgetHere(document) }
    try await storeForgotten(document)
    guard count > 0 else { return }
    try await wait(
      Waiters.Wait(for: .forgotten(by: count), in: document, until: limit.map { clock.uptime() + $0 }))
  }

  /// The documents of the group that are forgotten, ascending by name.
  public var forgottenDocuments: [DocumentID] { replication.pipeline.forgotten.list() }

  private func storeForgotten(_ document: DocumentID) async throws {
    guard !replication.pipeline.forgotten.isStored(document) else { return }
    let number = waiting.makeNumber()
    replication.waiters.add(Waiters.Wait(for: .forgottenHere, in: document), as: number)
    try await waiting.wait(as: number, wakingOnCancel: nil)
  }
}
