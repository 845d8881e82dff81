#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Lets one thread stand still until another says go on: for tests in which a thread must not run.
public final class Signal: Sendable {
  /// A pipe: reading it blocks until something was written.
  private let ends: (Int32, Int32)

  public init() {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    self.ends = (ends[0], ends[1])
  }

  deinit {
    close(ends.0)
    close(ends.1)
  }

  public func raise() {
    var byte: UInt8 = 1
    write(ends.1, &byte, 1)
  }

  /// Blocks the thread.
  public func wait() {
    var byte: UInt8 = 0
    read(ends.0, &byte, 1)
  }
}
