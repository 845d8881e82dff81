#if NATS
  import StarlingLogTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(30))) struct `A log in a stream` {
    @Test(arguments: LogContract.all + LogContract.keeping + LogContract.retracting + LogContract.checkpoints)
    func `holds to what a log guarantees`(_ clause: LogContract) async throws {
      let server = try await Server(Server.jetStream)
      try await clause.check(JetStreamHome(server))
    }

    @Test(arguments: LogContract.all + LogContract.keeping + LogContract.retracting + LogContract.checkpoints)
    func `does so where a message holds little`(_ clause: LogContract) async throws {
      let server = try await Server("max_payload: 400\n" + Server.jetStream)
      try await clause.check(JetStreamHome(server))
    }

    @Test(
      arguments: LogContract.all + LogContract.keeping + LogContract.retracting + LogContract.checkpoints)
    func `does so where the index is written again and again`(_ clause: LogContract) async throws {
      let server = try await Server("max_payload: 600\n" + Server.jetStream)
      var home = JetStreamHome(server)
      home.limits.messageCountPerIndex = 2
      try await clause.check(home)
    }
  }
#endif
