import Foundation

/// Runs `body` on a thread of its own; the signal is raised when it has ended.
public func onThread(_ body: @escaping @Sendable () -> Void) -> Signal {
  let isDone = Signal()
  Thread.detachNewThread {
    body()
    isDone.raise()
  }
  return isDone
}

/// Returns once `condition` holds, which other threads bring about, or after so long that it never will.
///
/// - Returns: whether it holds.
public func eventually(_ condition: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + .seconds(100)
  while !condition() {
    if ContinuousClock.now > deadline { return false }
    sched_yield()
  }
  return true
}
