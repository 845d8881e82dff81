#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(10))) struct `A replica id in a stream` {
    /// A log that was closed in good order.
    private func closed(_ server: Server) async throws -> JetStreamHome {
      let home = JetStreamHome(server)
      let log = home.log()
      _ = try await log.open()
      try await log.append([record(ada, 1), record(bob, 1, in: garden)])
      try await log.close(continuing: ada)
      return home
    }

    @Test func `is handed on run after run where each closes, and once for each close`() async throws {
      let home = try await closed(try await Server(Server.jetStream))
      for counter in 2...4 as ClosedRange<UInt64> {
        let log = home.log()
        #expect(try await log.open().replica == ada)
        try await log.append([record(ada, counter)])
        try await log.close(continuing: ada)
      }
      #expect(try await home.log().open().replica == ada)
      #expect(try await home.log().open().replica == nil)
    }

    /// The servers went, and with them whatever they had not brought to their disks: the stream may end too early.
    @Test func `is not handed on once the servers were stopped`() async throws {
      let server = try await Server(Server.jetStream)
      let home = try await closed(server)
      server.kill()
      try await server.start()
      let log = home.log()
      #expect(try await log.open().replica == nil)
      expectEqual(try await log.recover(library).records, [record(ada, 1)])
      try await log.close(continuing: bob)
      #expect(try await home.log().open().replica == bob)
    }

    /// A stream that was put back from a backup ends with a mark, and the witness knows of an opening since.
    @Test func `is not handed on from a backup`() async throws {
      let server = try await Server(Server.jetStream)
      let home = try await closed(server)
      let servers = try JetStreamConnection(to: Servers([server.url]), limits: .patient)
      var witness = try LogWitness(LogSubjects(name: "test")!, replicas: 1, at: servers)
      try witness.say(.opened, by: 1)
      try witness.say(.closed, by: 1)
      #expect(try await home.log().open().replica == nil)
    }

    @Test func `is not handed on where anything follows the mark, or was lost before it`() async throws {
      for isFollowed in [true, false] {
        let server = try await Server(Server.jetStream)
        let home = try await closed(server)
        let stream = try LogStream.ofTest(server)
        if isFollowed {
          try stream.force(
            { StreamPart(.records, isLast: false, session: 1, first: $0, bytes: [1]).encoded() }, to: "records.a")
        } else {
          // The records that the mark tells of, of both documents, and the opening.
          stream.purge(before: 3)
        }
        #expect(try await home.log().open().replica == nil)
      }
    }

    @Test func `is not handed on where a mark could not be left`() async throws {
      let home = JetStreamHome(try await Server(Server.jetStream))
      let log = home.log()
      _ = try await log.open()
      await expectError(.misuse) {
        try await log.append([LogRecord(document: library, replica: ada, firstCounter: 0, lastCounter: 1, bytes: [])])
      }
      let other = home.log()
      _ = try await other.open()
      await expectError(.busy) { try await log.close(continuing: ada) }
      try await other.close(continuing: bob)
      #expect(try await home.log().open().replica == bob)
    }
  }
#endif
