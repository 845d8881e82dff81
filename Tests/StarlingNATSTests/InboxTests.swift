#if NATS
  import StarlingTestSupport
  import StarlingThread
  import Testing

  @testable import StarlingNATS

  /// A connection is made beside the link's thread, where there was none; the link may be closed by
  /// the time that it stands.
  @Suite(.timeLimit(.minutes(5))) struct `A connection that stands when its link is closed` {
    @Test(arguments: [false, true]) func `is closed too`(_ waits: Bool) async throws {
      let server = try await Server("debug: true")
      let rounds = LinkRounds.start()
      defer { rounds.thread.end(waits: true) }
      let shared = SharedState(
        servers: try Servers([server.url], access: NATSAccess()), limits: .brisk, thread: rounds.thread)
      let connection = try shared.connect()
      if waits {
        shared.inbox.tell(made: .success(connection))
        shared.inbox.close()
      } else {
        shared.inbox.close()
        shared.inbox.tell(made: .success(connection))
      }
      #expect(await Turns.pass { server.said.contains("Client connection closed") })
      #expect(shared.inbox.takeAll().made == nil)
    }
  }
#endif
