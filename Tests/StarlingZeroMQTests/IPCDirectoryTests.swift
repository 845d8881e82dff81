import StarlingEngine
import StarlingZeroMQ
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct `The directory of sockets` {
  @Test func `is made for this user alone`() async throws {
    try await withScratchDirectory { scratch in
      let directory = try IPCDirectory(group: "library", parent: "\(scratch)/starling")
      #expect(directory.path == "\(scratch)/starling/library")
      for path in [directory.path, "\(scratch)/starling"] {
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
      }
      #expect(try directory.list().isEmpty)
      // A second one finds it.
      #expect(try IPCDirectory(group: "library", parent: "\(scratch)/starling") == directory)
    }
  }

  @Test func `lists who is there`() async throws {
    try await withScratchDirectory { scratch in
      let directory = try IPCDirectory(group: "g", parent: scratch)
      try await Pair.with(directory.endpoint(for: "one")) { pair in
        try await Party.with { second in
          _ = try await second.bind(directory.endpoint(for: "two"))
          #expect(try directory.list() == ["one", "two"])
          _ = try await pair.greet()
        }
        #expect(try directory.list() == ["one"])
      }
      #expect(try directory.list().isEmpty)
    }
  }

  @Test func `finds the daemons of the same group elsewhere, and neither itself nor the dead`() async throws {
    try await withScratchDirectory { scratch in
      let here = try IPCDirectory(group: "g", parent: "\(scratch)/here")
      let there = try IPCDirectory(group: "g", parent: "\(scratch)/there")
      let dead = try IPCDirectory(group: "g", parent: "\(scratch)/dead")
      leaveSocket(at: "\(dead.path)/d.ask")
      let places = ["here", "there", "dead", "nowhere", "here/../there"].map { "\(scratch)/\($0)" }
      try await Party.with { party in
        _ = try await party.bind(there.endpoint(for: "d"))
        let found = here.daemonsElsewhere(named: "d", lookingIn: places)
        #expect(found.map(\.parent) == ["\(scratch)/there"])
        #expect(found.allSatisfy { $0.isOwn && $0.isOpen })
        #expect(!here.hasDaemon(named: "d") && there.hasDaemon(named: "d"))
        #expect(there.daemonsElsewhere(named: "d", lookingIn: places).isEmpty)
        if geteuid() == 0 {
          chown(there.path, 65_534, 65_534)
          #expect(here.daemonsElsewhere(named: "d", lookingIn: places).map(\.user) == [65_534])
          chown(there.path, 0, 0)
        }
      }
    }
  }

  @Test func `does not list what is half there or something else`() async throws {
    try await withScratchDirectory { scratch in
      let directory = try IPCDirectory(group: "g", parent: scratch)
      leaveSocket(at: "\(directory.path)/half.ask")
      close(creat("\(directory.path)/notes.txt", 0o600))
      #expect(try directory.list().isEmpty)
    }
  }

  @Test func `forgets the dead and keeps the living`() async throws {
    try await withScratchDirectory { scratch in
      let directory = try IPCDirectory(group: "g", parent: scratch)
      for name in ["dead.ask", "dead.pub", "half.pub"] { leaveSocket(at: "\(directory.path)/\(name)") }
      try await Pair.with(directory.endpoint(for: "alive")) { pair in
        #expect(try directory.list() == ["alive", "dead"])
        #expect(directory.removeStale() == ["dead", "half"])
        #expect(directory.removeStale() == [])
        #expect(names(in: directory.path) == ["alive.ask", "alive.pub"])
        // To be asked disturbs nobody.
        _ = try await pair.greet()
        #expect(await pair.dialler.closed.isEmpty)
      }
    }
  }

  @Test(arguments: ["", ".", "..", "a/b", "a b", "ä", "a\n", String(repeating: "x", count: 65)])
  func `refuses a group name that cannot be one`(name: String) async throws {
    try await withScratchDirectory { scratch in
      let error = #expect(throws: LinkError.self) { try IPCDirectory(group: name, parent: scratch) }
      #expect(error?.code == .endpoint)
      #expect(names(in: scratch).isEmpty)
    }
  }

  @Test(arguments: ["a", "A.b_c-9", "...x", String(repeating: "x", count: 64)])
  func `takes a group name that can`(name: String) async throws {
    try await withScratchDirectory { scratch in
      let directory = try IPCDirectory(group: name, parent: scratch)
      #expect(directory.path == "\(scratch)/\(name)")
    }
  }

  @Test func `refuses one that is open to others, and says how to close it`() async throws {
    try await withScratchDirectory { scratch in
      mkdir("\(scratch)/g", 0o700)
      chmod("\(scratch)/g", 0o750)
      let error = #expect(throws: LinkError.self) { try IPCDirectory(group: "g", parent: scratch) }
      #expect(error?.code == .system)
      #expect(error?.message.contains("chmod 700 '\(scratch)/g'") == true)
    }
  }

  @Test func `refuses a symbolic link, and something that is no directory`() async throws {
    try await withScratchDirectory { scratch in
      mkdir("\(scratch)/elsewhere", 0o700)
      symlink("\(scratch)/elsewhere", "\(scratch)/g")
      let link = #expect(throws: LinkError.self) { try IPCDirectory(group: "g", parent: scratch) }
      #expect(link?.message.contains("a symbolic link") == true)
      close(creat("\(scratch)/f", 0o600))
      let file = #expect(throws: LinkError.self) { try IPCDirectory(group: "f", parent: scratch) }
      #expect(file?.message.contains("no directory") == true)
    }
  }

  @Test func `refuses a parent in which others could put another in its place`() async throws {
    try await withScratchDirectory { scratch in
      mkdir("\(scratch)/parent", 0o700)
      chmod("\(scratch)/parent", 0o777)
      let error = #expect(throws: LinkError.self) { try IPCDirectory(group: "g", parent: "\(scratch)/parent") }
      #expect(error?.code == .system)
      chmod("\(scratch)/parent", 0o1777)
      _ = try IPCDirectory(group: "g", parent: "\(scratch)/parent")
    }
  }

  @Test func `refuses a path that leaves no space for a socket, and one that begins nowhere`() async throws {
    try await withScratchDirectory { scratch in
      let long = "\(scratch)/\(String(repeating: "x", count: 80))"
      let error = #expect(throws: LinkError.self) { try IPCDirectory(group: "g", parent: long) }
      #expect(error?.code == .endpoint)
      #expect(error?.message.contains("Choose a shorter directory or group") == true)
      let relative = #expect(throws: LinkError.self) { try IPCDirectory(group: "g", parent: "sockets") }
      #expect(relative?.code == .endpoint)
    }
  }
}
