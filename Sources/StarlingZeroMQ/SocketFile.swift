import StarlingEngine
import StarlingThread

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file by which a Unix socket is found.
struct SocketFile {
  static let backlog: Int32 = 256

  /// Bytes of a path that the address has space for, its closing zero left out: 107 on Linux, 103 on Darwin.
  static let pathByteCountMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// What lies at `path` now; nil if nothing does.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.path = path
    device = status.st_dev
    inode = status.st_ino
  }

  /// Unlinks it if it is still the same.
  func remove() {
    guard let present = SocketFile(path), present.device == device, present.inode == inode else { return }
    unlink(path)
  }

  /// A socket that listens at `path`, for its owners alone.
  static func makeListener(at path: String, for owners: Owners) throws(LinkError) -> Int32 {
    let descriptor = try make()
    let isBound = withAddress(path) { bind(descriptor, $0, $1) } == 0
    // By its path: Darwin's fchmod "refers to a socket, not to a file". Nobody connects before it listens.
    guard isBound, owners.share(path, 0o600, 0o660), listen(descriptor, backlog) == 0 else {
      let error = LinkError.ofSystem("'\(path)' cannot be bound", as: errno == EADDRINUSE ? .inUse : .system)
      close(descriptor)
      if isBound { unlink(path) }
      throw error
    }
    return descriptor
  }

  enum Answer { case answers, refused, absent, unknown(Int32) }

  /// Whether anybody listens at `path`. Whoever does sees a connection come and go.
  ///
  /// On Darwin a process that is stopped (SIGSTOP) for so long that its queue of connections is full
  /// passes for gone; on Linux it is told apart.
  static func probe(_ path: String) throws(LinkError) -> Answer {
    let descriptor = try make()
    defer { close(descriptor) }
    if withAddress(path, { connect(descriptor, $0, $1) }) == 0 { return .answers }
    switch errno {
    // Its queue of connections is full: it lives.
    case EAGAIN: return .answers
    case ECONNREFUSED: return .refused
    case ENOENT: return .absent
    case let number: return .unknown(number)
    }
  }

  /// Makes space at `path` if what lies there is a socket on which nobody listens any more.
  static func clear(_ path: String) throws(LinkError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw LinkError(.inUse, "'\(path)' exists and is no socket. Choose another name or move it away.")
    }
    switch try probe(path) {
    case .answers: throw LinkError(.inUse, "Another process listens at '\(path)'. Stop it or choose another name.")
    case .refused: unlink(path)
    case .absent: break
    case .unknown(let number):
      throw .ofSystem("Whether anybody listens at '\(path)' cannot be found out", errno: number)
    }
  }

  private static func make() throws(LinkError) -> Int32 {
    // It does not block: a peer in full flight must not hold up who asks.
    let descriptor = Descriptor.makeSocket(AF_UNIX)
    guard descriptor >= 0 else { throw .ofSystem("No socket could be made") }
    return descriptor
  }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let isWritten = withUnsafeMutableBytes(of: &name.sun_path) { capacity in
      guard path.utf8.count <= pathByteCountMax else { return false }
      capacity.copyBytes(from: path.utf8)
      return true
    }
    guard isWritten else {
      errno = ENAMETOOLONG
      return -1
    }
    // Darwin's `sun_len` is set by the system from the length that is passed.
    return withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}

/// Keeps processes apart that look at, remove and make sockets in one directory, so that nobody
/// takes away the socket that another has made since it looked. Held for some microseconds.
struct DirectoryLock {
  private static let patience: Duration = .seconds(2)

  private let descriptor: Int32

  /// Locks the directory in which `path` lies.
  init(around path: String) throws(LinkError) {
    let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    try self.init(directory: directory)
  }

  init(directory: String) throws(LinkError) {
    descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .ofSystem("The directory '\(directory)' cannot be opened") }
    let deadline = Duration.uptime + Self.patience
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR, Duration.uptime < deadline else {
        let error = LinkError.ofSystem("The directory '\(directory)' is locked by another process")
        close(descriptor)
        throw error
      }
      usleep(1000)
    }
  }

  func release() {
    closeUnlocked(descriptor)
  }
}

/// Ends the lock on an open file with the file. Closing is not enough: a program that another thread is beginning holds
/// a copy of every descriptor until it runs, and the lock would end with the last of them (flock(2)).
func closeUnlocked(_ descriptor: Int32) {
  flock(descriptor, LOCK_UN)
  close(descriptor)
}
