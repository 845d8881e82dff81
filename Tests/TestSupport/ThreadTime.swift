#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The processor time that this thread spends in `body`, which other programs of the machine do not lengthen: for tests
/// that double the work and compare.
package func threadTime<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Duration {
  func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
  let start = now()
  try body()
  return now() - start
}
