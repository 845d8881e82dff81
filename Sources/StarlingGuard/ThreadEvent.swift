import Synchronization

#if os(Linux)
  import CFutex
#else
  import Dispatch
#endif

/// Happens once, and one thread waits for it. Waited for with no guard held: what is awaited may be the end of the
/// user's own code.
package final class ThreadEvent: @unchecked Sendable {
  // Sendable: a word that is atomic, or the system's semaphore; `_Cell` only tells where the word lies.
  #if os(Linux)
    /// 0: it has not happened; 1: it has.
    private let word = _Cell(Atomic<UInt32>(0))

    package init() {}

    /// Any thread.
    package func signal() {
      word._address.pointee.store(1, ordering: .sequentiallyConsistent)
      starling_wake(word._address)
      #if DEBUG
        starling_step(word._address, Int32(STARLING_HAPPENED))
      #endif
    }

    /// Returns when it has happened, or after `timeout`.
    ///
    /// - Returns: whether it has happened.
    package func wait(timeout: Duration) -> Bool {
      #if DEBUG
        if !hasHappened { starling_step(word._address, Int32(STARLING_AWAITS)) }
      #endif
      for _ in 0..<100 {
        if hasHappened { return true }
        starling_pause()
      }
      let deadline = ContinuousClock.now.advanced(by: timeout)
      while !hasHappened {
        let left = ContinuousClock.now.duration(to: deadline) / .nanoseconds(1)
        guard left > 0 else { return false }
        // A day at a time, whatever the caller says.
        starling_sleep_for(word._address, 0, UInt64(min(left, 86_400e9)))
      }
      return true
    }

    private var hasHappened: Bool { word._address.pointee.load(ordering: .acquiring) == 1 }
  #else
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func signal() { semaphore.signal() }

    package func wait(timeout: Duration) -> Bool {
      let nanoseconds = Int(min(timeout / .nanoseconds(1), 86_400e9))
      return semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
    }
  #endif
}
