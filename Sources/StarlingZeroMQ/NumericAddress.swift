#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An address of the internet written as numbers.
enum NumericAddress {
  case v4(in_addr)
  case v6(in6_addr)

  /// Nil for a name. An IPv4 address that is mapped into IPv6 (`::ffff:10.0.0.1`) is that IPv4 address.
  init?(_ text: String) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self = .v4(four)
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      let bytes = withUnsafeBytes(of: six) { Array($0) }
      if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
        withUnsafeMutableBytes(of: &four) { $0.copyBytes(from: bytes[12...]) }
        self = .v4(four)
      } else {
        self = .v6(six)
      }
    } else {
      return nil
    }
  }

  /// Whether nobody on another machine can reach it: 127.0.0.0/8 and ::1.
  var isLoopback: Bool {
    switch self {
    case .v4(let address): UInt32(bigEndian: address.s_addr) >> 24 == 127
    case .v6(let address): withUnsafeBytes(of: address) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }
  }

  var family: Int32 {
    switch self {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  /// As everybody writes it: the shortest.
  var text: String {
    var characters = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch self {
    case .v4(var address): inet_ntop(AF_INET, &address, &characters, socklen_t(INET6_ADDRSTRLEN))
    case .v6(var address): inet_ntop(AF_INET6, &address, &characters, socklen_t(INET6_ADDRSTRLEN))
    }
    return String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Calls `body` with the address and a port as the system takes them.
  func withSocketAddress<Result>(
    port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Result
  ) -> (result: Result, port: UInt16) {
    var storage = sockaddr_storage()
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        UnsafeMutableRawPointer(pointer).withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { six in
          UnsafeMutableRawPointer(pointer).withMemoryRebound(to: sockaddr_in.self, capacity: 1) { four in
            var byteCount: socklen_t
            switch self {
            case .v4(let address):
              four.pointee.sin_family = sa_family_t(AF_INET)
              four.pointee.sin_port = port.bigEndian
              four.pointee.sin_addr = address
              byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
            case .v6(let address):
              six.pointee.sin6_family = sa_family_t(AF_INET6)
              six.pointee.sin6_port = port.bigEndian
              six.pointee.sin6_addr = address
              byteCount = socklen_t(MemoryLayout<sockaddr_in6>.size)
            }
            let result = body(pointer, &byteCount)
            // The port lies at the same place in both.
            return (result, UInt16(bigEndian: four.pointee.sin_port))
          }
        }
      }
    }
  }
}
