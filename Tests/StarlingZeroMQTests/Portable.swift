#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What tests ask of the system and the C libraries spell differently.
enum Portable {
  /// Of a socket that programs which other tests begin do not keep open, where that can be asked for.
  static let streamType: Int32 = {
    #if canImport(Glibc)
      Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
      SOCK_STREAM
    #endif
  }()

  /// What fits into a Unix socket's address, its closing zero left out.
  static let socketPathByteCountMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Tells the threads that are alive apart.
  static func threadNumber() -> UInt {
    #if canImport(Glibc)
      UInt(pthread_self())
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }

  /// Sends on a socket; where the other side is gone, without a signal that would end the tests.
  static func send(_ bytes: UnsafeRawBufferPointer, by descriptor: Int32) -> Int {
    #if canImport(Darwin)
      var isSilent: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isSilent, socklen_t(MemoryLayout<Int32>.size))
      return Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
    #elseif canImport(Musl)
      return Musl.send(descriptor, bytes.baseAddress, bytes.count, MSG_NOSIGNAL)
    #else
      return Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
  }
}
