#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(10))) struct `Servers that keep no log` {
    private func refusal(
      _ code: LogError.Code = .unwritable, of servers: [String], replicas: Int = 1,
      _ set: (inout JetStreamLog.Limits) -> Void = { _ in }
    ) async throws -> String {
      var limits = JetStreamLog.Limits.patient
      set(&limits)
      let log = try JetStreamLog(servers: servers, name: "test", replicas: replicas, limits: limits)
      return await expectError(code) { _ = try await log.open() }?.message ?? ""
    }

    @Test func `for want of JetStream say so, in all accounts or in this one`() async throws {
      let without = try await Server()
      #expect(try await refusal(of: [without.url]).contains("JetStream is not enabled at \(without.url)"))
      let account = try await Server(
        Server.jetStream + "\naccounts: { A: { users: [{ user: ada, password: secret }] } }\nno_auth_user: ada")
      #expect(try await refusal(of: [account.url]).contains("Write 'jetstream: enabled' into it"))
    }

    @Test func `for want of servers say how many are needed`() async throws {
      let server = try await Server(Server.jetStream)
      let message = try await refusal(of: [server.url], replicas: 3)
      #expect(message.contains("as many servers in one cluster"))
    }

    @Test func `and do not answer, or are not named, are named with what to do`() async throws {
      let server = try await Server()
      server.kill()
      let message = try await refusal(of: ["nats://ada:secret@127.0.0.1:\(server.port)"]) {
        $0.connecting = .seconds(1)
      }
      #expect(message.contains("No NATS server answers at nats://127.0.0.1:\(server.port). Start one there"))
      let error = #expect(throws: LogError.self) { try JetStreamLog(servers: [], name: "test") }
      #expect(error?.code == .misuse)
      #expect(error?.message.contains("write at least one") == true)
    }

    @Test func `say what they do not like about a stream that is there`() async throws {
      let server = try await Server(Server.jetStream)
      let subjects = LogSubjects(name: "test")!
      _ = try LogStream(
        LogStream.Settings(name: subjects.stream, root: "other", replicas: 1, isInMemory: true, countMax: 1),
        at: JetStreamConnection(to: Servers([server.url]), limits: .patient))
      let message = try await refusal(of: [server.url])
      #expect(message.contains("The stream 'STARLING_test' at \(server.url) is not as a log needs it"))
      for fault in ["starlinglog1.test.> alone", "its storage", "max_msgs", "discard"] {
        #expect(message.contains(fault), "\(fault)")
      }
    }

    @Test func `and are full say so, and the log goes on once there is space`() async throws {
      let server = try await Server(Server.jetStream)
      var home = JetStreamHome(server)
      home.limits.byteCountMax = 20_000
      let log = home.log()
      _ = try await log.open()
      try await log.append([record(ada, 1, padding: 12_000)])
      let error = await expectError(.unwritable) { try await log.append([record(ada, 2, padding: 12_000)]) }
      #expect(error?.message.contains("no space left for the stream: its max_bytes") == true)
      try await log.append([record(ada, 2, padding: 100)])
      let later = home.log()
      _ = try await later.open()
      expectEqual(
        try await later.recover(library).records, [record(ada, 1, padding: 12_000), record(ada, 2, padding: 100)])
    }

    @Test func `and are gone for longer than one waits fail the call, and all that follow`() async throws {
      let server = try await Server(Server.jetStream)
      var home = JetStreamHome(server)
      home.limits.patience = .milliseconds(200)
      home.limits.answering = .milliseconds(100)
      let log = home.log()
      _ = try await log.open()
      server.kill()
      let lost = [record(ada, 1), record(bob, 1)]
      let error = await expectError(.unwritable) { try await log.append(lost) }
      #expect(
        error?.message.contains("did not answer in time. A stream of three replicas needs two of its servers") == true)
      try await server.start()
      await expectError(.unwritable) { try await log.append(lost) }
      let later = JetStreamHome(server).log()
      _ = try await later.open()
      // The first may have been on its way: then it is there, whole and once.
      let found = try await later.recover(library).records
      if !found.isEmpty { expectEqual(found, lost) }
    }

    @Test func `are not asked for what cannot be`() {
      for name in ["", "a.b", "a b", "a*", "ä", String(repeating: "a", count: 65)] {
        #expect(throws: LogError.self) { try JetStreamLog(servers: ["nats://127.0.0.1:1"], name: name) }
      }
      for replicas in [0, 2, 4, 7] {
        #expect(throws: LogError.self) {
          try JetStreamLog(servers: ["nats://127.0.0.1:1"], name: "a", replicas: replicas)
        }
      }
    }
  }
#endif
