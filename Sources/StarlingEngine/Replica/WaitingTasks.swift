import StarlingGuard
import StarlingSession

/// The tasks that wait, by their numbers among `Waiters`, which decides how each goes on.
///
/// ```
///   wait ──► suspended ── end ──► returns, or throws
///                └─ its task is cancelled ─► takeCancelled ─► Waiters ─► end
/// ```
///
/// One may end before its task is suspended: the beginning and the end of a wait may meet at any moment.
final class WaitingTasks: Sendable {
  private enum Place {
    case suspended(CheckedContinuation<Void, any Error>)
    case ended(Result<Void, any Error>)
  }

  private struct State {
    var places: [UInt64: Place] = [:]
    var cancelled: [UInt64] = []
  }

  /// Ended by the engine, cancelled on any thread.
  private let state = Guarded(State())

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
      state.withLock { $0.cancelled.append(number) }
      wake()
    }
  }

  private func suspend(_ number: UInt64, isolation: isolated (any Actor)?) async throws {
    try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
      let result: Result<Void, any Error>? = state.withLock { state in
        if case .ended(let result)? = state.places.removeValue(forKey: number) { return result }
        state.places[number] = .suspended(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }

  /// Those that were cancelled since the last call.
  func takeCancelled() -> [UInt64] {
    state.withLock { state in
      defer { state.cancelled = [] }
      return state.cancelled
    }
  }

  /// - Parameter error: why one fails; asked where it does.
  func end(_ effect: Waiters.Effect, _ error: (Waiters.Reason) -> any Error) {
    let result: Result<Void, any Error> =
      switch effect {
      case .resume: .success(())
      case .late(_, let lateness, let explanation):
        .failure(FlushError(FlushError.Code(lateness), explanation))
      case .cancel: .failure(CancellationError())
      case .fail(_, let reason): .failure(error(reason))
      }
    let suspended: CheckedContinuation<Void, any Error>? = state.withLock { state in
      if case .suspended(let continuation)? = state.places.removeValue(forKey: effect.number) { return continuation }
      state.places[effect.number] = .ended(result)
      return nil
    }
    suspended?.resume(with: result)
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
