public import StarlingEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A Unix group, whose members share a directory of sockets, such as a service of the system and its users' programs.
///
/// They trust each other as processes of one user do: each may take part as any of them, read and write all documents
/// of the group, and take another's sockets away.
public struct UnixGroup: Sendable, Hashable {
  /// Its name in group(5).
  public let name: String
  let id: gid_t

  /// - Throws: `LinkError(.endpoint)` if there is no group of that name, or this process is not in it.
  public init(named name: String) throws(LinkError) {
    var capacity = 1 << 12
    var found: gid_t?
    var status = ERANGE
    while status == ERANGE, capacity <= 1 << 20 {
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
        var entry = group()
        var result: UnsafeMutablePointer<group>?
        status = getgrnam_r(name, &entry, text.baseAddress!, text.count, &result)
        found = result?.pointee.gr_gid
      }
      capacity *= 4
    }
    guard let found else {
      throw LinkError(.endpoint, "This machine has no Unix group '\(name)'. Make it, or name another.")
    }
    self.init(name: name, id: found)
    guard hasThisProcess else {
      throw LinkError(
        .endpoint,
        "This process is not in the Unix group '\(name)', so it cannot share sockets with it. Add its user "
          + "(usermod -aG \(name) USER) and log in again.")
    }
  }

  init(name: String, id: gid_t) {
    self.name = name
    self.id = id
  }

  private var hasThisProcess: Bool {
    if geteuid() == 0 || getegid() == id { return true }
    let count = getgroups(0, nil)
    guard count > 0 else { return false }
    var groups = [gid_t](repeating: 0, count: Int(count))
    let filled = getgroups(count, &groups)
    return filled > 0 && groups.prefix(Int(filled)).contains(id)
  }
}

/// The users that may decide what lies at a path: this one and the system's own, and the members of a group that shares it.
/// A file of a group was made by a member of it, or by the system: nobody else can give a file to a group.
struct Owners: Sendable, Hashable {
  let sharedWith: UnixGroup?

  init(sharedWith group: UnixGroup? = nil) {
    sharedWith = group
  }

  /// Whether what is there is theirs.
  func have(_ status: stat) -> Bool {
    status.st_uid == geteuid() || status.st_uid == 0 || isShared(status)
  }

  /// Of these rights, as `0o022`, those that somebody else has.
  func othersRights(_ rights: mode_t, _ status: stat) -> mode_t {
    status.st_mode & (isShared(status) ? rights & 0o007 : rights)
  }

  func isShared(_ status: stat) -> Bool { sharedWith.map { $0.id == status.st_gid } ?? false }

  /// Gives what this process has just made to the group.
  ///
  /// - Returns: whether it could; the error number says why not.
  func share(_ path: String, _ ownMode: mode_t, _ sharedMode: mode_t) -> Bool {
    guard let sharedWith else { return chmod(path, ownMode) == 0 }
    return chown(path, uid_t.max, sharedWith.id) == 0 && chmod(path, sharedMode) == 0
  }
}
