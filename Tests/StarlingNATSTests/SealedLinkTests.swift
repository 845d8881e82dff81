#if NATS
  import StarlingEngine
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(10))) struct `Members that prove keys over NATS` {
    @Test func `tell each other's keys to their engines, and carry frames`() async throws {
      let server = try await Server()
      let (pair, binder, dialler) = try await Pair.sealed(server)
      #expect(await pair.binder.story == [])
      let accepted = try await pair.greet()
      await pair.binder.send("hello yourself", to: accepted)
      try await pair.dialler.until("an answer") { $0.story == ["opened by us", "direct hello yourself"] }
      #expect(await pair.binder.story == ["opened", "direct hello"])
      #expect(await pair.binder.identities.map(\.key) == [dialler.name])
      #expect(await pair.dialler.identities == [.key(binder.name, address: try pair.binder.bind())])
      #expect(pair.binder.link.counters.handshakes == 1 && pair.dialler.link.counters.handshakes == 1)
      #expect(pair.binder.link.counters.messagesUnopened == 0 && pair.dialler.link.counters.messagesUnopened == 0)
      await pair.stop()
    }

    @Test(arguments: [NATSLink.Admission.Access.relays, .everything])
    func `receive what is published, whole and once`(_ access: NATSLink.Admission.Access) async throws {
      let server = try await Server("max_payload: 4096")
      let (pair, _, _) = try await Pair.sealed(server, topics: ["", "abcd", "b"], as: access)
      let accepted = try await pair.greet()
      let large = Array("abcd".utf8) + (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
      await pair.binder.publish(bytes: large)
      for frame in ["a", "abcdef", "b"] { await pair.binder.publish(frame) }
      #expect(await pair.binder.send(bytes: large, to: accepted))
      #expect(await pair.dialler.send(bytes: large, to: pair.peer))
      await pair.binder.send("that was all", to: accepted)
      try await pair.dialler.until("the end") { $0.story.last == "direct that was all" }
      let expected = [large, Array("a".utf8), Array("abcdef".utf8), Array("b".utf8), large]
      #expect(await pair.dialler.frames.dropLast() == expected[...])
      try await pair.binder.until("a frame") { $0.frames.count == 2 }
      #expect(await pair.binder.frames.last == large)
      #expect(pair.dialler.link.counters.messagesUnopened == 0)
      #expect(pair.binder.link.counters.broadcastKeys == (access == .relays ? 1 : 0))
      await pair.stop()
    }

    @Test func `receive what is published right behind the key for it`() async throws {
      let server = try await Server()
      let (pair, binder, _) = try await Pair.sealed(server, topics: ["abcd"])
      _ = try await pair.greet()
      let leaving = try Keyring()
      binder.letIn(leaving, as: .relays)
      leaving.letIn(binder, as: .relays)
      let other = try await Party.at(server, security: try leaving.security())
      _ = try await other.connect(to: try await pair.binder.bind())
      try await other.until("an answer") { $0.story.contains("opened by us") }
      let stranger = try Stranger(server) { [$0.published(Array("abcd".utf8))] }
      let pause = Pause(of: pair.dialler.link)
      await pause.begin()
      // Another key is drawn as the one who leaves has the first.
      await other.stop()
      try await pair.binder.until("another key") { $0.link.counters.broadcastKeys > 1 }
      await pair.binder.publish("abcd")
      try await stranger.until { $0.contains { $0.kind == .sealedPublished } }
      pause.end()
      try await pair.dialler.until("what is published") { $0.story.contains("published abcd") }
      await pair.stop()
    }

    @Test func `receive nothing that is published where not all of it is for them`() async throws {
      let server = try await Server()
      let (pair, _, _) = try await Pair.sealed(server, topics: ["abcd"], as: .directOnly)
      let accepted = try await pair.greet()
      await pair.binder.publish("abcdef")
      await pair.binder.send("that was all", to: accepted)
      try await pair.dialler.until("the end") { $0.story.last == "direct that was all" }
      #expect(await pair.dialler.story == ["opened by us", "direct that was all"])
      await pair.stop()
    }

    @Test func `are told by name that a key is not let in, on either side, until it is`() async throws {
      let server = try await Server()
      let (binding, dialling) = (try Keyring(), try Keyring())
      let binder = try await Party.at(server, security: try binding.security())
      let endpoint = try await binder.bind()
      let dialler = try await Party.at(server, security: try dialling.security())
      let strange = "turned away: notAdmitted \(dialling.name)"
      try await binder.until("a strange key") { $0.story == [strange] }
      try await dialler.until("a strange key") { $0.story == ["turned away: notAdmitted \(binding.name)"] }
      #expect(dialler.link.endpoints() == [])
      _ = try await dialler.connect(to: endpoint)
      dialling.letIn(binding, as: .relays)
      try await dialler.until("a refusal") { $0.story.last == "not let in" }
      #expect(dialler.link.endpoints() == [endpoint])
      binding.letIn(dialling, as: .relays)
      try await dialler.until("an answer") { $0.story.last == "opened by us" }
      #expect(await dialler.story.count == 3)
      #expect(await binder.story == [strange])
      #expect(binder.link.counters.keysRefused > 0)
      await dialler.stop()
      await binder.stop()
    }

    @Test func `are cut off by name when their key is let in no more, and open nothing from then on`() async throws {
      let server = try await Server()
      let (pair, binding, dialling) = try await Pair.sealed(server, topics: ["abcd"])
      let witnessing = try Keyring()
      witnessing.letIn(binding, as: .relays)
      binding.letIn(witnessing, as: .relays)
      let witness = try await Party.at(server, security: try witnessing.security())
      await witness.subscribe("abcd")
      _ = try await witness.connect(to: try await pair.binder.bind())
      _ = try await pair.greet()
      let word: @Sendable () async -> Void = { await pair.binder.publish("abcd before") }
      try await witness.until("what is published", asking: word) { $0.story.contains("published abcd before") }
      try await pair.dialler.until("what is published", asking: word) { $0.story.contains("published abcd before") }
      binding.letIn(dialling, as: .refused)
      try await pair.binder.until("the cut") { $0.story.contains("closed") }
      #expect(await pair.binder.story.suffix(2) == ["turned away: revoked \(dialling.name)", "closed"])
      let later: @Sendable () async -> Void = { await pair.binder.publish("abcd after") }
      try await witness.until("what is published", asking: later) { $0.story.last == "published abcd after" }
      #expect(pair.binder.link.counters.broadcastKeys == 2)
      try await pair.dialler.until("a refusal") { $0.story.last == "not let in" }
      #expect(await !pair.dialler.story.contains("published abcd after"))
      await witness.stop()
      await pair.stop()
    }

    @Test func `that pass on no more are served alone from then on`() async throws {
      let server = try await Server()
      let (pair, binding, dialling) = try await Pair.sealed(server, topics: ["abcd"])
      _ = try await pair.greet()
      binding.letIn(dialling, as: .everything)
      let later: @Sendable () async -> Void = { await pair.binder.publish("abcd after") }
      try await pair.dialler.until("what is published", asking: later) { party in
        party.story.last == "published abcd after" && pair.binder.link.counters.broadcastKeys == 1
      }
      #expect(await !pair.dialler.story.contains("closed"))
      await pair.stop()
    }

    @Test func `and members that prove none say so of each other, and do not talk`() async throws {
      let server = try await Server()
      let keyring = try Keyring()
      let keyed = try await Party.at(server, security: try keyring.security())
      let plain = try await Party.at(server)
      let (there, here) = (try await keyed.bind(), try await plain.bind())
      try await keyed.until("a member without a key") { $0.story == ["turned away: unsealed"] }
      try await plain.until("a member with a key") { $0.story == ["turned away: sealed"] }
      #expect(keyed.link.endpoints() == [] && plain.link.endpoints() == [])
      let stranger = try Stranger(server) { [$0.inbox(of: try! $0.member(at: here))] }
      let (dialledPlain, dialledKeyed) = (try await keyed.connect(to: here), try await plain.connect(to: there))
      // The call is refused: the other is heard, and does not answer.
      try await stranger.until { $0.contains { $0.kind == .refuse } }
      #expect(await !keyed.send("hello", to: dialledPlain))
      #expect(await !plain.send("hello", to: dialledKeyed))
      #expect(await keyed.story.count == 1)
      #expect(await plain.story.count == 1)
      stranger.connection.close()
      await keyed.stop()
      await plain.stop()
    }
  }
#endif
