import StarlingSession

/// How a waiter goes on.
enum WaiterContinuation {
  case throwing(CheckedContinuation<Void, any Error>)
  /// Whether what it waited for is so.
  case telling(CheckedContinuation<Bool, Never>)

  /// - Parameter error: what is thrown for a reason.
  func resume(_ effect: Waiters.Effect, _ error: (Waiters.Reason) -> any Error) {
    switch (self, effect) {
    case (.throwing(let continuation), .resume): continuation.resume()
    case (.throwing(let continuation), .late(_, let lateness, let explanation)):
      continuation.resume(throwing: FlushError(FlushError.Code(lateness), explanation))
    case (.throwing(let continuation), .cancel): continuation.resume(throwing: CancellationError())
    case (.throwing(let continuation), .fail(_, let reason)): continuation.resume(throwing: error(reason))
    case (.telling(let continuation), .resume): continuation.resume(returning: true)
    case (.telling(let continuation), .late), (.telling(let continuation), .cancel),
      (.telling(let continuation), .fail):
      continuation.resume(returning: false)
    }
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
