import Foundation

/// What was seen of one figure: the median stands for it, the rest says how far to trust it.
package struct Sample {
  package let median: Double
  package let least: Double
  package let greatest: Double

  /// - Parameter values: At least one.
  package init(_ values: [Double]) {
    let sorted = values.sorted()
    median = sorted[sorted.count / 2]
    least = sorted[0]
    greatest = sorted[sorted.count - 1]
  }

  /// The values of a latency: the median of all, and the spread of all but the slowest hundredth.
  package init(latencies values: [Double]) {
    let sorted = values.sorted()
    median = sorted[sorted.count / 2]
    least = sorted[0]
    greatest = sorted[sorted.count * 99 / 100]
  }

  /// A figure that chance has no part in, such as a number of bytes.
  package init(exactly value: Double) {
    self.init([value])
  }
}

package enum Sampling {
  package static let count = Scale.isQuick ? 1 : 7

  /// Runs `body` once to warm up and then `count` times.
  ///
  /// - Parameter body: Returns how long the part that counts took.
  package static func sample(in unit: Unit, per operationCount: Int = 1, _ body: () throws -> Duration) rethrows
    -> Sample
  {
    _ = try body()
    var values: [Double] = []
    for _ in 0..<count { values.append(unit.value(of: try body()) / Double(operationCount)) }
    return Sample(values)
  }

  /// How long the clock on the wall went on.
  package static func time(_ body: () throws -> Void) rethrows -> Duration {
    try ContinuousClock().measure(body)
  }

  /// How long this thread computed: waiting for a core that somebody else has does not count. `peers.py` does the same.
  package static func computing(_ body: () throws -> Void) rethrows -> Duration {
    let begin = threadTime
    try body()
    return threadTime - begin
  }

  private static var threadTime: Duration { time(of: CLOCK_THREAD_CPUTIME_ID) }

  /// How long all threads of the process have computed.
  package static var processTime: Duration { time(of: CLOCK_PROCESS_CPUTIME_ID) }

  private static func time(of clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

package enum Unit: String {
  case nanoseconds = "ns"
  case microseconds = "us"
  case milliseconds = "ms"
  case bytes = "B"
  case evaluations
  case perSecond = "1/s"

  package func value(of duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    switch self {
    case .microseconds: return nanoseconds / 1e3
    case .milliseconds: return nanoseconds / 1e6
    default: return nanoseconds
    }
  }
}

/// Keeps the optimiser from leaving out the work that led to `value`.
@inline(never)
@_optimize(none)
package func consume<Value>(_ value: borrowing Value) where Value: ~Copyable {}
