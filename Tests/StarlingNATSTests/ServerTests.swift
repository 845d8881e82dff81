#if NATS
  import StarlingEngine
  import StarlingNATS
  import Testing

  @Suite(.timeLimit(.minutes(10))) struct `A NATS server` {
    private func refusal(of servers: [String]) throws -> LinkError? {
      #expect(throws: LinkError.self) {
        let link = try NATSLink(servers: servers, group: "test", limits: .brisk)
        try link.start(tick: .seconds(1)) { _ in }
      }
    }

    @Test func `that cannot be reached is named, with what to do, and without the password`() async throws {
      let server = try await Server()
      server.kill()
      let error = try refusal(of: ["nats://ada:secret@127.0.0.1:\(server.port)"])
      #expect(error?.code == .unreachable)
      #expect(error?.message.contains("nats://127.0.0.1:\(server.port)") == true)
      #expect(error?.message.contains("Start one there (nats-server)") == true)
      #expect(error?.message.contains("secret") == false)
    }

    @Test func `that is not named is asked for`() async throws {
      #expect(try refusal(of: [])?.code == .endpoint)
      let error = try refusal(of: ["nats://127.0.0.1:port"])
      #expect(error?.code == .endpoint, "\(String(describing: error))")
    }

    @Test func `that asks for a password lets in a client that has it`() async throws {
      let server = try await Server("authorization: { user: ada, password: secret }")
      let error = try refusal(of: [server.url])
      #expect(error?.code == .system)
      #expect(error?.message.contains("user and password") == true)
      let link = try NATSLink(servers: ["nats://ada:secret@127.0.0.1:\(server.port)"], group: "test", limits: .brisk)
      try link.start(tick: .seconds(1)) { _ in }
      link.stop(linger: .zero)
    }

    @Test func `that has no place for another client may be asked again`() async throws {
      let server = try await Server("max_connections: 1")
      let first = try NATSLink(servers: [server.url], group: "test", limits: .brisk)
      try first.start(tick: .seconds(1)) { _ in }
      let error = try refusal(of: [server.url])
      #expect(error?.code == .unreachable)
      #expect(error?.message.contains("a NATS server that is full") == true, "\(String(describing: error))")
      first.stop(linger: .zero)
    }

    @Test func `that takes too little at once is refused by its limit`() async throws {
      let server = try await Server("max_payload: 16")
      let error = try refusal(of: [server.url])
      #expect(error?.code == .system)
      #expect(error?.message.contains("16 bytes") == true)
      #expect(error?.message.contains("max_payload") == true)
    }

    @Test func `that dies closes every session, and opens them again when it is back`() async throws {
      let server = try await Server()
      let pair = try await Pair(server, topics: ["abcd"])
      let before = try await pair.greet()
      server.kill()
      for party in [pair.dialler, pair.binder] {
        try await party.until("the end") { $0.story.last == "closed" }
        #expect(await party.reasons == ["The connection to the NATS server was lost."])
        #expect(party.link.endpoints() == nil)
      }
      #expect(await !pair.dialler.send("lost", to: pair.peer))
      try await server.start()
      try await pair.dialler.until("the return") { $0.story == ["opened by us", "closed", "opened by us"] }
      let after = try await pair.greet()
      #expect(after != before)
      await pair.binder.publish("abcdef")
      try await pair.dialler.until("a frame") { $0.story.last == "published abcdef" }
      #expect(pair.dialler.link.counters.reconnects == 1)
      await pair.stop()
    }

    @Test func `is not asked for what no link can be`() async throws {
      let server = try await Server()
      for name in ["", "a b", "a*", "a>", String(repeating: "a", count: 65)] {
        #expect(throws: LinkError.self) { try NATSLink(servers: [server.url], group: name) }
      }
      let party = try await Party.at(server)
      let endpoint = try await party.bind()
      for wrong in ["nats:other/0123456789abcdef", "nats:test/", "nats:test/0123456789ABCDEF", "tcp://127.0.0.1:1"] {
        #expect(await throwing { _ = try await party.connect(to: wrong) }?.code == .endpoint)
      }
      _ = try await party.connect(to: "nats:test/0123456789abcdef")
      #expect(await throwing { _ = try await party.connect(to: "nats:test/0123456789abcdef") }?.code == .misuse)
      #expect(throws: LinkError.self) { try party.link.start(tick: .seconds(1)) { _ in } }
      #expect(endpoint.hasPrefix("nats:test/"))
      await party.stop()
    }

    private func throwing(_ body: () async throws -> Void) async -> LinkError? {
      do {
        try await body()
        return nil
      } catch {
        return error as? LinkError
      }
    }
  }
#endif
