import CThread

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread of the system's, and all in which the C libraries do not spell threads alike.
///
/// ```
///             pthread_t           what pthread_create is given
///   Glibc     an integer          may be null, says its header
///   Musl      an opaque pointer   may be null
///   Darwin    a pointer           is never null
/// ```
package struct SystemThread: @unchecked Sendable {
  // Sendable, though it is a pointer on some systems: any thread may join or detach another (pthread_join).
  private let handle: pthread_t

  /// Starts a thread; nil where the system has none left, and then `body` is gone.
  ///
  /// - Parameter name: for debuggers; of up to 15 bytes on Linux.
  package init?(named name: StaticString, _ body: @escaping @Sendable () -> Void) {
    let argument = Unmanaged.passRetained(Job(name: name, body: body))
    #if canImport(Glibc)
      var made = pthread_t()
    #else
      var made: pthread_t?
    #endif
    guard
      pthread_create(
        &made, nil,
        { argument in
          SystemThread.run(argument)
          return nil
        }, argument.toOpaque()) == 0
    else {
      argument.release()
      return nil
    }
    #if canImport(Glibc)
      handle = made
    #else
      handle = made!
    #endif
  }

  /// Waits until it has ended. Once, and never with `detach`.
  package func join() { pthread_join(handle, nil) }

  /// Lets it end by itself.
  func detach() { pthread_detach(handle) }

  private final class Job {
    let name: StaticString
    let body: @Sendable () -> Void

    init(name: StaticString, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// - Parameter argument: what `pthread_create` was given, never null.
  private static func run(_ argument: UnsafeMutableRawPointer?) {
    let job = Unmanaged<Job>.fromOpaque(argument!).takeRetainedValue()
    job.name.withUTF8Buffer { $0.withMemoryRebound(to: CChar.self) { starling_name_thread($0.baseAddress!) } }
    job.body()
  }
}
