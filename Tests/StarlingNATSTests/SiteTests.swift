#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import StarlingNATS
  import Testing

  /// The sites have groups of their own, so that nothing goes from one to the other but by the log.
  @Suite(.timeLimit(.minutes(10))) struct `A replica whose log is in a stream` {
    @Test func `goes on at another site with everything that it acknowledged`() async throws {
      let server = try await Server(Server.jetStream)
      let home = JetStreamHome(server)
      let first = try await Node(server, named: "first", group: "first", log: home.log())
      for count in 1...50 as ClosedRange<Int64> {
        first.set(.integer(count), for: .name("key \(count % 7)"))
        if count.isMultiple(of: 10) { try await first.engine.flush(Node.library, until: .durable) }
      }
      let second = try await Node(server, named: "second", group: "second", log: home.log())
      #expect(second.library.version == first.library.version)
      #expect(second.library.digest() == first.library.digest())

      second.set(.integer(51), for: "from the second")
      try await second.engine.flush(Node.library, until: .durable)
      first.set(.integer(52), for: "too late")
      try await first.until("that it was displaced") { event in
        if case .logFailed(let error) = event { error.code == .busy } else { false }
      }
      await expectError(.busy) { try await first.engine.flush(Node.library, until: .durable) }
      try await first.engine.close()

      let version = second.library.version
      let digest = second.library.digest()
      try await second.engine.close()
      let third = try await Node(server, named: "third", group: "third", log: home.log())
      #expect(third.library.version == version && third.library.digest() == digest)
      third.set(.integer(53), for: "from the third")
      #expect(third.library.version.entries.count == version.entries.count, "under the id of the second, which closed")
      #expect(third.value(of: "too late") == nil)
      try await third.engine.close()
    }
  }
#endif
