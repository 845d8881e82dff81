public import StarlingCore
import StarlingSession

struct SynchronizeWaiter {
  let document: DocumentID
  let deadline: Duration
  let continuation: CheckedContinuation<Bool, Never>
}

// Waiting until what others hold has come here: the counterpart of `flush`.
extension ReplicaEngine {
  /// Returns once `document` has caught up with every peer that is dialled, or `limit` has passed.
  ///
  /// - Returns: whether it caught up; false where a peer could not be reached or did not answer in time.
  @discardableResult
  public func synchronize(_ document: DocumentID, atMost limit: Duration = .seconds(2)) async -> Bool {
    guard phase == .running, documents[document] != nil else { return false }
    discover()
    if isSynchronized(document), documents[document]?.tenure.isAwaited == false { return true }
    return await withCheckedContinuation { continuation in
      synchronizing.append(
        SynchronizeWaiter(document: document, deadline: clock.uptime() + limit, continuation: continuation))
    }
  }

  private func isSynchronized(_ document: DocumentID) -> Bool {
    guard let hosted = documents[document], hosted.session.isCaughtUp else { return false }
    return endpoints.values.allSatisfy { hosted.session.isFollowing(PeerNumber($0.peer.rawValue)) }
  }

  func serveSynchronizing(now: Duration) {
    guard !synchronizing.isEmpty else { return }
    let waiters = synchronizing
    synchronizing = []
    for waiter in waiters {
      let isDone = isSynchronized(waiter.document)
      // A loan is waited for as well, but its absence is no failure.
      let isAwaited = documents[waiter.document]?.tenure.isAwaited ?? false
      if isDone && !isAwaited || now >= waiter.deadline || phase == .closed {
        waiter.continuation.resume(returning: isDone)
      } else {
        synchronizing.append(waiter)
      }
    }
  }
}
