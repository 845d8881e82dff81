import StarlingTestSupport
import StarlingEngine
import StarlingZeroMQ
import Testing

@Suite struct `A stranger` {
  @Test func `who sends noise disturbs nobody`() async throws {
    var generator = Dice(seed: .random(in: 0...UInt64.max))
    let seed = generator.seed
    try await Pair.with("tcp://127.0.0.1:0") { pair in
      let ask = port(of: pair.endpoint)
      for _ in 0..<100 {
        let stranger = Stranger(port: Bool.random(using: &generator) ? ask : ask + 1)
        var noise: [UInt8] = []
        // Some get as far as a greeting before they lose their way.
        if Bool.random(using: &generator) {
          stranger.shakeHands(as: ["DEALER", "SUB", "PUB"].randomElement(using: &generator)!)
        }
        for _ in 0..<Int.random(in: 1...4096, using: &generator) {
          noise.append(.random(in: 0...255, using: &generator))
        }
        stranger.say(noise)
      }
      let accepted = try await pair.greet()
      #expect(await pair.binder.send("and to you", to: accepted), "seed \(seed)")
      try await pair.dialler.until("the answer") { $0.direct == ["and to you"] }
      try await pair.subscribe(to: "aaaa")
      try await pair.binder.until("the failures") { $0.link.counters.handshakesAccepted.unfinished > 0 }
    }
  }

  @Test func `who sends a message of another shape is not heard`() async throws {
    try await Pair.with("tcp://127.0.0.1:0") { pair in
      let stranger = Stranger(port: port(of: pair.endpoint))
      stranger.shakeHands(as: "DEALER")
      stranger.send([[1], [2]])
      stranger.send([[1], [2], [3]])
      stranger.send([Array("in shape".utf8)])
      try await pair.binder.until("the last") { $0.direct == ["in shape"] }
      #expect(pair.binder.link.counters.malformed >= 2)
      #expect(await pair.binder.opened(dialled: false).count == 1)
    }
  }

  @Test func `who brings a name of its own is not heard`() async throws {
    try await Pair.with("tcp://127.0.0.1:0") { pair in
      let stranger = Stranger(port: port(of: pair.endpoint))
      stranger.shakeHands(as: "DEALER", name: "dealer-1")
      stranger.send([Array("hello".utf8)])
      try await pair.binder.until("it") { $0.link.counters.malformed == 1 }
      stranger.leave()
      #expect(await pair.binder.direct.isEmpty)
    }
  }

  @Test func `who publishes to a publisher is not heard`() async throws {
    try await Pair.with("tcp://127.0.0.1:0") { pair in
      let stranger = Stranger(port: port(of: pair.endpoint) + 1)
      stranger.shakeHands(as: "XSUB")
      stranger.send([Array("news".utf8)])
      stranger.send([])
      try await pair.binder.until("it") { $0.link.counters.malformed == 1 }
      stranger.leave()
      try await pair.subscribe(to: "aaaa")
    }
  }

  @Test func `who announces a frame beyond the limit is hung up on`() async throws {
    try await Pair.with("tcp://127.0.0.1:0") { pair in
      let stranger = Stranger(port: port(of: pair.endpoint))
      stranger.shakeHands(as: "DEALER")
      stranger.announce(byteCount: 3 << 30)
      #expect(stranger.isHungUpOn())
      _ = try await pair.greet()
    }
  }

  @Test func `who never introduces itself is hung up on`() async throws {
    var limits = ZeroMQLink.Limits()
    limits.handshake = .milliseconds(200)
    try await Pair.with("tcp://127.0.0.1:0", limits: limits) { pair in
      let stranger = Stranger(port: port(of: pair.endpoint))
      #expect(stranger.isHungUpOn())
      _ = try await pair.greet()
    }
  }

  @Test func `who subscribes to more than the limit is hung up on, and nobody else is`() async throws {
    var limits = ZeroMQLink.Limits()
    limits.subscriptionCountMax = 10
    try await Pair.with("tcp://127.0.0.1:0", limits: limits) { pair in
      let stranger = Stranger(port: port(of: pair.endpoint) + 1)
      stranger.shakeHands(as: "SUB")
      for topic in UInt8(0)..<200 { stranger.send([[1, topic]]) }
      #expect(stranger.isHungUpOn())
      try await pair.binder.until("the count") { $0.link.counters.connectionsRefused == 1 }
      try await pair.subscribe(to: "aaaa")
      #expect(await pair.dialler.closed.isEmpty)
    }
  }

  /// As many as a daemon may have open: each is a topic.
  @Test func `who follows ten thousand documents stays, and hears of the last`() async throws {
    try await Pair.with("tcp://127.0.0.1:0") { pair in
      for topic in 0..<10_000 { await pair.dialler.subscribe("topic \(topic).") }
      try await pair.subscribe(to: "the last.")
      #expect(await pair.dialler.closed.isEmpty)
      #expect(pair.binder.link.counters.connectionsRefused == 0)
    }
  }

  @Test func `who subscribes to more than its share is hung up on where all have as many as may be`() async throws {
    var limits = ZeroMQLink.Limits()
    (limits.subscriptionSumMax, limits.acceptedPeerCountMax) = (40, 4)
    try await Pair.with("tcp://127.0.0.1:0", limits: limits) { pair in
      try await pair.subscribe(to: "aaaa")
      let strangers = (0..<2).map { _ in Stranger(port: port(of: pair.endpoint) + 1) }
      strangers[0].shakeHands(as: "SUB")
      for topic in UInt8(0)..<35 { strangers[0].send([[1, topic]]) }
      // Before the other begins.
      for _ in 0..<1000 where !strangers[0].hears {
        await pair.binder.publish(bytes: [34])
        try await pair.untilCounted()
      }
      #expect(strangers[0].hears)
      strangers[1].shakeHands(as: "SUB")
      for topic in UInt8(0)..<10 { strangers[1].send([[1, topic]]) }
      for _ in 0..<1000 where !strangers[1].hears {
        await pair.binder.publish(bytes: [9])
        try await pair.untilCounted()
      }
      #expect(strangers[1].hears)
      #expect(pair.binder.link.counters.connectionsRefused == 0)
      strangers[0].send([[1, 99]])
      #expect(strangers[0].isHungUpOn())
      try await pair.binder.until("the count") { $0.link.counters.connectionsRefused == 1 }
      strangers[1].send([[0, 9], [1, 10]])
      try await pair.subscribe(to: "bbbb")
      #expect(pair.binder.link.counters.connectionsRefused == 1)
    }
  }

  @Test func `who names a topic beyond the limit is hung up on`() async throws {
    try await Pair.with("tcp://127.0.0.1:0") { pair in
      let stranger = Stranger(port: port(of: pair.endpoint) + 1)
      stranger.shakeHands(as: "SUB")
      stranger.send([[1] + [UInt8](repeating: 7, count: 65)])
      #expect(stranger.isHungUpOn())
      try await pair.subscribe(to: "aaaa")
    }
  }
}

@Suite struct `A limit` {
  @Test func `on the size of frames holds for our own`() async throws {
    var limits = ZeroMQLink.Limits()
    limits.frameByteCountMax = 1000
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a", limits: limits) { pair in
        try await pair.subscribe(to: "")
        let large = [UInt8](repeating: 1, count: 1001)
        #expect(await !pair.dialler.send(bytes: large, to: pair.peer))
        #expect(await pair.dialler.send(bytes: Array(large.dropLast()), to: pair.peer))
        await pair.binder.publish(bytes: large)
        await pair.binder.publish("small")
        try await pair.dialler.until("the small one") { $0.published.contains("small") }
        try await pair.binder.until("what fits") { !$0.direct.isEmpty }
        #expect(await pair.binder.direct[0].utf8.count == 1000)
        try await pair.dialler.untilNextBatch()
        #expect(pair.dialler.link.counters.framesTooLarge == 1)
        #expect(await pair.dialler.closed.isEmpty)
      }
    }
  }

  @Test func `on the size of frames hangs up on a peer that passes it, which may come back`() async throws {
    var limits = ZeroMQLink.Limits()
    limits.frameByteCountMax = 1000
    try await withScratchDirectory { directory in
      try await Party.with(limits: limits) { binder in
        let endpoint = try await binder.bind("ipc://\(directory)/a")
        try await Party.with { dialler in
          let peer = try await dialler.connect(to: endpoint)
          try await dialler.until("the connection") { $0.story(of: peer) == ["opened"] }
          #expect(await dialler.send(bytes: [UInt8](repeating: 1, count: 2000), to: peer))
          try await dialler.until("the cut, and the return") { $0.story(of: peer) == ["opened", "closed", "opened"] }
          await dialler.send("small", to: peer)
          try await binder.until("the small one") { $0.direct == ["small"] }
        }
      }
    }
  }

  @Test func `on accepted peers hangs up on one more, until one leaves`() async throws {
    var limits = ZeroMQLink.Limits()
    limits.acceptedPeerCountMax = 2
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a", limits: limits) { first in
        let accepted = try await first.greet()
        try await Party.with { second in
          let peer = try await second.connect(to: first.endpoint)
          try await second.until("the connection") { $0.opened(dialled: true) == [peer] }
          await second.send("second", to: peer)
          try await first.binder.until("the second") { $0.direct.contains("second") }
          try await Party.with { third in
            let peer = try await third.connect(to: first.endpoint)
            try await third.until("the connection") { $0.story(of: peer).first == "opened" }
            await third.send("third", to: peer)
            try await third.until("the cut") { $0.story(of: peer).starts(with: ["opened", "closed"]) }
            #expect(await !first.binder.direct.contains("third"))
            #expect(first.binder.link.counters.connectionsRefused >= 1)
            await first.dialler.disconnect(first.peer)
            try await first.binder.until("capacity") { $0.closed.contains(accepted) }
            try await third.until("the return") { $0.link.send(Array("third".utf8), to: peer) }
            try await first.binder.until("the third") { $0.direct.contains("third") }
          }
        }
      }
    }
  }

  @Test func `on dialled endpoints is an error that names it`() async throws {
    var limits = ZeroMQLink.Limits()
    limits.dialledPeerCountMax = 1
    try await withScratchDirectory { directory in
      try await Party.with(limits: limits) { party in
        let peer = try await party.connect(to: "ipc://\(directory)/a")
        let error = await #expect(throws: LinkError.self) { try await party.connect(to: "ipc://\(directory)/b") }
        #expect(error?.message.contains("dialledPeerCountMax") == true)
        await party.disconnect(peer)
        _ = try await party.connect(to: "ipc://\(directory)/b")
      }
    }
  }
}
