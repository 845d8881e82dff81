import StarlingTestSupport
import StarlingEngine
import StarlingZeroMQ
import Testing

@Suite struct `A connection` {
  /// libzmq reads the two connections of a peer in any order, their ends included.
  @Test func `that ends brings what was published last, whichever of its sockets is read first`() async throws {
    try await withScratchDirectory { scratch in
      for round in 1...60 {
        try await Pair.with("ipc://\(scratch)/\(round)") { pair in
          try await pair.subscribe(to: "t")
          await pair.binder.run {
            $0.publish("the last")
            $0.stop()
          }
          try await pair.dialler.until("the end") { !$0.closed.isEmpty }
          #expect(await pair.dialler.published.last == "the last")
        }
      }
    }
  }

  @Test(arguments: 0..<2) func `closes when the one who bound dies, and opens again when it returns`(transport: Int)
    async throws
  {
    try await withScratchDirectory { directory in
      try await Party.with { dialler in
        let first = Party()
        try await first.start()
        let endpoint = try await first.bind(endpoints(in: directory)[transport])
        let peer = try await dialler.connect(to: endpoint)
        try await dialler.until("opening") { $0.story(of: peer) == ["opened"] }
        await first.stop()
        try await dialler.until("closing") { $0.story(of: peer) == ["opened", "closed"] }
        #expect(await !dialler.send("gone?", to: peer))
        try await Party.with { second in
          #expect(try await second.bind(endpoint) == endpoint)
          try await dialler.until("opening again") { $0.story(of: peer) == ["opened", "closed", "opened"] }
          await dialler.send("hello again", to: peer)
          try await second.until("the greeting") { $0.direct == ["hello again"] }
        }
      }
    }
  }

  @Test func `brings its subscriptions back when it opens again`() async throws {
    try await withScratchDirectory { directory in
      try await Party.with { dialler in
        await dialler.subscribe("aaaa")
        let first = Party()
        try await first.start()
        let endpoint = try await first.bind("ipc://\(directory)/a")
        let peer = try await dialler.connect(to: endpoint)
        try await Pair(binder: first, dialler: dialler, peer: peer, endpoint: endpoint).untilHeard("aaaa")
        await first.stop()
        try await Party.with { second in
          _ = try await second.bind(endpoint)
          try await Pair(binder: second, dialler: dialler, peer: peer, endpoint: endpoint).untilHeard("aaaa")
        }
      }
    }
  }

  @Test func `says nothing to a peer that returns of what its predecessor was told`() async throws {
    try await withScratchDirectory { directory in
      try await Party.with { dialler in
        let first = Party()
        try await first.start()
        let endpoint = try await first.bind("ipc://\(directory)/a")
        let peer = try await dialler.connect(to: endpoint)
        try await dialler.until("opening") { $0.story(of: peer) == ["opened"] }
        await dialler.run { dialler in
          // Sent before the link can have noticed that the peer is gone.
          let isGone = Signal()
          Task.detached {
            await first.stop(linger: .zero)
            isGone.raise()
          }
          isGone.wait()
          for _ in 0..<100 { _ = dialler.link.send(Array("to the first".utf8), to: peer) }
        }
        try await Party.with { second in
          _ = try await second.bind(endpoint)
          try await dialler.until("opening again") { $0.story(of: peer).last == "opened" && !$0.closed.isEmpty }
          await dialler.send("to the second", to: peer)
          try await second.until("a greeting") { !$0.direct.isEmpty }
          #expect(await second.direct == ["to the second"])
        }
      }
    }
  }

  @Test(arguments: 0..<2) func `that was accepted opens with the first word and closes after the last`(transport: Int)
    async throws
  {
    try await withScratchDirectory { directory in
      try await Party.with { binder in
        let endpoint = try await binder.bind(endpoints(in: directory)[transport])
        for round in 1...3 {
          let dialler = Party()
          try await dialler.start()
          let peer = try await dialler.connect(to: endpoint)
          try await dialler.until("the connection") { $0.story(of: peer) == ["opened"] }
          await dialler.run { party in
            for word in ["one", "two", "three"] { _ = party.link.send(Array(word.utf8), to: peer) }
            party.link.stop(linger: .seconds(5))
          }
          try await binder.until("the end") { $0.closed.count == round }
          let accepted = await binder.opened(dialled: false)
          #expect(Set(accepted).count == round, "a handle came back")
          #expect(await binder.story(of: accepted[round - 1]) == ["opened", "direct", "direct", "direct", "closed"])
          #expect(await !binder.send("gone?", to: accepted[round - 1]))
        }
      }
    }
  }

  @Test func `that its dialler hung up is over on both sides, and is not dialled again`() async throws {
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a") { pair in
        let accepted = try await pair.greet()
        await pair.dialler.disconnect(pair.peer)
        try await pair.binder.until("the end") { $0.closed == [accepted] }
        #expect(await !pair.dialler.send("gone?", to: pair.peer))
        #expect(await pair.dialler.closed.isEmpty, "who hangs up is not told")
        // The same endpoint may be dialled again, and is another peer.
        let again = try await pair.dialler.connect(to: pair.endpoint)
        #expect(again != pair.peer)
        try await pair.dialler.until("opening again") { $0.story(of: again) == ["opened"] }
      }
    }
  }

  @Test func `that was accepted and hung up on is cut, and its dialler comes back as another peer`() async throws {
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a") { pair in
        let accepted = try await pair.greet()
        await pair.binder.disconnect(accepted)
        #expect(await !pair.binder.send("gone?", to: accepted))
        try await pair.dialler.until("the cut, and the return") {
          $0.story(of: pair.peer) == ["opened", "closed", "opened"]
        }
        await pair.dialler.send("again", to: pair.peer)
        try await pair.binder.until("the return") { $0.direct.contains("again") }
        let all = await pair.binder.opened(dialled: false)
        #expect(all.count == 2 && all[0] == accepted && all[1] != accepted)
        #expect(await pair.binder.story(of: accepted) == ["opened", "direct"], "who hangs up is not told")
      }
    }
  }

  @Test func `stands before its peer is told of anything else`() async throws {
    try await withScratchDirectory { directory in
      try await Party.with { binder in
        let endpoint = try await binder.bind("ipc://\(directory)/a")
        try await Party.with { dialler in
          await dialler.subscribe("")
          let peer = try await dialler.connect(to: endpoint)
          try await Pair(binder: binder, dialler: dialler, peer: peer, endpoint: endpoint).untilHeard("aaaa")
          #expect(await dialler.story(of: peer).first == "opened")
        }
      }
    }
  }
}
