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

@Suite struct `An endpoint` {
  @Test(arguments: [
    "", "7400", "udp://127.0.0.1:1", "tcp://127.0.0.1", "tcp://127.0.0.1:", "tcp://:7400", "tcp://127.0.0.1:65535",
    "tcp://127.0.0.1:70000", "tcp://127.0.0.1:x", "tcp://::1:7400", "tcp://[::1]", "tcp://[::1]7400", "tcp://[::1:7400",
    "tcp://[host]:7400", "ipc://", "ipc://relative/name", "ipc:///run/",
    "ipc://@abstract", "inproc://name", "tcp://key@127.0.0.1:7400",
  ])
  func `that cannot be read is refused with a word about it`(text: String) async throws {
    try await Party.with { party in
      for call in [0, 1] {
        let error = await #expect(throws: LinkError.self) {
          _ = call == 0 ? try await party.bind(text) : String(describing: try await party.connect(to: text))
        }
        #expect(error?.code == .endpoint)
        #expect(error?.message.contains("'\(text)'") == true)
      }
    }
  }

  @Test(arguments: [
    "0.0.0.0", "192.0.2.7", "128.0.0.1", "255.255.255.255", "[::]", "[2001:db8::1]", "[::2]", "[fe80::1]",
    "[::ffff:192.0.2.7]", "[::127.0.0.1]",
  ])
  func `beyond loopback is not bound, and the error says what it would take`(host: String) async throws {
    try await Party.with { party in
      let error = await #expect(throws: LinkError.self) { try await party.bind("tcp://\(host):7400") }
      #expect(error?.code == .endpoint)
      #expect(error?.message.contains("name the keys that they admit") == true)
    }
  }

  @Test(arguments: [
    "0.0.0.0", "192.0.2.7", "example.org", "[::]", "[2001:db8::1]", "[::ffff:192.0.2.7]", "[::127.0.0.1]",
  ])
  func `beyond loopback is not dialled without a key, and the error says how`(host: String) async throws {
    let keys = try KeyPair()
    for security in [nil, ZeroMQLink.Security(keys: keys) { _ in .everything }] {
      try await Party.with(security: security) { party in
        let error = await #expect(throws: LinkError.self) { try await party.connect(to: "tcp://\(host):7400") }
        #expect(error?.code == .endpoint)
        #expect(error?.message.contains("Dial tcp://KEY@") == true)
        _ = try await party.connect(to: "tcp://\(keys.publicKey)@\(host):7400")
      }
    }
  }

  @Test(arguments: [0o777, 0o1777, 0o770])
  func `in a directory that others may change is neither bound nor dialled`(mode: Int) async throws {
    try await withScratchDirectory { directory in
      for shared in [directory, "\(directory)/inner"] {
        if shared != directory { mkdir(shared, 0o700) }
        chmod(directory, mode_t(mode))
        // A directory within one whose files only their owners replace is safe.
        let isSafe = shared != directory && mode & 0o1000 != 0
        try await Party.with { party in
          for call in [0, 1] {
            let text = "ipc://\(shared)/a"
            do {
              _ = call == 0 ? String(describing: try await party.connect(to: text)) : try await party.bind(text)
              #expect(isSafe)
            } catch let error as LinkError {
              #expect(!isSafe && error.code == .system && error.message.contains("other users"), "\(error)")
            }
          }
        }
        chmod(directory, 0o700)
      }
    }
  }

  @Test func `whose socket is open to others is not dialled`() async throws {
    try await withScratchDirectory { directory in
      leaveSocket(at: "\(directory)/a.ask")
      chmod("\(directory)/a.ask", 0o666)
      try await Party.with { party in
        let error = await #expect(throws: LinkError.self) { try await party.connect(to: "ipc://\(directory)/a") }
        #expect(error?.message.contains("chmod 600") == true)
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "needs root, who alone can make files of another user"))
  func `of another user is neither bound nor dialled`() async throws {
    try await withScratchDirectory { directory in
      let foreign = "\(directory)/foreign"
      mkdir(foreign, 0o700)
      chown(foreign, 65_534, 65_534)
      leaveSocket(at: "\(directory)/a.ask")
      chmod("\(directory)/a.ask", 0o600)
      chown("\(directory)/a.ask", 65_534, 65_534)
      try await Party.with { party in
        for call in [0, 1, 2] {
          let error = await #expect(throws: LinkError.self) {
            switch call {
            case 0: _ = try await party.connect(to: "ipc://\(directory)/a")
            case 1: _ = try await party.connect(to: "ipc://\(foreign)/a")
            default: _ = try await party.bind("ipc://\(foreign)/a")
            }
          }
          #expect(error?.message.contains("belongs to user 65534") == true)
        }
      }
    }
  }

  @Test func `by name is bound as numbers only, except localhost`() async throws {
    try await Party.with { party in
      let error = await #expect(throws: LinkError.self) { try await party.bind("tcp://example.org:7400") }
      #expect(error?.code == .endpoint)
      let bound = try await party.bind("tcp://localhost:0")
      #expect(bound.hasPrefix("tcp://127.0.0.1:"))
    }
  }

  @Test(arguments: [
    ("tcp://[::1]:0", "tcp://[::1]:"), ("tcp://[0:0::0:1]:0", "tcp://[::1]:"),
    ("tcp://[::ffff:127.0.0.1]:0", "tcp://127.0.0.1:"), ("tcp://[::ffff:7f00:2]:0", "tcp://127.0.0.2:"),
  ]) func `of loopback is bound and dialled, also as IPv6`(text: String, bound: String) async throws {
    try await Pair.with(text) { pair in
      #expect(pair.endpoint.hasPrefix(bound), "\(pair.endpoint)")
      _ = try await pair.greet()
      try await pair.subscribe(to: "aaaa")
    }
  }

  @Test func `of IPv6 that another link holds is in use`() async throws {
    try await Party.with { first in
      let endpoint = try await first.bind("tcp://[::1]:0")
      try await Party.with { second in
        let error = await #expect(throws: LinkError.self) { try await second.bind(endpoint) }
        #expect(error?.code == .inUse)
      }
    }
  }

  @Test func `without a port gets a free pair, each its own`() async throws {
    try await Party.with { party in
      var endpoints: Set<String> = []
      for _ in 0..<20 { endpoints.insert(try await party.bind("tcp://127.0.0.1:0")) }
      #expect(endpoints.count == 20)
      let error = await #expect(throws: LinkError.self) { try await party.connect(to: "tcp://127.0.0.1:0") }
      #expect(error?.code == .endpoint)
    }
  }

  @Test func `that another link holds is in use`() async throws {
    try await withScratchDirectory { directory in
      for endpoint in endpoints(in: directory) {
        try await Pair.with(endpoint) { pair in
          try await Party.with { second in
            let error = await #expect(throws: LinkError.self) { try await second.bind(pair.endpoint) }
            #expect(error?.code == .inUse)
            // Nor half of it, and the first goes on.
            _ = try await pair.greet()
            try await pair.subscribe(to: "aaaa")
          }
        }
      }
    }
  }

  @Test func `with one port taken is not half bound`() async throws {
    try await Party.with { first in
      let taken = port(of: try await first.bind("tcp://127.0.0.1:0"))
      try await Party.with { second in
        // The port before: its own is free unless somebody else came by, its successor is not.
        let error = await #expect(throws: LinkError.self) { try await second.bind("tcp://127.0.0.1:\(taken - 1)") }
        #expect(error?.code == .inUse)
        await #expect(throws: LinkError.self) { try await second.bind("tcp://127.0.0.1:\(taken + 1)") }
      }
    }
  }

  @Test func `whose sockets somebody left behind is bound again`() async throws {
    try await withScratchDirectory { directory in
      for name in ["a.ask", "a.pub"] { leaveSocket(at: "\(directory)/\(name)") }
      try await Pair.with("ipc://\(directory)/a") { pair in
        _ = try await pair.greet()
      }
      #expect(names(in: directory).isEmpty)
    }
  }

  @Test func `where another file lies is left alone`() async throws {
    try await withScratchDirectory { directory in
      let path = "\(directory)/a.pub"
      close(creat(path, 0o600))
      try await Party.with { party in
        let error = await #expect(throws: LinkError.self) { try await party.bind("ipc://\(directory)/a") }
        #expect(error?.code == .inUse)
        #expect(names(in: directory) == ["a.pub"])
      }
      #expect(names(in: directory) == ["a.pub"])
    }
  }

  @Test func `belongs to this user alone, and is gone after stop`() async throws {
    try await withScratchDirectory { directory in
      try await Party.with { party in
        _ = try await party.bind("ipc://\(directory)/a")
        for name in ["a.ask", "a.pub"] {
          var status = stat()
          #expect(lstat("\(directory)/\(name)", &status) == 0)
          #expect(status.st_mode & 0o077 == 0)
        }
      }
      #expect(names(in: directory).isEmpty)
    }
  }

  @Test func `that was taken over since is not taken away at stop`() async throws {
    try await withScratchDirectory { directory in
      let first = Party()
      try await first.start()
      _ = try await first.bind("ipc://\(directory)/a")
      for name in ["a.ask", "a.pub"] { unlink("\(directory)/\(name)") }
      try await Party.with { second in
        _ = try await second.bind("ipc://\(directory)/a")
        await first.stop()
        #expect(names(in: directory) == ["a.ask", "a.pub"])
      }
    }
  }

  @Test func `whose path is too long says how long it may be`() async throws {
    try await Party.with { party in
      let byteCountMax = Portable.socketPathByteCountMax - ".ask".utf8.count
      let fits = try await withScratchDirectory { directory in
        let fits = "ipc://\(directory)/" + String(repeating: "x", count: byteCountMax - directory.utf8.count - 1)
        _ = try await party.connect(to: fits)
        return fits
      }
      for call in [0, 1] {
        let error = await #expect(throws: LinkError.self) {
          _ = call == 0 ? try await party.bind(fits + "y") : String(describing: try await party.connect(to: fits + "y"))
        }
        #expect(error?.code == .endpoint)
        #expect(error?.message.contains("\(byteCountMax + 1) bytes, a socket's may have \(byteCountMax).") == true)
      }
    }
  }

  @Test func `in a directory that is not there cannot be bound`() async throws {
    try await Party.with { party in
      let error = await #expect(throws: LinkError.self) { try await party.bind("ipc:///nonexistent/directory/a") }
      #expect(error?.code == .system)
    }
  }

  @Test func `goes to one of those who bind it at the same moment`() async throws {
    try await withScratchDirectory { directory in
      for name in ["a.ask", "a.pub"] { leaveSocket(at: "\(directory)/\(name)") }
      let parties = (0..<8).map { _ in Party() }
      for party in parties { try await party.start() }
      let boundCount = await withTaskGroup(of: Bool.self) { group in
        for party in parties { group.addTask { (try? await party.bind("ipc://\(directory)/a")) != nil } }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(boundCount == 1)
      for party in parties { await party.stop() }
    }
  }
}

/// A socket file on which nobody listens, as a process leaves it that was killed.
func leaveSocket(at path: String) {
  let descriptor = socket(AF_UNIX, Portable.streamType, 0)
  var name = sockaddr_un()
  name.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
  let result = withUnsafePointer(to: &name) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) + listen(descriptor, 1)
    }
  }
  precondition(result == 0)
  close(descriptor)
}
