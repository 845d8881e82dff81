public import Synchronization

/// The one lock: a mutex of eight bytes that lies inline in whatever it guards.
///
/// It is declared with `let`, in a class or in memory that does not move, and is not recursive. Nothing of
/// the user's runs while it is held: no `==`, hash, codec or `deinit`, and no callback. A value that is displaced
/// under it is kept by `withExtendedLifetime` until it is open: the optimizer may release a parameter or a result at
/// its last use.
///
///     ┌ mutex (futex word) ┬ handover ┐
///     │ 4 bytes            │ 4 bytes  │
///     └────────────────────┴──────────┘
///
/// `Mutex` alone excludes, but the thread sanitizer does not follow the hand-over inside it and reports races
/// that are none. `handover` repeats it in words the sanitizer reads: released before unlocking, acquired
/// after locking. That costs less than half a nanosecond.
public struct Guard: ~Copyable, Sendable {
  @usableFromInline let mutex = Mutex<Void>(())
  @usableFromInline let handover = Atomic<UInt32>(0)

  @inlinable public init() {}

  /// Waits until nobody else holds the guard.
  @inlinable @inline(__always) public borrowing func lock() {
    mutex._unsafeLock()
    _ = handover.load(ordering: .acquiring)
  }

  /// Called by the thread that locked.
  @inlinable @inline(__always) public borrowing func unlock() {
    handover.store(0, ordering: .releasing)
    mutex._unsafeUnlock()
  }

  /// Runs `body` while holding the guard.
  @inlinable @inline(__always) public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
