public import StarlingCore
import StarlingSession

// Waiting until what others hold has come here: the counterpart of `flush`.
extension ReplicaEngine {
  /// Returns once `document` has caught up with every peer that is dialled, or with any, `limit` has passed, or the
  /// task is cancelled.
  ///
  /// - Returns: whether it caught up; false where a peer could not be reached or did not answer in time.
  @discardableResult
  public func synchronize(
    _ document: DocumentID, with goal: SynchronizeGoal = .everyPeer, timeout limit: Duration = .seconds(2)
  ) async -> Bool {
    guard phase == .running, self.document(document) != nil else { return false }
    discover()
    let wait = Waiters.Wait(
      for: .caughtUp(withEveryPeer: goal == .everyPeer), in: document, until: clock.uptime() + limit)
    return await (try? self.wait(wait)) != nil
  }
}
