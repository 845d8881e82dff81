#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Makes descriptors that block nobody and that no program started by this process inherits: a child
/// with our listening socket would go on answering for us when we are gone.
package enum Descriptor {
  /// A stream socket; negative, and `errno` set, where the system refuses.
  package static func makeSocket(_ domain: Int32) -> Int32 { make(domain, SOCK_STREAM) }

  /// The same for datagrams of IPv4.
  package static func makeDatagramSocket() -> Int32 { make(AF_INET, SOCK_DGRAM) }

  #if canImport(Glibc)
    private static func make(_ domain: Int32, _ kind: __socket_type) -> Int32 {
      socket(domain, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }
  #elseif os(Linux)
    private static func make(_ domain: Int32, _ kind: Int32) -> Int32 {
      socket(domain, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
    }
  #else
    private static func make(_ domain: Int32, _ kind: Int32) -> Int32 {
      // socket(2) takes no flags there. A child that another thread starts between these calls inherits it,
      // unless it is started with POSIX_SPAWN_CLOEXEC_DEFAULT, as Foundation does.
      let descriptor = socket(domain, kind, 0)
      if descriptor >= 0 { keepPrivate(descriptor) }
      return descriptor
    }
  #endif

  /// A pipe from the second to the first; nil where the system has none left.
  static func makePipe() -> (reading: Int32, writing: Int32)? {
    var ends: (Int32, Int32) = (-1, -1)
    let isMade = withUnsafeMutableBytes(of: &ends) { pipe($0.assumingMemoryBound(to: Int32.self).baseAddress!) == 0 }
    guard isMade else { return nil }
    // In two steps, for pipe2 is not everywhere: a child that inherits an end neither answers nor rings for us.
    keepPrivate(ends.0)
    keepPrivate(ends.1)
    return ends
  }

  private static func keepPrivate(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }
}
