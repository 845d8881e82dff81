#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Duration {
  /// Whole milliseconds as the C calls take them, between 0 and a day.
  package var roundedUpMilliseconds: Int32 {
    guard self > .zero else { return 0 }
    guard self < .seconds(86_400) else { return 86_400_000 }
    // By 2 to the 15th and 5 to the 15th, one after the other: a division of 128 bits takes a thousand instructions.
    let shifted = UInt64(truncatingIfNeeded: (attoseconds + 0x7FFF) >> 15)
    return Int32((shifted + 30_517_578_124) / 30_517_578_125)
  }

  /// Has this thread sleep for so long, less than a second, or until a signal comes.
  package func sleep() {
    guard self > .zero else { return }
    var time = timespec(tv_sec: 0, tv_nsec: Int(components.attoseconds / 1_000_000_000))
    nanosleep(&time, nil)
  }

  /// Time that only goes forward.
  package static var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
