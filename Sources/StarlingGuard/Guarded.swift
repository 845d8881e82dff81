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
public struct Guarded<State: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<State>
  /// See `Guard`: the hand-over in words that the thread sanitizer reads.
  @usableFromInline let handover = Atomic<UInt32>(0)

  @inlinable public init(_ state: consuming sending State) {
    mutex = Mutex(state)
  }

  /// Runs `body` on the state while holding its guard; `body` calls nothing of the user's.
  @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { state throws(Failure) in
      _ = handover.load(ordering: .acquiring)
      defer { handover.store(0, ordering: .releasing) }
      return try body(&state)
    }
  }
}
