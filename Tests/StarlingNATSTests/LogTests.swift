#if NATS
  import StarlingLogTestSupport
  import Testing

  @Suite(.timeLimit(.minutes(30))) struct `A log in a stream` {
    @Test(arguments: LogContract.all + LogContract.keeping + LogContract.retracting)
    func `holds to what a log guarantees`(_ clause: LogContract) async throws {
      let server = try await Server(Server.jetStream)
      try await clause.check(JetStreamHome(server))
    }

    @Test(arguments: LogContract.all + LogContract.keeping + LogContract.retracting)
    func `does so where a message holds little`(_ clause: LogContract) async throws {
      let server = try await Server("max_payload: 400\n" + Server.jetStream)
      try await clause.check(JetStreamHome(server))
    }
  }
#endif
