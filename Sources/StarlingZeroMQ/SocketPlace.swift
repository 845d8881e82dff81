import StarlingEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The place of an ipc endpoint in the file system: only its owners may decide what lies there.
///
/// A dialled endpoint is dialled again and again. So the socket that lies there now is not all that counts: nobody else
/// may be able to make another, in its directory or by replacing a directory above.
struct SocketPlace {
  let owners: Owners

  /// - Parameter path: of an endpoint, without the suffix of a socket.
  /// - Throws: `LinkError(.system)`, naming the directory, its owner and its mode.
  func check(_ path: String) throws(LinkError) {
    let directory = Self.parent(of: path)
    guard let resolved = realpath(directory, nil) else {
      throw .ofSystem("The directory '\(directory)' cannot be looked at")
    }
    defer { free(resolved) }
    // Where links lead there, both ways to it count.
    for start in Set([directory, String(cString: resolved)]) {
      try check(start, mayBeShared: false)
      var ancestor = start
      while ancestor != "/" {
        ancestor = Self.parent(of: ancestor)
        try check(ancestor, mayBeShared: true)
      }
    }
  }

  /// - Parameter mayBeShared: whether others may make files there, as in /tmp, and not replace those of others.
  private func check(_ directory: String, mayBeShared: Bool) throws(LinkError) {
    var status = stat()
    guard lstat(directory, &status) == 0 else { throw .ofSystem("The directory '\(directory)' cannot be looked at") }
    try checkOwner(of: directory, status)
    // A link has no mode of its own.
    guard status.st_mode & S_IFMT != S_IFLNK, owners.othersRights(0o022, status) != 0 else { return }
    guard mayBeShared, status.st_mode & S_ISVTX != 0 else {
      throw LinkError(
        .system,
        "'\(directory)' can be changed by other users (mode \(String(status.st_mode & 0o7777, radix: 8))), who could put a "
          + "socket of theirs there. Choose a directory of your own: chmod 700 '\(directory)'")
    }
  }

  /// - Throws: `LinkError(.system)` for a socket that another user made, or may connect to.
  func checkFile(_ path: String) throws(LinkError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    try checkOwner(of: path, status)
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw LinkError(.system, "'\(path)' is no socket. Choose another name or move it away.")
    }
    guard owners.othersRights(0o022, status) == 0 else {
      throw LinkError(
        .system,
        "'\(path)' is open to other users (mode \(String(status.st_mode & 0o7777, radix: 8))), who could take part in the "
          + "group. Close it: chmod 600 '\(path)'")
    }
  }

  private func checkOwner(of path: String, _ status: stat) throws(LinkError) {
    guard owners.have(status) else {
      throw LinkError(
        .system,
        "'\(path)' belongs to user \(status.st_uid), who could answer in the place of your process. "
          + "Choose a directory of your own.")
    }
  }

  private static func parent(of path: String) -> String {
    guard let end = path.lastIndex(of: "/"), end != path.startIndex else { return "/" }
    return String(path[..<end])
  }
}
