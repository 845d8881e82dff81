import Foundation
import Synchronization

/// The seed of the schedule that a thread runs, for the last words of a process that a broken invariant ends.
final class RunningSeed: Sendable {
  /// One for each job; set once, before the first begins.
  nonisolated(unsafe) private(set) static var all: [RunningSeed] = []

  private let seed = Atomic<UInt64>(0)
  private let thread = Atomic<Int>(0)

  private init() {}

  func begin(_ seed: UInt64) {
    thread.store(Self.present, ordering: .relaxed)
    self.seed.store(seed, ordering: .relaxed)
  }

  private static var present: Int { pthread_self().hashValue }

  /// What ends the process tells under which seed.
  static func tellWhereTheProcessEnds(jobCount: Int) {
    all = (0..<jobCount).map { _ in RunningSeed() }
    for sign in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV] {
      signal(sign) { sign in
        // It is delivered to the thread that caused it.
        for running in RunningSeed.all where running.thread.load(ordering: .relaxed) == RunningSeed.present {
          RunningSeed.tell(seed: running.seed.load(ordering: .relaxed))
        }
        signal(sign, SIG_DFL)
        raise(sign)
      }
    }
  }

  /// Called where the process ends: nothing may be allocated.
  private static func tell(seed: UInt64) {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { buffer in
      var (rest, place) = (seed, buffer.count - 1)
      buffer[place] = 0x0A
      repeat {
        place -= 1
        buffer[place] = UInt8(0x30 + rest % 10)
        rest /= 10
      } while rest > 0
      _ = write(2, "the process ended under seed ", 29)
      _ = write(2, buffer.baseAddress! + place, buffer.count - place)
    }
  }
}
