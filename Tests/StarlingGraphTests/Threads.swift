import Dispatch
import Foundation

/// Runs `body` on as many threads at a time, each with its number, and waits for all of them. Threads, not tasks:
/// they are preempted anywhere, however few cores there are.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let ends = (0..<count).map { number in onThread { body(number) } }
  for end in ends { end.pass() }
}

/// Starts a thread. When its gate opens, the thread has released `body` and what that captured.
func onThread(_ body: @escaping @Sendable () -> Void) -> Gate {
  let isDone = Gate()
  let work = Slot<(@Sendable () -> Void)?>(body)
  Thread.detachNewThread {
    work.value?()
    work.value = nil
    isDone.open()
  }
  return isDone
}

/// Holds a thread until another opens it.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Lets one thread through.
  func open() {
    semaphore.signal()
  }

  func pass() {
    semaphore.wait()
  }
}
