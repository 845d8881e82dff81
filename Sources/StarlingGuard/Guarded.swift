public import Synchronization

/// A state and its guard, so that neither can be reached without the other.
///
/// ```swift
/// /// Open peers by endpoint.
/// private let peers = Guarded([String: Peer]())
/// peers.withLock { $0[endpoint] = peer }
/// ```
///
/// A closure is kept in a struct: as the state itself it is wrapped once more each time it is looked at, for the lock
/// knows it only as a value of some type, until calling it takes longer than what it does, and then more stack than
/// there is.
public struct Guarded<State: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Sendable: nobody reaches the state but through the guard, and what goes in or out by `withLock` is sent.
  @usableFromInline let guarding = Guard()
  @usableFromInline let state: _Cell<State>

  @inlinable public init(_ state: consuming sending State) {
    self.state = _Cell(state)
  }

  /// Runs `body` on the state while holding its guard; `body` calls nothing of the user's.
  @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    // First: written as one, the thread sanitizer is told of an access to the guard too.
    let address = state._address
    guarding.lock()
    defer { guarding.unlock() }
    return try body(&address.pointee)
  }
}
