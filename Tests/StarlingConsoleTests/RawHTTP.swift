import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A client that says exactly what it is told to: other clients choose `Host` and `Origin` themselves.
final class RawHTTP: Sendable {
  struct Failure: Error {}

  private let socket: Int32

  init(port: UInt16) throws {
    #if os(Linux)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    socket = openSocket(stream)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let outcome = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard outcome == 0 else { throw Failure() }
  }

  deinit { close(socket) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
  }

  /// What comes until `isEnough` holds, or the other side hangs up; on a thread of its own.
  func read(until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [socket, self] in
        withExtendedLifetime(self) {
          var bytes: [UInt8] = []
          var part = [UInt8](repeating: 0, count: 1 << 16)
          while true {
            let count = part.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { break }
            bytes += part[..<count]
            if isEnough(String(decoding: bytes, as: UTF8.self)) { break }
          }
          continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
        }
      }
    }
  }
}

private func openSocket(_ kind: Int32) -> Int32 { socket(AF_INET, kind, 0) }
