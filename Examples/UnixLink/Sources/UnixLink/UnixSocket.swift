import Foundation
import StarlingEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system calls, without anything that decides. No descriptor here blocks.
enum UnixSocket {
  /// Listens at a path. A socket at which nobody listens any more is put out of the way.
  static func listen(at path: String) throws(LinkError) -> Int32 {
    if let living = dial(path) {
      close(living)
      throw LinkError(.inUse, "Another process listens at '\(path)'. Stop it, or choose another path.")
    }
    remove(path)
    let (descriptor, status) = try withAddress(path) { systemBind($0, $1, $2) }
    guard status == 0, systemListen(descriptor, 16) == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw LinkError(.system, "Cannot listen at '\(path)': \(reason).")
    }
    // Whoever may write to the socket may connect.
    chmod(path, 0o600)
    return descriptor
  }

  /// A connection to whoever listens at a path; nil where nobody does.
  static func dial(_ path: String) -> Int32? {
    guard let (descriptor, status) = try? withAddress(path, { systemConnect($0, $1, $2) }) else { return nil }
    if status == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  static func accept(_ descriptor: Int32) -> Int32? {
    let connection = systemAccept(descriptor, nil, nil)
    guard connection >= 0 else { return nil }
    _ = fcntl(connection, F_SETFL, O_NONBLOCK)
    return connection
  }

  /// What has come; nil at the end of the stream.
  static func read(_ descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = systemRead(descriptor, &buffer, buffer.count)
    if count > 0 { return Array(buffer[..<count]) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
  }

  /// Writes as much as goes without waiting; returns how much that is.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int {
    #if os(Linux)
      let withoutSignal = Int32(MSG_NOSIGNAL)  // which a closed connection would raise
    #else
      let withoutSignal: Int32 = 0
    #endif
    return bytes.isEmpty ? 0 : max(0, send(descriptor, bytes, bytes.count, withoutSignal))
  }

  static func waitUntilWritable(_ descriptor: Int32, within duration: Duration) {
    var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    poll(&watched, 1, Int32(max(1, milliseconds)))
  }

  /// Whether the process at the other end runs as this user: the proof that makes a peer `sameUser`.
  static func peerIsThisUser(_ descriptor: Int32) -> Bool {
    #if os(Linux)
      // `struct ucred` of unix(7): the process, its user and its group.
      var credentials: [UInt32] = [0, 0, 0]
      var size = socklen_t(credentials.count * MemoryLayout<UInt32>.size)
      return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 && credentials[1] == getuid()
    #else
      var user = uid_t()
      var group = gid_t()
      return getpeereid(descriptor, &user, &group) == 0 && user == getuid()
    #endif
  }

  static func close(_ descriptor: Int32) { _ = systemClose(descriptor) }
  static func remove(_ path: String) { unlink(path) }

  private static func makeStream() -> Int32 {
    #if canImport(Glibc)
      socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
  }

  /// A new socket, and what `body` returns for it and the address of `path`.
  private static func withAddress(
    _ path: String, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(LinkError) -> (descriptor: Int32, status: Int32) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.hasPrefix("/"), path.utf8.count < capacity else {
      throw LinkError(.endpoint, "'\(path)' is no endpoint: an absolute path of less than \(capacity) bytes is.")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = makeStream()
    guard descriptor >= 0 else {
      throw LinkError(.system, "Cannot make a socket: \(String(cString: strerror(errno))).")
    }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return (descriptor, status)
  }
}

// The calls whose names stand above for something else.
private let systemBind = bind
private let systemConnect = connect
private let systemListen = listen
private let systemAccept = accept
private let systemRead = read
private let systemClose = close
