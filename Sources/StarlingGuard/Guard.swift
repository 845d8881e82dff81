public import Synchronization

#if os(Linux)
  public import CFutex
#endif

/// The one lock: a word that lies inline in whatever it guards.
///
/// It is declared with `let`, in a class or in memory that does not move, and is not recursive. Nothing of
/// the user's runs while it is held: no `==`, hash, codec or `deinit`, and no callback. A value that is displaced
/// under it is kept by `withExtendedLifetime` until it is open: the optimizer may release a parameter or a result at
/// its last use.
///
/// Reading a property is taking a lock, a copy, and opening it again. An atomic exchange costs more than all the rest
/// of that, so there is one only, in taking: opening is a plain store. A thread that has to wait sees to it that it is
/// woken:
///
///     takes, waits                              opens
///     ─ counts itself among the sleepers        ─ stores "open"
///     ─ barrier in every thread that runs       ─ looks whether anybody sleeps: wakes one
///     ─ takes the lock, or sleeps while held
///
/// Either the opening thread passed the barrier before it looked, and sees the sleeper, or it looked before the
/// barrier, and a thread about to sleep sees what it had stored by then. Where the kernel has no such barrier a sleeper
/// looks again by itself. Off Linux it is the system's own lock.
public struct Guard: ~Copyable, @unchecked Sendable {
  // Sendable: a lock is what threads share; the word is atomic, and `_Cell` only tells where it lies.
  #if os(Linux)
    /// 0: open; 1: held.
    @usableFromInline let word = _Cell(Atomic<UInt32>(0))

    @inlinable public init() {}

    /// Waits until nobody else holds the guard.
    @inlinable @inline(__always) public borrowing func lock() {
      #if DEBUG
        starling_step(word._address, Int32(STARLING_TAKES))
      #endif
      if !isTaken() { wait() }
    }

    /// Called by the thread that locked. Whoever locks next may end the guard's life: it is not looked at any more.
    @inlinable @inline(__always) public borrowing func unlock() {
      let address = word._address
      address.pointee.store(0, ordering: .releasing)
      if starling_anybody_sleeps(address) { starling_wake(address) }
      #if DEBUG
        starling_step(address, Int32(STARLING_OPENED))
      #endif
    }

    @inlinable @inline(__always) borrowing func isTaken() -> Bool {
      word._address.pointee.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
    }

    @inline(never) @usableFromInline borrowing func wait() {
      // What is guarded is shorter than falling asleep.
      for _ in 0..<100 {
        if word._address.pointee.load(ordering: .relaxed) == 0, isTaken() { return }
        starling_pause()
      }
      starling_lie_down(word._address)
      while !isTaken() { starling_sleep(word._address, 1) }
      starling_get_up(word._address)
    }
  #else
    @usableFromInline let mutex = Mutex<Void>(())

    @inlinable public init() {}

    @inlinable @inline(__always) public borrowing func lock() {
      mutex._unsafeLock()
    }

    @inlinable @inline(__always) public borrowing func unlock() {
      mutex._unsafeUnlock()
    }
  #endif

  /// Runs `body` while holding the guard.
  @inlinable @inline(__always) public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
