#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Daemons of the same group in other directories of sockets, which the processes of this one never meet.
extension IPCDirectory {
  /// A daemon that serves a group of the same name in another directory of sockets.
  package struct Elsewhere: Sendable, Hashable {
    /// Where groups lie there, as `--sockets` names it.
    package let parent: String
    /// The user that owns the directory.
    package let user: UInt32
    /// Whether this process may connect to the daemon; if not, only the directory is known to be there.
    package let isOpen: Bool

    /// Whether the directory belongs to the user of this process.
    package var isOwn: Bool { user == geteuid() }
  }

  /// Whether a daemon listens in this directory.
  package func hasDaemon(named name: String) -> Bool {
    if case .answers? = try? SocketFile.probe(path + "/" + name + LinkEndpoint.suffix(of: .ask)) { true } else { false }
  }

  /// The daemons that serve a group of the same name at the usual places, as far as this process may look, in the order
  /// of the places.
  ///
  /// - Parameters:
  ///   - name: the name of a daemon's sockets.
  ///   - places: more parents to look in.
  /// - Complexity: O(users that have a runtime directory or files in /tmp).
  package func daemonsElsewhere(named name: String, lookingIn places: [String] = []) -> [Elsewhere] {
    let group = path.split(separator: "/").last.map(String.init) ?? ""
    var seen: Set<FileIdentity> = FileIdentity(path).map { [$0] } ?? []
    return (places + Self.usualParents).compactMap { parent in
      let directory = "\(parent)/\(group)"
      guard let identity = FileIdentity(directory), seen.insert(identity).inserted else { return nil }
      switch try? SocketFile.probe("\(directory)/\(name)\(LinkEndpoint.suffix(of: .ask))") {
      case .answers: return Elsewhere(parent: parent, user: identity.user, isOpen: true)
      case .unknown(EACCES): return Elsewhere(parent: parent, user: identity.user, isOpen: false)
      case .unknown, .refused, .absent, nil: return nil
      }
    }
  }

  /// Where groups lie by default: for this user, for services of the system, and for other users.
  private static var usualParents: [String] {
    let runtime = getenv("XDG_RUNTIME_DIR").map { "\(String(cString: $0))/starling" }
    let users = names(in: "/run/user").map { "/run/user/\($0)/starling" }
    let temporary = names(in: "/tmp").filter { $0.hasPrefix("starling-") && UInt32($0.dropFirst(9)) != nil }
    return [defaultParent] + [runtime].compactMap(\.self) + ["/run/starling"] + users + temporary.map { "/tmp/\($0)" }
  }

  private static func names(in directory: String) -> [String] {
    guard let listing = opendir(directory) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.sorted()
  }

  /// Tells one directory from another, whatever its path.
  private struct FileIdentity: Hashable {
    let device: dev_t
    let inode: ino_t
    let user: UInt32

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = status.st_dev
      inode = status.st_ino
      user = status.st_uid
    }
  }
}
