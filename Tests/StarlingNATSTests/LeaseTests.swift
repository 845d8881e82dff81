#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import StarlingTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(10))) struct `The lease on a log` {
    private func log(
      _ home: JetStreamHome, for duration: Duration, waits: Bool,
      _ onEvent: @escaping @Sendable (JetStreamLog.LeaseEvent) -> Void = { _ in }
    ) throws -> JetStreamLog {
      var lease = JetStreamLog.Lease()
      lease.duration = duration
      lease.renewal = min(duration / 5, .milliseconds(200))
      lease.waits = waits
      return try JetStreamLog(
        servers: home.servers.map(\.url), name: home.name, replicas: home.replicas, limits: home.limits, lease: lease,
        onLeaseEvent: onEvent)
    }

    @Test func `is free once its holder was silent for its duration, and held once the holder says something`() {
      let start = ContinuousClock.now
      func holder(_ said: UInt64, of session: UInt64 = 1) -> LeaseStanding {
        .held(LeaseStanding.Holder(session: session, said: said, name: "ada"))
      }
      var watch = LeaseWatch(.seconds(10))
      #expect(watch.look(at: holder(1), start) == .open)
      #expect(watch.look(at: holder(1), start + .seconds(9)) == .open)
      #expect(watch.look(at: holder(2), start + .seconds(9.5)) == .held(by: "ada"))
      #expect(watch.look(at: holder(2), start + .seconds(19)) == .held(by: "ada"))
      #expect(watch.look(at: holder(3, of: 2), start + .seconds(19.4)) == .held(by: "ada"), "another opened it")
      #expect(watch.look(at: holder(3, of: 2), start + .seconds(29.4)) == .free)
      watch.blinded()
      #expect(watch.look(at: holder(3, of: 2), start + .seconds(40)) == .open, "what was not seen is no silence")
      #expect(watch.look(at: .unheld, start + .seconds(40)) == .free)
    }

    @Test func `keeps others away while its holder lives, and ends when it closes`() async throws {
      let home = JetStreamHome(try await Server(Server.jetStream))
      let first = try log(home, for: .seconds(60), waits: false)
      let store = try await first.open().store
      try await first.append([record(ada, 1)])
      let error = await expectError(.busy) { _ = try await log(home, for: .seconds(60), waits: false).open() }
      #expect(error?.message.contains(LogHolder.ownName) == true)
      try await first.append([record(ada, 2)])
      try await first.close(continuing: ada)
      let second = try log(home, for: .seconds(60), waits: false)
      let opened = try await second.open()
      #expect(opened.store == store && opened.replica == ada)
      expectEqual(try await second.recover(library).records, [record(ada, 1), record(ada, 2)])
    }

    @Test func `lets who waits follow, and take over with everything once the holder closes`() async throws {
      let home = JetStreamHome(try await Server(Server.jetStream))
      let first = try log(home, for: .seconds(60), waits: false)
      _ = try await first.open()
      let (events, waiting) = AsyncStream.makeStream(of: String.self)
      let second = try log(home, for: .seconds(60), waits: true) { event in
        if case .waiting(let holder?) = event { waiting.yield(holder) }
      }
      async let opened = second.open()
      for await holder in events {
        #expect(holder == LogHolder.ownName)
        break
      }
      for counter in 1...100 as ClosedRange<UInt64> { try await first.append([record(ada, counter)]) }
      try await first.compact(library, into: snapshot(version([ada: 90])))
      try await first.close(continuing: ada)
      #expect(try await opened.replica == ada)
      let recovered = try await second.recover(library)
      #expect(recovered.snapshot == snapshot(version([ada: 90])))
      expectEqual(recovered.records, (91...100).map { record(ada, $0) })
      try await second.append([record(ada, 101)])
    }

    /// The holder that is silent here says nothing because it has no lease: it is one that hangs.
    @Test func `ends where its holder is silent, whose next write is refused`() async throws {
      let home = JetStreamHome(try await Server(Server.jetStream))
      let silent = home.log()
      _ = try await silent.open()
      try await silent.append([record(ada, 1)])
      let second = try log(home, for: .seconds(1), waits: true)
      #expect(try await second.open().replica == nil, "whose id may be in use")
      await expectError(.busy) { try await silent.append([record(ada, 2)]) }
      expectEqual(try await second.recover(library).records, [record(ada, 1)])
      try await second.append([record(bob, 1)])
    }

    @Test func `is lost, and its holder told so, where another takes the log all the same`() async throws {
      let home = JetStreamHome(try await Server(Server.jetStream))
      let (losses, lost) = AsyncStream.makeStream(of: LogError.self)
      let first = try log(home, for: .seconds(60), waits: false) { event in
        if case .lost(let error) = event { lost.yield(error) }
      }
      _ = try await first.open()
      _ = try await home.log().open()
      for await error in losses {
        #expect(error.code == .busy && error.message.contains("opened the log"))
        break
      }
    }

    @Test func `outlives servers that forget what was in their memory`() async throws {
      let server = try await Server(Server.jetStream)
      let home = JetStreamHome(server)
      let first = try log(home, for: .seconds(3), waits: false)
      _ = try await first.open()
      let (events, waiting) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
      let second = try log(home, for: .seconds(3), waits: true) { event in
        if case .waiting(let holder?) = event { waiting.yield(holder) }
      }
      async let opened = second.open()
      for await _ in events { break }
      server.kill()
      try await server.comeBack()
      try await first.append([record(ada, 1)])
      for await _ in events { break }
      try await first.append([record(ada, 2)])
      try await first.close(continuing: ada)
      _ = try await opened
      expectEqual(try await second.recover(library).records, [record(ada, 1), record(ada, 2)])
    }
  }
#endif
