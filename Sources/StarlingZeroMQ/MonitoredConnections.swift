#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The connections of one socket, by descriptor, as its monitor tells them.
///
/// The descriptors are libzmq's. It offers no way to end a single connection, so `cut` shuts one down
/// under its hands, and must never hit a stranger that got the number since:
///
/// ```
///   libzmq   accept, connect ── tells 9 ── … ── tells gone(9) ── close(9)   (9 is free)
///   here           looks at its marks            removes the entry
/// ```
///
/// If 9 belonged to a stranger when its marks were taken, then `gone(9)` had been told before. So once
/// the monitor holds nothing more, an entry that is still here has the marks of its own connection, and
/// a duplicate of 9 with those marks is the connection.
struct MonitoredConnections {
  struct Connection {
    /// Nil if it had ended when it was looked at.
    let marks: Marks?
    var subscriptionCount = 0
    /// The peer that speaks by it.
    var route: RoutingID?
    /// The key that it proved, once it has subscribed to something.
    var key: PublicKey?
    var isCut = false

    var address: String? { marks?.address }

    /// Whether it came by a socket of this machine's file system; nil where nobody can tell any more.
    var isOfFileSystem: Bool? { marks?.isOfFileSystem }

    /// Whether its peer was introduced before it ended.
    var isIntroduced: Bool { route != nil || key != nil || isCut }
  }

  /// What tells the sockets of a process apart that are open at one time.
  struct Marks: Equatable {
    /// Each socket's own on Linux; Darwin has none for TCP.
    let inode: ino_t
    /// The address of the other side, which one TCP connection has; a Unix socket's has no name.
    let peer: [UInt8]

    /// Nil for what is no socket with somebody on its other side.
    init?(of descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
      inode = status.st_ino
      var name = sockaddr_storage()
      var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let isConnected = withUnsafeMutablePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &byteCount) == 0 }
      }
      guard isConnected else { return nil }
      peer = withUnsafeBytes(of: &name) { Array($0.prefix(Int(byteCount))) }
    }

    var isOfFileSystem: Bool {
      // The name of a Unix socket that was not bound is its family alone.
      peer.withUnsafeBytes { bytes in
        bytes.count >= 2 && sockaddr.family(of: bytes) == sa_family_t(AF_UNIX)
      }
    }

    /// Of the other side, as people write it; nil for a socket of this machine's file system.
    var address: String? {
      guard peer.count >= MemoryLayout<sockaddr_in>.size else { return nil }
      let name = peer.withUnsafeBytes { $0.loadUnaligned(as: sockaddr_in.self) }
      guard name.sin_family == sa_family_t(AF_INET) else { return nil }
      return withUnsafeBytes(of: name.sin_addr) { $0.map { "\($0)" }.joined(separator: ".") }
    }
  }

  private var connections: [Int32: Connection] = [:]
  /// Of all of them together.
  private(set) var subscriptionCount = 0

  subscript(descriptor: Int32) -> Connection? { connections[descriptor] }

  /// - Returns: how many there are now.
  mutating func add(_ descriptor: Int32) -> Int {
    remove(descriptor)
    connections[descriptor] = Connection(marks: Marks(of: descriptor))
    return connections.count
  }

  /// - Returns: the peer that spoke by it.
  @discardableResult
  mutating func remove(_ descriptor: Int32) -> RoutingID? {
    let ended = connections.removeValue(forKey: descriptor)
    subscriptionCount -= ended?.subscriptionCount ?? 0
    return ended?.route
  }

  /// - Returns: another peer that spoke by the same descriptor, and so is gone.
  mutating func name(_ descriptor: Int32, as route: RoutingID) -> RoutingID? {
    defer { connections[descriptor]?.route = route }
    return connections[descriptor]?.route
  }

  mutating func note(_ key: PublicKey, of descriptor: Int32) {
    connections[descriptor]?.key = key
  }

  /// Ends all of them, as `cut` does.
  mutating func cutAll() {
    for descriptor in connections.keys { _ = cut(descriptor) }
  }

  /// The connections that have subscribed with a key for which `isMeant` returns true.
  func descriptors(where isMeant: (PublicKey) -> Bool) -> [Int32] {
    connections.compactMap { descriptor, connection in
      connection.key.flatMap { isMeant($0) ? descriptor : nil }
    }
  }

  /// - Returns: how many subscriptions it has now.
  mutating func countSubscription(of descriptor: Int32, by change: Int) -> Int {
    guard let count = connections[descriptor]?.subscriptionCount else { return 0 }
    connections[descriptor]?.subscriptionCount = count + change
    subscriptionCount += change
    return count + change
  }

  /// Ends a connection; libzmq sees it as ended by the peer. The monitor holds nothing more when this is called.
  ///
  /// - Returns: false if it is gone, or was cut before.
  mutating func cut(_ descriptor: Int32) -> Bool {
    guard let connection = connections[descriptor], let marks = connection.marks, !connection.isCut else {
      return false
    }
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0 else { return false }
    defer { close(duplicate) }
    guard Marks(of: duplicate) == marks else { return false }
    connections[descriptor]?.isCut = true
    return shutdown(duplicate, Int32(SHUT_RDWR)) == 0
  }
}

extension sockaddr {
  /// Of an address in memory; Darwin has its length before it.
  fileprivate static func family(of bytes: UnsafeRawBufferPointer) -> sa_family_t {
    let offset = MemoryLayout<sockaddr>.offset(of: \.sa_family) ?? 0
    return bytes.loadUnaligned(fromByteOffset: offset, as: sa_family_t.self)
  }
}
