#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The engine's two clocks, so that a test or a simulation can hold them.
public struct EngineClock: Sendable {
  /// Milliseconds since 1970-01-01 UTC; may jump.
  public var wallMilliseconds: @Sendable () -> UInt64
  /// Time since some fixed moment; never goes back.
  public var uptime: @Sendable () -> Duration

  /// Makes a pair of clocks; both are called from any thread.
  public init(wallMilliseconds: @escaping @Sendable () -> UInt64, uptime: @escaping @Sendable () -> Duration) {
    self.wallMilliseconds = wallMilliseconds
    self.uptime = uptime
  }

  /// The system's clocks.
  public static let system = EngineClock(
    wallMilliseconds: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    },
    uptime: {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    })
}
