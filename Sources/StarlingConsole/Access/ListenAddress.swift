#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a server of the daemon listens, as `127.0.0.1:7480`; port 0 chooses a free one.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  public let host: String
  public let port: UInt16

  /// Nil for what is no IPv4 address with a port.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var number = in_addr()
    guard parts.count == 2, let port = UInt16(parts[1]), inet_pton(AF_INET, String(parts[0]), &number) == 1 else {
      return nil
    }
    host = String(parts[0])
    self.port = port
  }

  /// Whether this machine alone can reach it.
  public var isLoopback: Bool { host.hasPrefix("127.") }

  public var description: String { "\(host):\(port)" }
}
