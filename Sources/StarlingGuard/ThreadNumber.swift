#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells the threads that are alive apart.
package struct ThreadNumber: Hashable, Sendable {
  package let number: UInt

  package static var current: ThreadNumber {
    // An integer in Glibc, a pointer elsewhere.
    #if canImport(Glibc)
      ThreadNumber(number: UInt(pthread_self()))
    #else
      ThreadNumber(number: UInt(bitPattern: pthread_self()))
    #endif
  }
}
