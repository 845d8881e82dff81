public import StarlingCore
import StarlingSession

/// Whom `ReplicaEngine.synchronize` waits for.
public enum SynchronizeGoal: Sendable, Hashable {
  /// Every peer that is dialled.
  case everyPeer
  /// One of them: enough where they are daemons of one group, of which any has what the others have.
  case anyPeer
}

struct SynchronizeWaiter {
  let document: DocumentID
  let goal: SynchronizeGoal
  let deadline: Duration
  let continuation: CheckedContinuation<Bool, Never>
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
    if isSynchronized(document, goal), documents[document]?.tenure.isAwaited == false { return true }
    let number = makeWaiterNumber()
    let deadline = clock.uptime() + limit
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: false) }
        synchronizing[number] = SynchronizeWaiter(
          document: document, goal: goal, deadline: deadline, continuation: continuation)
      }
    } onCancel: {
      giveUp(number)
    }
  }

  private func isSynchronized(_ document: DocumentID, _ goal: SynchronizeGoal) -> Bool {
    guard let hosted = documents[document] else { return false }
    switch goal {
    case .everyPeer:
      // Whoever answers at an endpoint and is not trusted was hung up on.
      guard hosted.session.isCaughtUp, untrusted.isEmpty else { return false }
      return endpoints.values.allSatisfy { hosted.session.isFollowing(PeerNumber($0.peer.rawValue)) }
    case .anyPeer:
      return endpoints.values.contains { hosted.session.isFollowing(PeerNumber($0.peer.rawValue)) }
    }
  }

  func serveSynchronizing(now: Duration) {
    guard !synchronizing.isEmpty else { return }
    for (number, waiter) in synchronizing.sorted(by: { $0.key < $1.key }) {
      let isDone = isSynchronized(waiter.document, waiter.goal)
      // A loan is waited for as well, but its absence is no failure.
      let isAwaited = documents[waiter.document]?.tenure.isAwaited ?? false
      guard isDone && !isAwaited || now >= waiter.deadline || phase == .closed else { continue }
      synchronizing[number] = nil
      waiter.continuation.resume(returning: isDone)
    }
  }
}
