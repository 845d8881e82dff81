#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread of the system's that somebody waits for at its end.
struct TerminalThreadHandle: @unchecked Sendable {
  // Sendable, though it is a pointer on some systems: any thread may join another (pthread_join).
  private let handle: pthread_t

  private final class Job {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// Starts a thread; nil where the system has none left, and then `body` is gone.
  init?(_ body: @escaping @Sendable () -> Void) {
    let argument = Unmanaged.passRetained(Job(body))
    #if canImport(Glibc)
      var made = pthread_t()
    #else
      var made: pthread_t?
    #endif
    let code = pthread_create(
      &made, nil,
      { argument in
        Self.run(argument)
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      argument.release()
      return nil
    }
    #if canImport(Glibc)
      handle = made
    #else
      handle = made!
    #endif
  }

  /// Waits until it has ended. Once.
  func join() { pthread_join(handle, nil) }

  /// - Parameter argument: What `pthread_create` was given, never null.
  private static func run(_ argument: UnsafeMutableRawPointer?) {
    Unmanaged<Job>.fromOpaque(argument!).takeRetainedValue().body()
  }
}
