#if NATS
  import StarlingEngine
  import StarlingNATS
  import Testing

  @Suite(.timeLimit(.minutes(10))) struct `A link over NATS` {
    @Test func `opens where it was dialled, and on the other side with the first word`() async throws {
      let server = try await Server()
      let pair = try await Pair(server)
      #expect(await pair.binder.story == [])
      let accepted = try await pair.greet()
      #expect(await pair.binder.story == ["opened", "direct hello"])
      await pair.binder.send("hello yourself", to: accepted)
      try await pair.dialler.until("an answer") { $0.story == ["opened by us", "direct hello yourself"] }
      await pair.stop()
    }

    @Test func `names to all the members that may be dialled, and none of another group`() async throws {
      let server = try await Server()
      let (first, second) = (try await Party.at(server), try await Party.at(server))
      let stranger = try await Party.at(server, group: "other")
      let endpoints = [try await first.bind(), try await second.bind()]
      let guest = try await Party.at(server)
      try await guest.until("both") { $0.link.endpoints() == endpoints.sorted() }
      try await first.until("the other") { $0.link.endpoints() == [endpoints[1]] }
      #expect(stranger.link.endpoints() == [])
      await second.stop()
      try await guest.until("one that left") { $0.link.endpoints() == [endpoints[0]] }
      for party in [first, guest, stranger] { await party.stop() }
      #expect(guest.link.endpoints() == nil)
    }

    @Test(arguments: [
      ([""], ["a", "abcdef", "b"]), (["a"], ["a", "abcdef"]), (["abcd"], ["abcdef"]), (["abcde"], ["abcdef"]),
      (["abcdx"], []), (["", "a", "abcd", "abcde"], ["a", "abcdef", "b"]), (["abcd", "abcde"], ["abcdef"]),
    ])
    func `brings each published frame once, under any prefix`(_ topics: [String], _ expected: [String]) async throws {
      let server = try await Server()
      let pair = try await Pair(server, topics: topics)
      let accepted = try await pair.greet()
      for frame in ["a", "abcdef", "b"] { await pair.binder.publish(frame) }
      await pair.binder.send("that was all", to: accepted)
      try await pair.dialler.until("the end") { $0.story.last == "direct that was all" }
      #expect(await pair.dialler.story.dropFirst().dropLast() == expected.map { "published \($0)" }[...])
      await pair.stop()
    }

    @Test func `brings nothing under a topic that was given up, and nothing of one who was not dialled`() async throws {
      let server = try await Server()
      let pair = try await Pair(server, topics: ["abcd", "bcde", "bcde"])
      let accepted = try await pair.greet()
      await pair.binder.subscribe("abcd")
      await pair.dialler.publish("abcd, from below")
      await pair.dialler.unsubscribe("abcd")
      await pair.dialler.unsubscribe("bcde")
      for frame in ["abcdef", "bcdef"] { await pair.binder.publish(frame) }
      await pair.binder.send("that was all", to: accepted)
      try await pair.dialler.until("the end") { $0.story.last == "direct that was all" }
      #expect(await pair.dialler.story == ["opened by us", "published bcdef", "direct that was all"])
      #expect(await pair.binder.story == ["opened", "direct hello"])
      await pair.stop()
    }

    @Test(arguments: ["", "max_payload: 4096"])
    func `brings frames that are larger than max_payload whole`(_ settings: String) async throws {
      let server = try await Server(settings)
      let pair = try await Pair(server, topics: ["abcd"])
      let accepted = try await pair.greet()
      let large = Array("abcd".utf8) + (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
      await pair.binder.publish(bytes: large)
      #expect(await pair.binder.send(bytes: large, to: accepted))
      #expect(await pair.dialler.send(bytes: large, to: pair.peer))
      try await pair.dialler.until("two frames") { $0.frames.count == 2 }
      #expect(await pair.dialler.frames == [large, large])
      try await pair.binder.until("a frame") { $0.frames.count == 2 }
      #expect(await pair.binder.frames.last == large)
      #expect(pair.binder.link.counters.framesIncomplete == 0)
      await pair.stop()
    }

    @Test func `refuses a frame that is larger than its limit`() async throws {
      let server = try await Server()
      var limits = NATSLink.Limits.brisk
      limits.frameByteCountMax = 1000
      let pair = try await Pair(server, limits: limits)
      #expect(await pair.dialler.send(bytes: Array(repeating: 0, count: 1001), to: pair.peer) == false)
      #expect(await pair.dialler.send(bytes: Array(repeating: 0, count: 1000), to: pair.peer))
      try await pair.binder.until("the other") { $0.story == ["opened", "direct of 1000 bytes"] }
      await pair.stop()
    }

    @Test func `closes when the other leaves, whichever side that is`() async throws {
      let server = try await Server()
      let first = try await Pair(server)
      _ = try await first.greet()
      await first.dialler.stop()
      try await first.binder.until("the end") { $0.story.last == "closed" }
      #expect(await first.binder.reasons.first?.hasSuffix("left.") == true)
      await first.binder.stop()
      let second = try await Pair(server)
      let accepted = try await second.greet()
      await second.binder.stop()
      try await second.dialler.until("the end") { $0.story == ["opened by us", "closed"] }
      #expect(await !second.dialler.send("gone?", to: second.peer))
      #expect(await !second.binder.send("gone?", to: accepted))
      await second.dialler.stop()
    }

    @Test func `that is hung up on closes on the other side alone, and opens again if it was dialled`() async throws {
      let server = try await Server()
      let pair = try await Pair(server)
      let accepted = try await pair.greet()
      await pair.binder.disconnect(accepted)
      try await pair.dialler.until("the return") { $0.story == ["opened by us", "closed", "opened by us"] }
      #expect(await pair.binder.story == ["opened", "direct hello"])
      let again = try await pair.greet()
      #expect(again != accepted)
      await pair.dialler.disconnect(pair.peer)
      try await pair.binder.until("the end") { $0.story.last == "closed" }
      #expect(await pair.dialler.reasons.count == 1, "who hangs up is not told")
      await pair.stop()
    }

    @Test func `closes when the other falls silent, and opens again when it speaks`() async throws {
      let server = try await Server()
      var limits = NATSLink.Limits.brisk
      limits.silence = .milliseconds(300)
      let pair = try await Pair(server, diallers: limits)
      let pause = Pause(of: pair.binder.link)
      await pause.begin()
      try await pair.dialler.until("silence") { $0.story.last == "closed" }
      #expect(await pair.dialler.reasons.first?.contains("said nothing") == true)
      pause.end()
      let word: @Sendable () async -> Void = { await pair.dialler.send("hello", to: pair.peer) }
      try await pair.binder.until("a greeting", asking: word) { $0.story.last == "direct hello" }
      await pair.stop()
    }

    @Test func `loses what finds it full, and counts it`() async throws {
      let server = try await Server()
      var limits = NATSLink.Limits.brisk
      limits.pendingMessageCountMax = 10
      let pair = try await Pair(server, diallers: limits)
      let accepted = try await pair.greet()
      var sentCount = 0
      // Whether it loses any is up to the threads that read and that take: on a busy machine they may keep pace.
      for round in 0..<20 where pair.dialler.link.counters.slowConsumers == 0 {
        let pause = Pause(of: pair.dialler.link)
        await pause.begin()
        for _ in 0..<100 { await pair.binder.send("again", to: accepted) }
        sentCount += 100
        // Once a witness has heard what came later, the dialler was offered all.
        let witness = try await Party.at(server)
        _ = try await witness.connect(to: try await pair.binder.bind())
        try await witness.until("an answer") { $0.story == ["opened by us"] }
        pause.end()
        await witness.stop()
        let word: @Sendable () async -> Void = { await pair.binder.send("are you there, \(round)?", to: accepted) }
        try await pair.dialler.until("the next", asking: word) { $0.story.last == "direct are you there, \(round)?" }
      }
      #expect(pair.dialler.link.counters.slowConsumers > 0)
      #expect(await pair.dialler.frames.count { $0 == Array("again".utf8) } < sentCount)
      await pair.stop()
    }
  }
#endif
