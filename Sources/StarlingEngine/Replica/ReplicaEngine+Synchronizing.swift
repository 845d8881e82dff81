public import StarlingCore
import StarlingSession

/// The peers that `ReplicaEngine.synchronize` waits for.
public enum SynchronizeGoal: Sendable, Hashable {
  /// Every peer that is dialled.
  case everyPeer
  /// One of them: enough where they are daemons of one group, each with what the others have.
  case anyPeer
}

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
    guard phase == .running, documents[document] != nil else { return false }
    discover()
    let wait = Waiters.Wait(
      for: .caughtUp(withEveryPeer: goal == .everyPeer), in: document, until: clock.uptime() + limit)
    let facts = facts(of: document)
    if facts.satisfy(wait), !facts.isLeaseAwaited { return true }
    let number = waiters.makeNumber()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: false) }
        waiters.add(wait, as: number)
        continuations[number] = .telling(continuation)
      }
    } onCancel: {
      giveUp(number)
    }
  }

  func isCaughtUpWithEveryPeer(_ hosted: HostedDocument) -> Bool {
    // Whoever answers at an endpoint and is not trusted was hung up on.
    guard hosted.session.isCaughtUp, !endpoints.hasUntrusted else { return false }
    return endpoints.connections.allSatisfy { hosted.session.isFollowing($0.peer) }
  }

  func isCaughtUpWithAnyPeer(_ hosted: HostedDocument) -> Bool {
    endpoints.connections.contains { hosted.session.isFollowing($0.peer) }
  }
}
