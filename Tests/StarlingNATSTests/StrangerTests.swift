#if NATS
  import StarlingEngine
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(10))) struct `A stranger in the account` {
    @Test func `is counted for what nobody says, and disturbs nobody`() async throws {
      let server = try await Server()
      let party = try await Party.at(server)
      let stranger = try Stranger(server)
      let inbox = stranger.subjects.inbox(of: try stranger.member(at: try await party.bind()))
      let seed = UInt64.random(in: .min ... .max)
      print("seed \(seed)")
      var dice = seed
      func roll() -> UInt8 {
        dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: dice >> 33)
      }
      for round in 0..<2000 {
        // A kind that is known, so that what follows is looked at.
        let bytes = [roll() % 24] + (0..<Int(roll() % 40)).map { _ in roll() }
        stranger.say(bytes, on: round.isMultiple(of: 2) ? inbox : stranger.subjects.here)
      }
      try await party.until("its count") { $0.link.counters.malformed > 0 }
      #expect(await party.frames.isEmpty, "nobody was accepted with a session of that number")
      let pair = try await Pair(server)
      _ = try await pair.greet()
      stranger.connection.close()
      await pair.stop()
      await party.stop()
    }

    @Test func `is not heard once there are as many members as a link knows`() async throws {
      let server = try await Server()
      var limits = NATSLink.Limits.brisk
      limits.memberCountMax = 10
      let party = try await Party.at(server, limits: limits)
      let stranger = try Stranger(server)
      for id in 1...100 as ClosedRange<UInt64> {
        stranger.say(Envelope(.here, from: MemberID(rawValue: id)).encoded(), on: stranger.subjects.here)
      }
      try await party.until("its count") { $0.link.counters.membersRefused == 90 }
      #expect(party.link.endpoints()?.count == 10)
      stranger.connection.close()
      await party.stop()
    }

    @Test func `is told that there is no such session`() async throws {
      let server = try await Server()
      let pair = try await Pair(server)
      let accepted = try await pair.greet()
      let stranger = try Stranger(server)
      let endpoint = try await pair.binder.bind()
      let frame = Envelope.Part(frame: 1, byteCount: 1, offset: 0, bytes: [1])
      for session in [0, 1, 2, .max] as [UInt64] {
        let forged = Envelope(.up, from: MemberID(rawValue: 1), session: session, part: frame)
        stranger.say(forged.encoded(), on: stranger.subjects.inbox(of: try stranger.member(at: endpoint)))
      }
      await pair.dialler.send("still here", to: pair.peer)
      try await pair.binder.until("the next word") { $0.story.last == "direct still here" }
      #expect(await pair.binder.frames.count == 2)
      #expect(await pair.binder.send("so am I", to: accepted))
      stranger.connection.close()
      await pair.stop()
    }
  }
#endif
