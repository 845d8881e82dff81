#if NATS
  import StarlingEngine
  import Testing

  @testable import StarlingNATS

  /// The servers of the cluster, and whoever they let in, hear and say what they like.
  @Suite(.timeLimit(.minutes(10))) struct `Somebody who hears all that members with keys say` {
    /// Two parties that have said something of each kind, and everything that was heard of it.
    private struct Overheard {
      let server: Server
      let pair: Pair
      let stranger: Stranger
      let binder: MemberID
      let dialler: MemberID

      init(_ server: Server, limits: NATSLink.Limits = .brisk) async throws {
        self.server = server
        let (binding, dialling) = (try Keyring(), try Keyring())
        binding.letIn(dialling, as: .relays)
        dialling.letIn(binding, as: .relays)
        let binder = try await Party.at(server, limits: limits, security: try binding.security())
        let dialler = try await Party.at(server, limits: limits, security: try dialling.security())
        await dialler.subscribe("abcd")
        let (there, here) = (try await binder.bind(), try await dialler.bind())
        let stranger = try Stranger(server) { subjects in
          [
            subjects.inbox(of: try! subjects.member(at: there)), subjects.inbox(of: try! subjects.member(at: here)),
            subjects.here, subjects.published(Array("abcd".utf8)),
          ]
        }
        let peer = try await dialler.connect(to: there)
        try await dialler.until("an answer") { $0.story.contains("opened by us") }
        await dialler.send("a secret word", to: peer)
        try await binder.until("a word") { $0.story.contains("direct a secret word") }
        await binder.send("another secret", to: await binder.opened(dialled: false)[0])
        await binder.publish("abcd a published secret")
        try await dialler.until("what is published") { $0.story.contains("published abcd a published secret") }
        (self.pair, self.stranger) = (Pair(binder: binder, dialler: dialler, peer: peer), stranger)
        (self.binder, self.dialler) = (try stranger.member(at: there), try stranger.member(at: here))
        try await stranger.until { heard in
          let kinds = Set(heard.compactMap(\.kind))
          return kinds.isSuperset(of: [
            .keyedHere, .keyedCall, .keyedAnswer, .sealedUp, .sealedDown, .noteUp, .noteDown, .sealedPublished,
          ])
        }
      }

      func end() async {
        stranger.connection.close()
        await pair.stop()
      }
    }

    @Test func `finds nothing in it that was written`() async throws {
      let overheard = try await Overheard(try await Server())
      for heard in overheard.stranger.all {
        for secret in ["secret", "word"] { #expect(heard.bytes.firstRange(of: Array(secret.utf8)) == nil) }
      }
      await overheard.end()
    }

    @Test func `changes nothing by saying it again`() async throws {
      let overheard = try await Overheard(try await Server())
      let (pair, stranger) = (overheard.pair, overheard.stranger)
      let stories = (await pair.binder.story, await pair.dialler.story)
      let sealed = stranger.all.filter { $0.kind?.isSealed == true || $0.kind == .keyedCall || $0.kind == .keyedAnswer }
      for heard in sealed { stranger.say(heard.bytes, on: heard.subject) }
      for heard in sealed where heard.kind?.isSealed == true {
        var changed = heard.bytes
        changed[changed.count - 1] ^= 1
        stranger.say(changed, on: heard.subject)
        // Under a counter that is still to come.
        changed = heard.bytes
        changed[22] = 1
        stranger.say(changed, on: heard.subject)
      }
      try await pair.binder.until("its count") { $0.link.counters.messagesUnopened >= 3 }
      try await pair.dialler.until("its count") { $0.link.counters.messagesUnopened >= 6 }
      #expect(await pair.binder.story == stories.0)
      #expect(await pair.dialler.story == stories.1)
      await pair.dialler.send("still here", to: pair.peer)
      try await pair.binder.until("the next word") { $0.story.last == "direct still here" }
      await pair.binder.publish("abcd still here")
      try await pair.dialler.until("what is published") { $0.story.last == "published abcd still here" }
      await overheard.end()
    }

    @Test func `brings back nobody who left by a call that was heard before`() async throws {
      var limits = NATSLink.Limits.brisk
      limits.proving = .milliseconds(100)
      let overheard = try await Overheard(try await Server(), limits: limits)
      let (pair, stranger) = (overheard.pair, overheard.stranger)
      await pair.dialler.stop()
      try await pair.binder.until("the end") { $0.story.last == "closed" }
      let story = await pair.binder.story
      let before = stranger.all
      for heard in before where heard.subject == stranger.subjects.inbox(of: overheard.binder) {
        if [.keyedCall, .sealedUp, .noteUp].contains(heard.kind) { stranger.say(heard.bytes, on: heard.subject) }
      }
      // It is answered, as one that came late would be, and dropped when nothing follows that opens.
      try await stranger.until { heard in
        let later = heard.dropFirst(before.count)
        return later.contains { $0.kind == .keyedAnswer } && later.contains { $0.kind == .refuse }
      }
      #expect(await pair.binder.story == story)
      await overheard.end()
    }

    @Test func `opens no session under a key that it does not own`() async throws {
      let server = try await Server()
      let overheard = try await Overheard(server)
      let (pair, stranger) = (overheard.pair, overheard.stranger)
      let isAnnounced = { (heard: Stranger.Heard) in
        heard.kind == .keyedHere && Envelope(decoding: heard.bytes)?.sender == overheard.binder
      }
      try await stranger.until { $0.contains(where: isAnnounced) }
      let announced = try #require(stranger.all.first(where: isAnnounced))
      let key = try #require(Envelope(decoding: announced.bytes)).body
      let forger = MemberID(rawValue: 7)
      let strange = try Keyring()
      let listener = try Stranger(server) { [$0.inbox(of: forger)] }
      stranger.say(Envelope(.keyedHere, from: forger, body: Array(key)).encoded(), on: stranger.subjects.here)
      stranger.say(
        Envelope(.keyedHere, from: overheard.binder, body: strange.keys.publicKey).encoded(),
        on: stranger.subjects.here)
      let endpoint = stranger.subjects.endpoint(of: forger)
      try await pair.dialler.until("the forged member") { $0.link.endpoints()?.contains(endpoint) == true }
      let forged = try await pair.dialler.connect(to: endpoint)
      try await listener.until { $0.contains { $0.kind == .keyedCall } }
      let call = try #require(listener.all.first { $0.kind == .keyedCall }.flatMap { Envelope(decoding: $0.bytes) })
      let former = try #require(stranger.all.first { $0.kind == .keyedAnswer }.flatMap { Envelope(decoding: $0.bytes) })
      for body in [[UInt8](repeating: 9, count: HandshakeAnswer.byteCount), Array(former.body)] {
        stranger.say(
          Envelope(.keyedAnswer, from: forger, session: call.session, body: body).encoded(),
          on: stranger.subjects.inbox(of: overheard.dialler))
      }
      try await pair.dialler.until("its count") { $0.link.counters.handshakesFailed == 2 }
      #expect(await !pair.dialler.send("a secret", to: forged))
      await pair.dialler.send("still here", to: pair.peer)
      try await pair.binder.until("the next word") { $0.story.last == "direct still here" }
      #expect(await pair.dialler.opened(dialled: true).count == 1)
      listener.connection.close()
      await overheard.end()
    }

    @Test func `costs no more handshakes than a link computes a second, and no more memory`() async throws {
      let server = try await Server()
      var limits = NATSLink.Limits.brisk
      limits.handshakesPerSecondMax = 1
      let keyring = try Keyring()
      let party = try await Party.at(server, limits: limits, security: try keyring.security())
      let endpoint = try await party.bind()
      let stranger = try Stranger(server)
      let inbox = stranger.subjects.inbox(of: try stranger.member(at: endpoint))
      for number in 1...200 as ClosedRange<UInt64> {
        let junk = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: HandshakeCall.byteCount)
        stranger.say(
          Envelope(.keyedCall, from: MemberID(rawValue: number), session: 1, body: junk).encoded(), on: inbox)
      }
      try await party.until("its count") { party in
        party.link.counters.handshakesPutOff + party.link.counters.handshakesFailed == 200
      }
      #expect(party.link.counters.handshakesPutOff > 100)
      stranger.connection.close()
      await party.stop()
    }
  }
#endif
