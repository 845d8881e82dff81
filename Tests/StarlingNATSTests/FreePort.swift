#if NATS
  import Foundation

  /// Ports for servers that must be found again where they were, or know each other's before they start.
  enum FreePort {
    /// A port at which nobody listens: below those that systems give to whoever asks for any, so that nobody gets it
    /// by chance while its server is down.
    static func draw() throws -> Int {
      for _ in 0..<1000 {
        let port = UInt16.random(in: 10_240..<32_768)
        if isFree(port) { return Int(port) }
      }
      throw Server.Missing(description: "no port is free")
    }

    private static func isFree(_ port: UInt16) -> Bool {
      let socket = socket(AF_INET, streamType, 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    }

    #if canImport(Glibc)
      private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
      private static let streamType = SOCK_STREAM
    #endif
  }
#endif
