public import StarlingCore
import StarlingSession

// Waiting until what others hold has come here: the counterpart of `flush`.
extension ReplicaEngine {
  /// Returns once `document` has caught up with every peer that is dialled, or with any, `limit` has passed, or the task
  /// is cancelled.
  ///
  /// - Returns: whether it caught up; false where a peer could not be reached or did not answer in time.
  @discardableResult
  public func synchronize(
    _ document: DocumentID, with goal: SynchronizeGoal = .everyPeer, atMost limit: Duration = .seconds(2)
  ) async -> Bool {
    guard phase == .running, let open = self.document(document) else { return false }
    discover()
    let wait = Waiters.Wait(
      for: .caughtUp(withEveryPeer: goal == .everyPeer), in: document, until: clock.uptime() + limit)
    let isThere = !replication.mustWait(wait, openTransaction: open.handle.openTransaction)
    if isThere, !replication.documents[open.number].tenure.isAwaited { return true }
    let number = replication.waiters.makeNumber()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: false) }
        replication.waiters.add(wait, as: number)
        continuations[number] = .telling(continuation)
      }
    } onCancel: {
      giveUp(number)
    }
  }
}
