public import StarlingEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The directory of ipc sockets by which the processes of one group on one machine find each other.
///
/// Whoever binds `endpoint(for:)` is a member until its sockets are gone; `list` names the members. The
/// directory lies in `$XDG_RUNTIME_DIR/starling`, or `/tmp/starling-UID` where that is not set, and
/// belongs to this user alone: who may enter it may read and write the group's documents. A Unix group may share it.
///
/// ```
///   $XDG_RUNTIME_DIR/starling/   0700
///     library/                   0700   a group
///       daemon.ask  daemon.pub          a member, accepting
///       4f1c….ask   4f1c….pub
/// ```
public struct IPCDirectory: Sendable, Hashable {
  /// Where the sockets lie.
  public let path: String
  /// The Unix group that may enter; nil for this user alone.
  public let sharedWith: UnixGroup?

  /// Opens the directory of a group, and makes it if it is not there.
  ///
  /// - Parameters:
  ///   - group: 1 to 64 letters, digits, dots, underscores or hyphens, and not dots alone.
  ///   - parent: where groups lie; nil for this user's runtime directory.
  ///   - sharedWith: a Unix group whose members may enter; nil for this user alone.
  /// - Throws: `LinkError(.endpoint)` for a name that cannot be one, `.system` if the directory cannot be
  ///   made or is not safe: not this user's, open to others, or a symbolic link.
  public init(group: String, parent: String? = nil, sharedWith: UnixGroup? = nil) throws(LinkError) {
    guard Self.isName(group) else {
      throw LinkError(
        .endpoint,
        "'\(group)' is no group name: use 1 to 64 letters, digits, dots, underscores or hyphens, not dots alone.")
    }
    let parent = parent ?? Self.defaultParent
    path = "\(parent)/\(group)"
    self.sharedWith = sharedWith
    guard path.hasPrefix("/") else {
      throw LinkError(.endpoint, "'\(parent)' is no directory for sockets: write it from the root on.")
    }
    guard path.utf8.count < LinkEndpoint.pathByteCountMax else {
      throw LinkError(
        .endpoint,
        "'\(path)' is too long for a socket's name, whose path may have \(LinkEndpoint.pathByteCountMax) bytes. "
          + "Choose a shorter directory or group.")
    }
    let owners = Owners(sharedWith: sharedWith)
    // What stands already is left as it is.
    try Self.make(parent, owners, shared: 0o750)
    try Self.checkParent(parent, owners)
    // The system gives what is made below to the same group (mode 2000).
    try Self.make(path, owners, shared: 0o2770)
    try Self.checkOwn(path, owners)
  }

  // MARK: Members

  /// The endpoint that a member of that name binds. A name that is not one, or too long for a
  /// socket's path, is refused when it is bound or dialled.
  public func endpoint(for name: String) -> String { "ipc://\(path)/\(name)" }

  /// The names of the members, in order: those that have both sockets, alive or not.
  ///
  /// - Throws: `LinkError(.system)` if the directory cannot be read.
  /// - Complexity: O(files).
  public func list() throws(LinkError) -> [String] {
    try sockets().filter { $0.value.count == LinkEndpoint.Channel.allCases.count }.keys.sorted()
  }

  /// Removes the sockets on which nobody listens any more. One that is alive sees a connection come
  /// and go; one that cannot be judged stays.
  ///
  /// - Returns: the names of those that are gone now, in order.
  @discardableResult
  public func removeStale() -> [String] {
    guard let sockets = try? sockets() else { return [] }
    return sockets.filter { removeStale($0.value) }.keys.sorted()
  }

  /// Removes the sockets of one member if nobody listens there any more.
  ///
  /// - Returns: whether they are gone now.
  @discardableResult
  public func removeStale(_ name: String) -> Bool {
    guard let files = try? sockets()[name] else { return false }
    return removeStale(files)
  }

  /// The names of the sockets on which nobody listens any more, in order; they stay.
  public func stale() -> [String] {
    guard let sockets = try? sockets() else { return [] }
    return sockets.filter { $0.value.contains(where: isRefused) }.keys.sorted()
  }

  private func removeStale(_ files: [String]) -> Bool {
    // One socket speaks for both, and almost all are alive: they are asked once, and without the lock.
    guard isRefused(files[0]), let lock = try? DirectoryLock(directory: path) else { return false }
    defer { lock.release() }
    guard isRefused(files[0]) else { return false }
    for file in files where isRefused(file) { unlink(file) }
    return true
  }

  private func isRefused(_ file: String) -> Bool {
    guard case .refused? = try? SocketFile.probe(file) else { return false }
    return true
  }

  /// The paths of the sockets that each name has.
  private func sockets() throws(LinkError) -> [String: [String]] {
    guard let directory = opendir(path) else { throw .ofSystem("The directory '\(path)' cannot be read") }
    defer { closedir(directory) }
    var sockets: [String: [String]] = [:]
    while let entry = readdir(directory) {
      let file = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      for channel in LinkEndpoint.Channel.allCases {
        let suffix = LinkEndpoint.suffix(of: channel)
        if file.hasSuffix(suffix) {
          sockets[String(file.dropLast(suffix.count)), default: []].append("\(path)/\(file)")
        }
      }
    }
    return sockets
  }

  // MARK: Safety

  /// 1 to 64 letters, digits, dots, underscores or hyphens, and not dots alone.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.contains { $0 != "." }
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// This user's runtime directory, in which groups lie unless another is named.
  public static var defaultParent: String {
    if let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), runtime.hasPrefix("/"),
      access(runtime, W_OK | X_OK) == 0
    {
      return "\(runtime)/starling"
    }
    return "/tmp/starling-\(geteuid())"
  }

  private static func make(_ path: String, _ owners: Owners, shared mode: mode_t) throws(LinkError) {
    guard mkdir(path, 0o700) == 0 else {
      let number = errno
      if number == EEXIST { return }
      let error = LinkError.ofSystem("The directory '\(path)' cannot be made", errno: number)
      guard number == EACCES else { throw error }
      throw LinkError(.system, "\(error.message) Where the daemon of another user makes it, start that first.")
    }
    guard owners.share(path, 0o700, mode) else {
      let error = LinkError.ofSystem("The directory '\(path)' cannot be given to its group")
      rmdir(path)
      throw error
    }
  }

  /// Refuses a parent in which somebody else could put another directory in the place of ours.
  private static func checkParent(_ path: String, _ owners: Owners) throws(LinkError) {
    let status = try look(at: path)
    guard owners.have(status), owners.othersRights(0o022, status) == 0 || status.st_mode & S_ISVTX != 0 else {
      throw LinkError(
        .system,
        "'\(path)' can be changed by other users (owner \(status.st_uid), mode \(octal(status))). "
          + "Set XDG_RUNTIME_DIR or name a directory of your own.")
    }
  }

  /// Refuses a directory into which somebody else could reach.
  private static func checkOwn(_ path: String, _ owners: Owners) throws(LinkError) {
    let status = try look(at: path)
    if let group = owners.sharedWith {
      guard owners.isShared(status) else {
        throw LinkError(
          .system,
          "'\(path)' belongs to Unix group \(status.st_gid) and not to '\(group.name)', with which it is to be shared. "
            + "Remove it while no process of the group runs, and it is made again for '\(group.name)'.")
      }
    } else if status.st_uid != geteuid() {
      throw LinkError(
        .system,
        "'\(path)' belongs to user \(status.st_uid), who could take part in the group. "
          + "Set XDG_RUNTIME_DIR or name a directory of your own.")
    }
    guard owners.othersRights(0o077, status) == 0 else {
      let remedy =
        owners.sharedWith == nil
        ? "Close it: chmod 700 '\(path)', or name the Unix group that shares it." : "Close it: chmod 2770 '\(path)'"
      throw LinkError(.system, "'\(path)' is open to other users (mode \(octal(status))). \(remedy)")
    }
  }

  private static func look(at path: String) throws(LinkError) -> stat {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .ofSystem("The directory '\(path)' cannot be looked at") }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw LinkError(
        .system,
        "'\(path)' is \(status.st_mode & S_IFMT == S_IFLNK ? "a symbolic link" : "no directory"), "
          + "so its sockets could be anywhere. Remove it or name another directory.")
    }
    return status
  }

  private static func octal(_ status: stat) -> String {
    String(status.st_mode & 0o7777, radix: 8)
  }
}
