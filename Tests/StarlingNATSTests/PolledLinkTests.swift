#if NATS
  import StarlingEngine
  import StarlingNATS
  import StarlingTestSupport
  import StarlingZeroMQ
  import Testing

  @Suite(.timeLimit(.minutes(5))) struct `A link that reads its socket itself` {
    /// So many that libnats' own thread delivers some of them (`PolledSubscriptions`).
    private static let topics = (0..<1100).map { String(UInt64($0) + 0x1000, radix: 16) }

    @Test func `shares the thread of another link, unless servers are spoken to over TLS`() throws {
      let sockets = ZeroMQLink()
      defer { sockets.stop(linger: .zero) }
      let shared = try NATSLink(servers: ["nats://127.0.0.1:4222"], group: "test", sharing: sockets.rounds)
      #expect(shared.executor === sockets.executor)
      let secure = try NATSLink(servers: ["tls://127.0.0.1:4222"], group: "test", sharing: sockets.rounds)
      #expect(secure.executor !== sockets.executor)
      let own = try NATSLink(servers: ["nats://127.0.0.1:4222"], group: "test")
      #expect(own.executor !== sockets.executor)
      for link in [secure, own] { link.stop(linger: .zero) }
    }

    @Test(arguments: [false, true])
    func `brings what is published under each of a thousand topics, once`(_ isSealed: Bool) async throws {
      let server = try await Server()
      let pair =
        isSealed
        ? try await Pair.sealed(server, topics: Self.topics, as: .relays).pair
        : try await Pair(server, topics: Self.topics)
      _ = try await pair.greet()
      let frames = Self.topics.reversed().map { $0 + " is the topic" }
      for frame in frames { await pair.binder.publish(frame) }
      try await pair.dialler.until("all") { $0.frames.count >= frames.count }
      #expect(await pair.dialler.story.dropFirst().sorted() == frames.map { "published \($0)" }.sorted())
      #expect(pair.dialler.link.counters.messagesUnopened == 0)
      await pair.stop()
    }

    @Test func `brings the last words of one who leaves, under whatever topic`() async throws {
      let server = try await Server()
      let pair = try await Pair(server, topics: Self.topics)
      _ = try await pair.greet()
      let frames = [Self.topics.first!, Self.topics.last!].map { $0 + ", farewell" }
      for frame in frames { await pair.binder.publish(frame) }
      await pair.binder.stop()
      try await pair.dialler.until("the end") { $0.story.last == "closed" }
      #expect(await pair.dialler.story == ["opened by us"] + frames.map { "published \($0)" } + ["closed"])
      await pair.dialler.stop()
    }

    @Test func `keeps so much for a server that takes nothing, and no more`() async throws {
      let server = try await Server()
      var limits = NATSLink.Limits.brisk
      limits.waitingByteCountMax = 1 << 20
      let pair = try await Pair(server, topics: ["abcd"], limits: limits)
      _ = try await pair.greet()
      server.standStill()
      let frame = Array("abcd".utf8) + Array(repeating: UInt8(0), count: 500_000)
      // What the system's buffers take comes first.
      let word: @Sendable () async -> Void = { await pair.binder.publish(bytes: frame) }
      try await pair.binder.until("a refusal", asking: word) { $0.link.counters.framesUndelivered > 0 }
      #expect(pair.binder.link.counters.framesPublished < 100)
      try await server.comeBack()
      await pair.stop()
    }
  }
#endif
