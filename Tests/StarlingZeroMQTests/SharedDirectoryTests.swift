import StarlingEngine
import Testing

@testable import StarlingZeroMQ

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct `A directory of sockets that a Unix group shares` {
  private let own = UnixGroup(name: "own", id: getegid())

  private static func status(_ path: String) -> stat {
    var status = stat()
    #expect(lstat(path, &status) == 0)
    return status
  }

  private static let isRoot = geteuid() == 0
  private static let stranger: uid_t = 65_001
  private static let theirs: gid_t = 65_002

  @Test func `is open to the group, with all that lies there, and to nobody else`() async throws {
    try await withScratchDirectory { scratch in
      let directory = try IPCDirectory(group: "library", parent: "\(scratch)/starling", sharedWith: own)
      #expect(Self.status("\(scratch)/starling").st_mode & 0o7777 == 0o750)
      #expect(Self.status(directory.path).st_mode & 0o7777 == 0o2770)
      try await Party.with(sharedWith: own) { party in
        _ = try await party.bind(directory.endpoint(for: "daemon"))
        for file in ["daemon.ask", "daemon.pub"] {
          let status = Self.status("\(directory.path)/\(file)")
          #expect(status.st_mode & 0o777 == 0o660)
          #expect(status.st_gid == own.id)
        }
      }
      let signs = LifeSignFiles(directory)
      #expect(signs.show("daemon"))
      #expect(Self.status("\(directory.path)/daemon.life").st_mode & 0o777 == 0o640)
    }
  }

  @Test func `is refused by a process that has not named the group, and where it is open to all`() async throws {
    try await withScratchDirectory { scratch in
      let directory = try IPCDirectory(group: "library", parent: scratch, sharedWith: own)
      let unnamed = #expect(throws: LinkError.self) { try IPCDirectory(group: "library", parent: scratch) }
      #expect(unnamed?.message.contains("name the Unix group") == true)
      #expect(chmod(directory.path, 0o2777) == 0)
      let open = #expect(throws: LinkError.self) {
        try IPCDirectory(group: "library", parent: scratch, sharedWith: own)
      }
      #expect(open?.message.contains("chmod 2770") == true)
    }
  }

  @Test func `is refused where another group has it`() async throws {
    try await withScratchDirectory { scratch in
      _ = try IPCDirectory(group: "library", parent: scratch)
      let other = UnixGroup(name: "other", id: getegid() + 1)
      let refusal = #expect(throws: LinkError.self) {
        try IPCDirectory(group: "library", parent: scratch, sharedWith: other)
      }
      #expect(refusal?.message.contains("not to 'other'") == true)
    }
  }

  /// Files of another user, which only the system may make for a test.
  @Test(.enabled(if: isRoot, "needs the rights to make files of other users"))
  func `holds sockets of others of the group, and no strangers'`()
    async throws
  {
    try await withScratchDirectory { scratch in
      let group = UnixGroup(name: "theirs", id: Self.theirs)
      let parent = "\(scratch)/starling"
      let directory = try IPCDirectory(group: "library", parent: parent, sharedWith: group)
      for path in [parent, directory.path] { #expect(chown(path, Self.stranger, Self.theirs) == 0) }
      #expect(chmod(directory.path, 0o2770) == 0)
      #expect(throws: Never.self) { try IPCDirectory(group: "library", parent: parent, sharedWith: group) }
      let place = SocketPlace(owners: Owners(sharedWith: group))
      #expect(throws: Never.self) { try place.check("\(directory.path)/daemon") }
      #expect(throws: LinkError.self) { try SocketPlace(owners: Owners()).check("\(directory.path)/daemon") }
      // A file that is not the group's is a stranger's.
      let listener = try SocketFile.makeListener(at: "\(directory.path)/daemon.ask", for: Owners(sharedWith: group))
      defer { close(listener) }
      #expect(chown("\(directory.path)/daemon.ask", Self.stranger, Self.theirs) == 0)
      #expect(throws: Never.self) { try place.checkFile("\(directory.path)/daemon.ask") }
      #expect(chown("\(directory.path)/daemon.ask", Self.stranger, Self.theirs + 1) == 0)
      #expect(throws: LinkError.self) { try place.checkFile("\(directory.path)/daemon.ask") }
    }
  }

  @Test func `is shared with a group that there is, and that this process is in`() {
    let unknown = #expect(throws: LinkError.self) { try UnixGroup(named: "no-such-group") }
    #expect(unknown?.message.contains("'no-such-group'") == true)
    let name = getgrgid(getegid()).map { String(cString: $0.pointee.gr_name) }
    if let name { #expect((try? UnixGroup(named: name))?.id == getegid()) }
  }
}
