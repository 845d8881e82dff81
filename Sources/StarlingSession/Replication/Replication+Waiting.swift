package import StarlingCore
import StarlingWire

// Those who wait, as `Waiters` decides: until what they wrote has come far enough, or until they may write more.
extension Replication {
  /// Whether the log keeps up with what is written and merged.
  package func hasCapacity(_ number: DocumentNumber) -> Bool {
    documents[number].unloggedByteCount < policy.backlogByteCountMax
  }

  /// What is so of the document, as far as somebody may wait for it.
  package func facts(of document: DocumentID) -> Waiters.Facts {
    var facts = Waiters.Facts()
    facts.forgottenCount = peers.forgottenCount(of: document)
    facts.logTrouble = pipeline.failure.map { "\($0)" }
    guard let number = documents.number(of: document) else { return facts }
    facts.durable = pipeline.durable(of: document)
    facts.members = documents[number].members
    facts.hasCapacity = hasCapacity(number)
    facts.openTransaction = documents[number].openTransaction
    facts.isCaughtUpWithEveryPeer = isCaughtUpWithEveryPeer(in: number)
    facts.isCaughtUpWithAnyPeer = endpoints.connections.contains { documents[number].session.isFollowing($0.peer) }
    facts.isLeaseAwaited = documents[number].leaseClient.isAwaited
    return facts
  }

  private func isCaughtUpWithEveryPeer(in number: DocumentNumber) -> Bool {
    // Whoever answers at an endpoint and is not trusted was hung up on.
    guard documents[number].session.isCaughtUp, !endpoints.hasUntrusted else { return false }
    return endpoints.peers(serving: documents[number].id).allSatisfy { documents[number].session.isFollowing($0) }
  }

  /// Somebody begins to wait.
  ///
  /// - Parameter openTransaction: the one that is open there now.
  /// - Returns: false where it is so already.
  package mutating func mustWait(_ wait: Waiters.Wait, openTransaction: UInt64?) -> Bool {
    if let number = documents.number(of: wait.document) { documents[number].openTransaction = openTransaction }
    let facts = facts(of: wait.document)
    return !facts.satisfy(wait) || wait.goal.isCaughtUp && facts.isLeaseAwaited
  }

  /// Why nobody should begin to wait for that; nil where somebody may.
  package func promiseError(for wait: Waiters.Wait) -> LogError? {
    Waiters.isInVain(wait, isLogLost: pipeline.isLost) ? pipeline.promiseError : nil
  }

  /// What a caller is told that waited for a log that has failed.
  ///
  /// - Parameter isRetried: whether it is tried again.
  package func logError(isRetried: Bool) -> LogError {
    guard let error = isRetried ? pipeline.promiseError : pipeline.failure else {
      preconditionFailure("Somebody is told that the log failed, which works.")
    }
    return error
  }

  mutating func carryOut(_ decided: [Waiters.Effect]) {
    for effect in decided { effects.append(.resume(effect)) }
  }

  mutating func serveWaiters(of number: DocumentNumber) {
    guard waiters.writerCount > 0 else { return }
    let document = documents[number].id
    decideOfWaiters { waiters, facts in waiters.serve(document) { facts(document) } }
  }

  /// Ends those whose time is over, and those that waited for peers.
  mutating func reviewWaiters() { decideOfWaiters { [now] in $0.review(now: now, $1) } }

  /// Whoever waits under these numbers waits no more.
  package mutating func cancel(waiters numbers: [UInt64]) {
    if !numbers.isEmpty { carryOut(waiters.cancel(numbers)) }
  }

  /// The replica closes: who waits is told.
  package mutating func endWaiting() { decideOfWaiters { $0.close($1) } }

  private mutating func decideOfWaiters(
    _ decide: (inout Waiters, (DocumentID) -> Waiters.Facts) -> [Waiters.Effect]
  ) {
    // Taken out of the replica here, because the facts are computed from it.
    var waiters = Waiters()
    swap(&waiters, &self.waiters)
    let effects = decide(&waiters) { facts(of: $0) }
    swap(&waiters, &self.waiters)
    carryOut(effects)
  }

  /// The log has accepted something: writers may go on, and peers are asked for more again.
  mutating func capacityMayHaveGrown(in number: DocumentNumber) {
    guard hasCapacity(number) else { return }
    serveWaiters(of: number)
    guard !documents[number].postponed.isEmpty else { return }
    let postponed = documents[number].postponed.sorted { $0.key < $1.key }
    documents[number].postponed = [:]
    for (peer, message) in postponed { say(message, to: peer) }
  }
}
