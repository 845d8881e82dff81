#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Somebody who speaks raw bytes at a TCP port: noise, or ZMTP 3.0 by hand (rfc.zeromq.org/spec/23).
///
/// ```
///   greeting   FF 00×8 7F │ 03 00 │ "NULL" 00×16 │ 00 │ 00×31       64 bytes
///   ready      04 length │ 05 "READY" │ name, value pairs
///   message    flags (1: more follow, 2: eight bytes of length) │ length │ bytes
/// ```
final class Stranger {
  private let descriptor: Int32

  init(port: UInt16) {
    descriptor = socket(AF_INET, Portable.streamType, 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(result == 0, "nobody listens at port \(port)")
    // The test must not hang where the other side says nothing.
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  /// One that was dialled, and so the other side of a connection.
  init(accepted descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Ends what it was kept for: it hangs up at its last use.
  func leave() {}

  /// Says so, as far as the other side takes it.
  func say(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Portable.send($0, by: descriptor) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Says that it will say nothing more.
  func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Whether the other side ends the connection within the stranger's patience.
  func isHungUpOn() -> Bool {
    var byte: UInt8 = 0
    while true {
      let count = recv(descriptor, &byte, 1, 0)
      if count == 0 || (count < 0 && errno != EAGAIN) { return true }
      if count < 0 { return false }
    }
  }

  /// Whether anything has come since it shook hands.
  var hears: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 1
  }

  /// Introduces itself, under a name of its own if one is given, and waits until the other side has.
  func shakeHands(as type: String, name: String = "") {
    greet()
    var ready: [UInt8] = [5] + Array("READY".utf8)
    for (key, value) in [("Socket-Type", type), ("Identity", name)] {
      ready += [UInt8(key.utf8.count)] + Array(key.utf8) + [0, 0, 0, UInt8(value.utf8.count)] + Array(value.utf8)
    }
    say([4, UInt8(ready.count)] + ready)
    // A stranger that says more before the other side is ready is hung up on.
    _ = hear(byteCount: 64)
    _ = hear(byteCount: Int(hear(byteCount: 2)[1]))
  }

  /// Says that it has no keys.
  func greet() {
    say([0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 0])
    say(Array("NULL".utf8) + [UInt8](repeating: 0, count: 16 + 1 + 31))
  }

  /// Waits for so many bytes; zeros where they do not come.
  private func hear(byteCount: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    _ = recv(descriptor, &bytes, byteCount, Int32(MSG_WAITALL))
    return bytes
  }

  /// Sends one message of these parts, each of less than 256 bytes.
  func send(_ parts: [[UInt8]]) {
    for (index, part) in parts.enumerated() {
      say([index + 1 < parts.count ? 1 : 0, UInt8(part.count)] + part)
    }
  }

  /// Announces a part of so many bytes, and sends none of them.
  func announce(byteCount: UInt64) {
    say([2] + withUnsafeBytes(of: byteCount.bigEndian, Array.init))
  }
}

/// The port in `tcp://127.0.0.1:7400`.
func port(of endpoint: String) -> UInt16 { UInt16(endpoint.split(separator: ":").last!)! }
