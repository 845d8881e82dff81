#if NATS
  import Foundation
  import Testing

  /// Daemons as they run, with their logs in a stream of a real server.
  @Suite(.timeLimit(.minutes(10))) struct `A daemon with its log in a stream` {
    @Test func `goes on at another site with everything that it acknowledged`() async throws {
      let server = try await Server(Server.jetStream)
      for (number, site) in ["a", "b", "a"].enumerated() {
        let daemon = try DaemonProgram(server, site: site)
        try await daemon.until("starlingd serves 'library' from stream STARLING_library")
        let program = try await SiteProgram(server, site: site)
        for earlier in 0..<number {
          #expect(await program.number(for: "n\(earlier)") == Int64(earlier))
        }
        try await program.set(Int64(number), for: "n\(number)")
        try await program.close()
        daemon.signal(SIGTERM)
        #expect(await daemon.end() == 0, "\(daemon.text)")
      }
    }

    @Test func `stands by while another holds the log, and takes over when that one is killed`() async throws {
      let server = try await Server(Server.jetStream)
      let first = try DaemonProgram(server, site: "a")
      try await first.until("serves 'library'")
      let second = try DaemonProgram(server, site: "b", ["--standby"])
      try await second.until("stands by for 'library': another process (pid \(first.pid), starlingd, on ")
      let program = try await SiteProgram(server, site: "a")
      for number in 0..<50 as Range<Int64> { try await program.set(number, for: "n\(number)") }
      first.signal(SIGKILL)
      _ = await first.end()
      try await program.close()
      try await second.until("serves 'library'")
      let reader = try await SiteProgram(server, site: "b")
      for number in 0..<50 as Range<Int64> {
        #expect(await reader.number(for: "n\(number)") == number)
      }
      try await reader.close()
      second.signal(SIGTERM)
      #expect(await second.end() == 0, "\(second.text)")
    }

    @Test func `ends with status 1 where it hung and a standby took over, and has acknowledged nothing since`()
      async throws
    {
      let server = try await Server(Server.jetStream)
      let first = try DaemonProgram(server, site: "a")
      try await first.until("serves 'library'")
      let second = try DaemonProgram(server, site: "b", ["--standby"])
      try await second.until("stands by")
      first.signal(SIGSTOP)
      try await second.until("serves 'library'")
      first.signal(SIGCONT)
      #expect(await first.end() == 1)
      #expect(first.text.contains("Another process (pid \(second.pid), starlingd, on "), "\(first.text)")
    }

    @Test func `stops with status 0 while it stands by`() async throws {
      let server = try await Server(Server.jetStream)
      let first = try DaemonProgram(server, site: "a")
      try await first.until("serves 'library'")
      let second = try DaemonProgram(server, site: "b", ["--standby"])
      try await second.until("stands by")
      second.signal(SIGTERM)
      #expect(await second.end() == 0, "\(second.text)")
    }

    /// The server that leads is killed together with the holder, as when a site burns down.
    @Test func `is taken over at another site with one of three servers gone`() async throws {
      let cluster = try await Cluster()
      let more = ["--log-replicas", "3", "--cluster", cluster.servers.map(\.url).joined(separator: ",")]
      let first = try DaemonProgram(cluster.servers[0], site: "a", more)
      try await first.until("serves 'library'")
      let second = try DaemonProgram(cluster.servers[1], site: "b", more + ["--standby"])
      try await second.until("stands by")
      let program = try await SiteProgram(cluster.servers[0], site: "a")
      for number in 0..<20 as Range<Int64> { try await program.set(number, for: "n\(number)") }
      cluster.servers[0].kill()
      first.signal(SIGKILL)
      _ = await first.end()
      try await program.close()
      try await second.until("serves 'library'")
      let reader = try await SiteProgram(cluster.servers[1], site: "b")
      for number in 0..<20 as Range<Int64> { #expect(await reader.number(for: "n\(number)") == number) }
      try await reader.set(20, for: "n20")
      try await reader.close()
      second.signal(SIGTERM)
      #expect(await second.end() == 0, "\(second.text)")
    }

    // MARK: Refusals

    @Test func `refuses a log that another daemon holds, and names that`() async throws {
      let server = try await Server(Server.jetStream)
      let first = try DaemonProgram(server, site: "a")
      try await first.until("serves 'library'")
      let second = try DaemonProgram(server, site: "b")
      #expect(await second.end() == 1)
      #expect(second.text.contains("(pid \(first.pid), starlingd, on "), "\(second.text)")
      let named = try DaemonProgram(server, site: "c", ["--log-name", "other"])
      try await named.until("serves 'library' from stream STARLING_other")
    }

    @Test func `refuses servers without JetStream, servers that are too few, and servers that do not answer`()
      async throws
    {
      let plain = try await Server()
      let off = try DaemonProgram(plain, site: "a")
      #expect(await off.end() == 1)
      #expect(off.text.contains("JetStream is not enabled at \(plain.url)"), "\(off.text)")
      plain.kill()
      let silent = try DaemonProgram(plain, site: "a")
      #expect(await silent.end() == 1)
      #expect(silent.text.contains(plain.url), "\(silent.text)")
      let one = try await Server(Server.jetStream)
      let few = try DaemonProgram(one, site: "a", ["--log-replicas", "3"])
      #expect(await few.end() == 1)
      #expect(few.text.contains("cannot keep as many replicas"), "\(few.text)")
    }

    @Test func `refuses what it is told that cannot be, with status 64`() async throws {
      let server = try await Server(Server.jetStream)
      for (more, words) in [
        (["--log", "elsewhere"], "no place of a log"), (["--log", "sqlite", "--standby"], "add --log jetstream"),
        (["--log-replicas", "2"], "1, 3 or 5"), (["--console", "127.0.0.1:0"], "--directory"),
      ] {
        let daemon = try DaemonProgram(server, site: "a", more)
        #expect(await daemon.end() == 64)
        #expect(daemon.text.contains(words), "\(daemon.text)")
      }
      let full = try DaemonProgram(server, site: "a", ["--log-name", "two words"])
      #expect(await full.end() == 1)
      #expect(full.text.contains("'two words' is no log's name"), "\(full.text)")
    }

    @Test func `says that its stream is full`() async throws {
      let server = try await Server("jetstream: { store_dir: store, max_file_store: 1048576 }")
      let daemon = try DaemonProgram(server, site: "a", ["--log-megabytes", "8"])
      #expect(await daemon.end() == 1)
      #expect(daemon.text.contains("no space left for the stream"), "\(daemon.text)")
    }
  }
#endif
