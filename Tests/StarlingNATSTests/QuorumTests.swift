#if NATS
  import StarlingEngine
  import StarlingLogTestSupport
  import StarlingTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(10))) struct `A leader that was cut off` {
    @Test func `is asked again, and is not taken for another stream`() async throws {
      let cluster = try await Cluster()
      _ = try await JetStreamHome(cluster).log().open()
      let leader = try cluster.leader(of: "STARLING_test")
      var home = JetStreamHome(leader)
      home.replicas = 3
      let log = home.log()
      _ = try await log.open()
      try await log.append([record(ada, 1)])

      let others = cluster.servers.filter { $0 !== leader }
      let former = try FormerLeader(at: leader, of: "STARLING_test", root: "starlinglog1.test", last: 1)
      // Nobody else can answer until then.
      for server in others { server.standStill() }
      async let returning: Void = {
        await former.hasAnswered(3)
        former.end()
        for server in others { try await server.comeBack() }
      }()
      await #expect(throws: Never.self) { try await log.append([record(ada, 2)]) }
      former.end()
      try await returning
      expectEqual(try await log.recover(library).records, [record(ada, 1), record(ada, 2)])
    }
  }
#endif
