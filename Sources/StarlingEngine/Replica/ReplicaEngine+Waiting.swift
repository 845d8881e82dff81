public import StarlingCore
import StarlingGuard
import StarlingSession
import StarlingWire

// Those who wait, as `Waiters` decides: until what they wrote has come far enough, or until they may write more.
//
// ```
//   flush, capacity ──► there already: returns
//                  └──► waiters ── log, acknowledgement ──► returns
//                          └────── timed out, cancelled, log failed, closed ──► throws
// ```
extension ReplicaEngine {
  /// Returns once everything written to `document` before the call, by whatever thread, has come as far as `goal` says.
  /// What a transaction wrote that is still open is committed by its end, which is waited for: call this after
  /// `withTransaction`, not within it.
  ///
  /// While the log fails and is tried again, `.durable` waits for it where there is a limit, until that is over;
  /// without a limit it throws at once, since a disk may stay full for days.
  ///
  /// - Parameters:
  ///   - document: The document whose writes are waited for.
  ///   - goal: How far they must have come.
  ///   - limit: how long to wait; nil for as long as it takes.
  /// - Throws: `LogError` if the log failed and `.durable` can therefore not be promised, or the document is not open;
  ///   `FlushError` if the time is over, a transaction stays open or the engine is closed; `CancellationError` if the
  ///   task is cancelled. Nothing is taken back by any of them.
  public nonisolated func flush(
    _ document: DocumentID, until goal: FlushGoal, timeout limit: Duration? = nil
  ) async throws {
    defer { withExtendedLifetime(self) {} }
    let flush = Flush(document: document, goal: goal, deadline: limit.map { clock.uptime() + $0 })
    try await waiting.wait(for: flush) { [link] in link.wake() }
  }

  /// Each returns, or throws, or waits from now on.
  func serve(_ flushes: [(number: UInt64, flush: Flush)]) {
    var taken: Set<DocumentNumber> = []
    for (number, flush) in flushes { serve(flush, as: number, &taken) }
  }

  /// - Parameter taken: the documents whose outboxes were taken a moment ago.
  private func serve(_ flush: Flush, as number: UInt64, _ taken: inout Set<DocumentNumber>) {
    do {
      guard let wait = try begin(flush, as: number, &taken) else { return waiting.end(number, .success(())) }
      replication.waiters.add(wait, as: number)
    } catch {
      waiting.end(number, .failure(error))
    }
  }

  /// - Returns: what it waits for; nil where that is so already.
  private func begin(_ flush: Flush, as number: UInt64, _ taken: inout Set<DocumentNumber>) throws -> Waiters.Wait? {
    let open = try running(flush.document)
    if let wait = transactionToAwait(in: open, hasWritten: true, until: flush.deadline) {
      flushesAfterTransactions[number] = flush
      return wait
    }
    if taken.insert(open.number).inserted || open.handle.hasOutbox { takeOutbox(of: open) }
    startLogging()
    guard let goal = flush.goal.waited else { return nil }
    // What others wrote since the outbox was taken is not waited for: the log has it with its next group only.
    let version =
      replication.isRetracting(open.number) ? open.handle.version : replication.documents[open.number].version
    let wait = Waiters.Wait(for: goal, in: flush.document, version: version, until: flush.deadline)
    if let error = replication.promiseError(for: wait) { throw error }
    return mustWait(wait) ? wait : nil
  }

  /// Returns once the transaction has ended that is open in the document now, if one is.
  ///
  /// - Parameter hasWritten: whether one counts only if it has written something.
  func waitForTransaction(in open: OpenDocument, hasWritten: Bool, until deadline: Duration? = nil) async throws {
    guard let transaction = transactionToAwait(in: open, hasWritten: hasWritten, until: deadline) else { return }
    try await wait(transaction)
    guard phase == .running else { throw FlushError.closed }
  }

  private func transactionToAwait(
    in open: OpenDocument, hasWritten: Bool, until deadline: Duration?
  ) -> Waiters.Wait? {
    guard let number = open.handle.transactionToAwait(hasWritten: hasWritten) else { return nil }
    let wait = Waiters.Wait.forTransaction(
      number, in: open.id, until: deadline, timeout: configuration.transactionTimeout, now: clock.uptime())
    return mustWait(wait) ? wait : nil
  }

  /// Returns once less of `document` waits for the log than `EngineConfiguration.backlogByteCountMax`; at once where
  /// that is so already, which `DocumentHandle.hasCapacity` tells without asking the engine.
  ///
  /// - Throws: `FlushError(.full)` at once where the engine's backpressure is to fail; otherwise as `flush`.
  public func waitForCapacity(in document: DocumentID, timeout limit: Duration? = nil) async throws {
    let open = try running(document)
    takeOutbox(of: open)
    startLogging()
    if configuration.backpressure == .fail, !open.handle.hasCapacity {
      throw FlushError(
        .full,
        "\(open.handle.backlogByteCount) bytes of '\(document)' wait for the log, and "
          + "\(configuration.backlogByteCountMax) may. Write less at a time, or wait for capacity.")
    }
    try await wait(Waiters.Wait(for: .capacity, in: document, until: limit.map { clock.uptime() + $0 }))
  }

  /// The document, where it is open.
  func running(_ document: DocumentID) throws -> OpenDocument {
    guard phase == .running, let open = self.document(document) else {
      throw LogError(.misuse, "'\(document)' is not open.")
    }
    return open
  }

  /// Returns at once where what is waited for is so.
  func wait(_ wait: Waiters.Wait) async throws {
    guard mustWait(wait) else { return }
    try Task.checkCancellation()
    let number = waiting.makeNumber()
    replication.waiters.add(wait, as: number)
    try await waiting.wait(as: number) { [link] in link.wake() }
  }

  private func mustWait(_ wait: Waiters.Wait) -> Bool {
    replication.mustWait(wait, openTransaction: openDocument(wait.document)?.openTransaction)
  }

  func serveCancelledWaiters() {
    let numbers = waiting.takeCancelled()
    if !numbers.isEmpty { decide { $0.cancel(waiters: numbers) } }
  }

  func resume(_ effect: Waiters.Effect) {
    if let flush = flushesAfterTransactions.removeValue(forKey: effect.number), case .resume(let number) = effect {
      guard phase == .running else { return waiting.end(number, .failure(FlushError.closed)) }
      var taken: Set<DocumentNumber> = []
      return serve(flush, as: number, &taken)
    }
    waiting.end(effect) { reason in
      switch reason {
      case .closed: FlushError.closed
      case .documentForgotten(let document):
        FlushError(.forgotten, "'\(document)' was forgotten while somebody waited for it.")
      case .logFailed(let isRetried): replication.logError(isRetried: isRetried)
      }
    }
  }
}

extension FlushError {
  static let closed = FlushError(.closed, "The replica was closed while somebody waited for it.")
}
