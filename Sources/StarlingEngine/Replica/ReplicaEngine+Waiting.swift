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
  public func flush(_ document: DocumentID, until goal: FlushGoal, timeout limit: Duration? = nil) async throws {
    let open = try running(document)
    let deadline = limit.map { clock.uptime() + $0 }
    try await waitForTransaction(in: open, hasWritten: true, until: deadline)
    takeOutbox(of: open)
    startLogging()
    guard let goal = goal.waited else { return }
    let wanted = Waiters.Wait(for: goal, in: document, version: open.handle.version, until: deadline)
    if let error = replication.promiseError(for: wanted) { throw error }
    try await wait(wanted)
  }

  /// Returns once the transaction has ended that is open in the document now, if one is.
  ///
  /// - Parameter hasWritten: whether one counts only if it has written something.
  func waitForTransaction(in open: OpenDocument, hasWritten: Bool, until deadline: Duration? = nil) async throws {
    guard let number = open.handle.transactionToAwait(hasWritten: hasWritten) else { return }
    try await wait(
      .forTransaction(
        number, in: open.id, until: deadline, timeout: configuration.transactionTimeout, now: clock.uptime()))
    guard phase == .running else { throw FlushError.closed }
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
    let openTransaction = openDocument(wait.document)?.openTransaction
    guard replication.mustWait(wait, openTransaction: openTransaction) else { return }
    try Task.checkCancellation()
    let number = replication.waiters.makeNumber()
    replication.waiters.add(wait, as: number)
    try await waiting.wait(as: number) { [link] in link.wake() }
  }

  func serveCancelledWaiters() {
    let numbers = waiting.takeCancelled()
    if !numbers.isEmpty { decide { $0.cancel(waiters: numbers) } }
  }

  func resume(_ effect: Waiters.Effect) {
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
  fileprivate static let closed = FlushError(.closed, "The replica was closed while somebody waited for it.")
}
