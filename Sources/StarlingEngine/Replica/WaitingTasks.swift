import StarlingCore
import StarlingGuard
import StarlingSession

/// What a caller of `flush` asks for.
struct Flush: Sendable {
  var document: DocumentID
  var goal: FlushGoal
  /// By the engine's clock; nil for as long as it takes.
  var deadline: Duration?
}

/// The tasks that wait, by their numbers among `Waiters`, which decides how each goes on.
///
/// ```
///   flush ──► asked for ── takeFlushes ──► served by a turn ─┐
///                                                           ▼
///   wait ─────────────────────────────────────────────► suspended ── end ──► returns, or throws
///                                                           └─ its task is cancelled ─► takeCancelled ─► Waiters ─► end
/// ```
///
/// One may end before its task is suspended: the beginning and the end of a wait may meet at any moment.
final class WaitingTasks: Sendable {
  fileprivate enum Place {
    /// Its task is about to ask for a flush.
    case expected
    case suspended(CheckedContinuation<Void, any Error>)
    case ended(Result<Void, any Error>)
  }

  fileprivate struct State {
    var nextNumber: UInt64 = 0
    var places: [UInt64: Place] = [:]
    var cancelled: [UInt64] = []
    /// Ascending by number but for those that came at once.
    var flushes: [(number: UInt64, flush: Flush)] = []
    /// Whether there are turns, which serve them.
    var isServing = false
  }

  /// Ended by the engine, cancelled on any thread.
  private let state = Guarded(State())

  /// A number that no other waiter of the engine has.
  func makeNumber() -> UInt64 { state.withLock { $0.makeNumber() } }

  /// Returns once `end` was called with the number, which is among the waiters.
  ///
  /// - Parameters:
  ///   - isolation: of the caller, which waits there: where the closure does not name it, it runs on the shared pool,
  ///     and each wait costs two more changes of threads.
  ///   - wake: called on any thread where the task is cancelled; nil where it waits in any case.
  func wait(
    as number: UInt64, isolation: isolated (any Actor)? = #isolation, wakingOnCancel wake: (@Sendable () -> Void)?
  ) async throws {
    guard let wake else { return try await suspend(number, isolation: isolation) }
    try await withTaskCancellationHandler {
      try await suspend(number, isolation: isolation)
    } onCancel: {
      cancel(number)
      wake()
    }
  }

  private func suspend(_ number: UInt64, isolation: isolated (any Actor)?) async throws {
    try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
      if let result = state.withLock({ $0.suspend(number, continuation) }) { continuation.resume(with: result) }
    }
  }

  /// Ended by `Waiters` where it waits there by then.
  private func cancel(_ number: UInt64) { state.withLock { $0.cancelled.append(number) } }

  /// Those that were cancelled since the last call, but for flushes that were not taken: these are served first.
  func takeCancelled() -> [UInt64] { state.withLock { $0.takeCancelled() } }

  /// - Parameter error: why one fails; asked where it does.
  func end(_ effect: Waiters.Effect, _ error: (Waiters.Reason) -> any Error) {
    switch effect {
    case .resume: end(effect.number, .success(()))
    case .late(_, let lateness, let explanation):
      end(effect.number, .failure(FlushError(FlushError.Code(lateness), explanation)))
    case .cancel: end(effect.number, .failure(CancellationError()))
    case .fail(_, let reason): end(effect.number, .failure(error(reason)))
    }
  }

  func end(_ number: UInt64, _ result: Result<Void, any Error>) {
    let suspended: CheckedContinuation<Void, any Error>? = state.withLock { state in
      if case .suspended(let continuation)? = state.places.removeValue(forKey: number) { return continuation }
      state.places[number] = .ended(result)
      return nil
    }
    suspended?.resume(with: result)
  }
}

// MARK: Flushes

extension WaitingTasks {
  /// From now on there are turns.
  func beginServing() { state.withLock { $0.isServing = true } }

  /// There are no more turns.
  func endServing() {
    let flushes = state.withLock { state in
      state.isServing = false
      return state.takeFlushes()
    }
    for (number, _) in flushes { end(number, .failure(FlushError.closed)) }
  }

  /// Returns once `end` was called for the flush, which the next turn takes. The caller waits where it is: a task that
  /// waits on the engine's thread goes on by way of the shared pool, and from there to the engine and back.
  ///
  /// - Parameter wake: brings a turn about; called on any thread.
  func wait(for flush: Flush, waking wake: @Sendable () -> Void) async throws {
    guard let number = state.withLock({ $0.isServing ? $0.expect() : nil }) else {
      throw LogError(.misuse, "'\(flush.document)' is not open.")
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let error = state.withLock { $0.ask(for: flush, as: number, continuation) }
        if let error { continuation.resume(throwing: error) } else { wake() }
      }
    } onCancel: {
      cancel(number)
      wake()
    }
  }

  /// Those that were asked for since the last call.
  func takeFlushes() -> [(number: UInt64, flush: Flush)] { state.withLock { $0.takeFlushes() } }
}

extension WaitingTasks.State {
  fileprivate mutating func makeNumber() -> UInt64 {
    defer { nextNumber += 1 }
    return nextNumber
  }

  fileprivate mutating func expect() -> UInt64 {
    let number = makeNumber()
    places[number] = .expected
    return number
  }

  fileprivate mutating func takeCancelled() -> [UInt64] {
    guard !cancelled.isEmpty else { return [] }
    let unserved = cancelled.filter(isUnserved)
    let taken = cancelled.filter { !unserved.contains($0) }
    cancelled = unserved
    return taken
  }

  private func isUnserved(_ number: UInt64) -> Bool {
    if case .expected? = places[number] { true } else { flushes.contains { $0.number == number } }
  }

  fileprivate mutating func takeFlushes() -> [(number: UInt64, flush: Flush)] {
    defer { flushes = [] }
    return flushes
  }

  /// - Returns: how it ended before.
  fileprivate mutating func suspend(
    _ number: UInt64, _ continuation: CheckedContinuation<Void, any Error>
  ) -> Result<Void, any Error>? {
    if case .ended(let result)? = places.removeValue(forKey: number) { return result }
    places[number] = .suspended(continuation)
    return nil
  }

  /// - Returns: why nobody serves it.
  fileprivate mutating func ask(
    for flush: Flush, as number: UInt64, _ continuation: CheckedContinuation<Void, any Error>
  ) -> FlushError? {
    guard isServing else {
      places[number] = nil
      return .closed
    }
    places[number] = .suspended(continuation)
    flushes.append((number, flush))
    return nil
  }
}

extension FlushError.Code {
  fileprivate init(_ lateness: Waiters.Lateness) {
    switch lateness {
    case .timedOut: self = .timedOut
    case .transactionOpen: self = .transactionOpen
    }
  }
}
