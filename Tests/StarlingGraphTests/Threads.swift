import Dispatch
import Foundation

/// Runs `body` on as many threads at a time, each with its number, and waits for all of them. Threads, not tasks:
/// they are preempted anywhere, however few cores there are.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let ends = (0..<count).map { number in onThread { body(number) } }
  for end in ends { end.pass() }
}

/// Starts a thread. When its gate opens, the thread has let go of `body` and what that captured.
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

/// A reproducible sequence (SplitMix64).
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func roll(_ sides: Int) -> Int {
    Int.random(in: 0..<sides, using: &self)
  }
}
