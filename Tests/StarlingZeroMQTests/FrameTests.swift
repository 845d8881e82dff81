import StarlingTestSupport
import StarlingEngine
import StarlingZeroMQ
import Testing

@Suite struct `A published frame` {
  @Test(arguments: 0..<2) func `reaches those who subscribed to its topic, and is seen by them alone`(transport: Int)
    async throws
  {
    try await withScratchDirectory { directory in
      try await Pair.with(endpoints(in: directory)[transport]) { pair in
        try await pair.subscribe(to: "aaaa")
        await pair.binder.publish("bbbb 1")
        await pair.binder.publish("aaaa 1")
        await pair.binder.publish("aaab 1")
        await pair.binder.publish("aaaa 2")
        try await pair.dialler.until("the last frame") { $0.published.contains("aaaa 2") }
        #expect(await pair.dialler.published.filter { !$0.hasSuffix("?") } == ["aaaa 1", "aaaa 2"])
      }
    }
  }

  @Test func `is not received any more after unsubscribing`() async throws {
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a") { pair in
        try await pair.subscribe(to: "aaaa")
        try await pair.subscribe(to: "bbbb")
        await pair.dialler.unsubscribe("aaaa")
        // Subscriptions are taken in order: who hears this one has heard that the other is gone.
        try await pair.subscribe(to: "cccc")
        await pair.binder.publish("aaaa late")
        await pair.binder.publish("bbbb last")
        try await pair.dialler.until("the last frame") { $0.published.contains("bbbb last") }
        #expect(await !pair.dialler.published.contains("aaaa late"))
      }
    }
  }

  @Test func `needs as many goodbyes as subscriptions`() async throws {
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a") { pair in
        try await pair.subscribe(to: "aaaa")
        await pair.dialler.subscribe("aaaa")
        await pair.dialler.unsubscribe("aaaa")
        try await pair.subscribe(to: "bbbb")
        await pair.binder.publish("aaaa still")
        try await pair.dialler.until("the frame") { $0.published.contains("aaaa still") }
      }
    }
  }

  @Test func `is received from peers that are dialled after the subscription`() async throws {
    try await withScratchDirectory { directory in
      try await Party.with { binder in
        try await Party.with { dialler in
          await dialler.subscribe("aaaa")
          let endpoint = try await binder.bind("ipc://\(directory)/a")
          let peer = try await dialler.connect(to: endpoint)
          try await Pair(binder: binder, dialler: dialler, peer: peer, endpoint: endpoint).untilHeard("aaaa")
        }
      }
    }
  }

  @Test func `names the peer that published it`() async throws {
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a") { first in
        try await Party.with { other in
          let endpoint = try await other.bind("tcp://127.0.0.1:0")
          let otherPeer = try await first.dialler.connect(to: endpoint)
          try await first.subscribe(to: "aaaa")
          try await Pair(binder: other, dialler: first.dialler, peer: otherPeer, endpoint: endpoint).untilHeard("aaaa")
          await first.binder.publish("aaaa one")
          await other.publish("aaaa two")
          try await first.dialler.until("both") { $0.publishers["aaaa one"] != nil && $0.publishers["aaaa two"] != nil }
          #expect(await first.dialler.publishers["aaaa one"] == first.peer)
          #expect(await first.dialler.publishers["aaaa two"] == otherPeer)
        }
      }
    }
  }

  @Test func `is one of a hundred thousand that all arrive where the subscriber keeps pace`() async throws {
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a") { pair in
        try await pair.subscribe(to: "aaaa")
        await pair.dialler.run { $0.countsOnly = true }
        let frame = Array("aaaa".utf8) + [UInt8](repeating: 7, count: 60)
        let blockCount = 1000
        for block in 0..<100 {
          await pair.binder.run { party in
            for _ in 0..<blockCount { party.link.publish(frame) }
          }
          // Two blocks are under way at most, fewer frames than the queues hold.
          let expected = block * blockCount
          try await pair.dialler.until("block \(block)") { $0.publishedCount >= expected }
        }
        let all = 100 * blockCount
        try await pair.dialler.until("all") { $0.publishedCount >= all }
        #expect(await pair.dialler.publishedCount == all)
      }
    }
  }
}

@Suite struct `A subscriber that does not read` {
  /// What came while it stood still shows that the peer is there.
  @Test func `that stands still for longer than a peer may be silent reads on, and gives nobody up`() async throws {
    var limits = ZeroMQLink.Limits()
    limits.publishedQueueCountMax = 16
    limits.silence = .milliseconds(200)
    limits.answer = .seconds(1)
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a") { pair in
        try await Party.with(limits: limits) { frozen in
          let peer = try await frozen.connect(to: pair.endpoint)
          await frozen.subscribe("aaaa")
          let frozenPair = Pair(binder: pair.binder, dialler: frozen, peer: peer, endpoint: pair.endpoint)
          try await frozenPair.untilHeard("aaaa")
          await frozen.run { $0.countsOnly = true }
          let binder = pair.binder
          await frozen.run { _ in
            // While this runs, its thread stands still.
            let isDone = Signal()
            Task.detached {
              let end = ContinuousClock.now + .seconds(2)
              while .now < end {
                await binder.publish(bytes: Array("aaaa".utf8) + [UInt8](repeating: 7, count: 64 << 10))
              }
              isDone.raise()
            }
            isDone.wait()
          }
          try await frozenPair.untilCounted()
          let counters = frozen.link.counters
          #expect(counters.silencesEnded == 0 && counters.reconnects == 0)
        }
      }
    }
  }

  @Test func `misses frames, holds up nobody, and hears what comes once it reads again`() async throws {
    var limits = ZeroMQLink.Limits()
    limits.publishedQueueCountMax = 16
    // However slowly it goes, nobody is taken for gone.
    limits.silence = .seconds(3600)
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a", limits: limits) { pair in
        try await pair.subscribe(to: "aaaa")
        try await Party.with(limits: limits) { frozen in
          let peer = try await frozen.connect(to: pair.endpoint)
          await frozen.subscribe("aaaa")
          try await Pair(binder: pair.binder, dialler: frozen, peer: peer, endpoint: pair.endpoint).untilHeard("aaaa")
          for party in [pair.dialler, frozen] { await party.run { $0.countsOnly = true } }
          let frameCount = 300
          let binder = pair.binder
          let dialler = pair.dialler
          await frozen.run { _ in
            // While this runs, its thread stands still.
            let isDone = Signal()
            Task.detached {
              for number in 1...frameCount {
                await binder.publish(bytes: Array("aaaa".utf8) + [UInt8](repeating: 7, count: 64 << 10))
                try await dialler.until("frame \(number)") { $0.publishedCount == number }
              }
              isDone.raise()
            }
            isDone.wait()
          }
          #expect(await dialler.publishedCount == frameCount)
          try await Pair(binder: binder, dialler: frozen, peer: peer, endpoint: pair.endpoint).untilCounted()
          #expect(await frozen.publishedCount < frameCount)
          try await binder.until("the count") { $0.link.counters.overflows > 0 }
        }
      }
    }
  }
}

@Suite struct `A peer that sends more than is read` {
  /// libzmq ends a process whose heartbeats ask whether a peer is there that has hung up with its queue full.
  @Test(arguments: 0..<2) func `and hangs up, ends nobody who stands still at that time`(transport: Int) async throws {
    var limits = ZeroMQLink.Limits()
    limits.directQueueCountMax = 16
    limits.silence = .milliseconds(200)
    limits.answer = .seconds(1)
    try await withScratchDirectory { directory in
      try await Party.with(limits: limits) { frozen in
        let endpoint = try await frozen.bind(endpoints(in: directory)[transport])
        try await Party.with { bystander in
          let frozenAsKnown = try await bystander.connect(to: endpoint)
          try await bystander.until("the connection") { $0.opened(dialled: true) == [frozenAsKnown] }
          let hostile = Party()
          try await hostile.start()
          let peer = try await hostile.connect(to: endpoint)
          try await hostile.until("the connection") { $0.opened(dialled: true) == [peer] }
          await frozen.run { _ in
            let isDone = Signal()
            Task.detached {
              for _ in 0..<200 { await hostile.send("more", to: peer) }
              await hostile.stop()
              // Several times as long as a peer may be silent; the last is heard once somebody reads.
              let end = ContinuousClock.now + .seconds(2)
              while .now < end { _ = await bystander.send("hello", to: frozenAsKnown) }
              isDone.raise()
            }
            isDone.wait()
          }
          try await frozen.until("a greeting") { $0.speakers["hello"] != nil }
        }
      }
    }
  }

  /// The same on the side that dialled.
  @Test(arguments: 0..<2) func `and ends, ends nobody who dialled it and stands still at that time`(transport: Int)
    async throws
  {
    var limits = ZeroMQLink.Limits()
    limits.directQueueCountMax = 16
    limits.silence = .milliseconds(200)
    limits.answer = .seconds(1)
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/bystander") { bystander in
        try await Party.with(limits: limits) { frozen in
          let hostile = Party()
          try await hostile.start()
          let endpoint = try await hostile.bind(endpoints(in: directory)[transport])
          let peer = try await frozen.connect(to: endpoint)
          try await frozen.until("the connection") { $0.opened(dialled: true) == [peer] }
          let frozenAsKnown = try await Pair(binder: hostile, dialler: frozen, peer: peer, endpoint: endpoint).greet()
          await frozen.run { _ in
            let isDone = Signal()
            Task.detached {
              for _ in 0..<200 { await hostile.send("more", to: frozenAsKnown) }
              await hostile.stop()
              // Several times as long as a peer may be silent.
              let end = ContinuousClock.now + .seconds(2)
              while .now < end { try await bystander.dialler.untilNextBatch() }
              isDone.raise()
            }
            isDone.wait()
          }
          try await frozen.until("the end") { $0.closed == [peer] }
        }
      }
    }
  }
}

@Suite struct `A direct frame` {
  @Test(arguments: 0..<2) func `goes to one peer, either way`(transport: Int) async throws {
    try await withScratchDirectory { directory in
      try await Pair.with(endpoints(in: directory)[transport]) { pair in
        let accepted = try await pair.greet()
        #expect(await pair.binder.send("and to you", to: accepted))
        try await pair.dialler.until("the answer") { $0.direct == ["and to you"] }
      }
    }
  }

  @Test func `arrives in the order in which it was sent`() async throws {
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a") { pair in
        let numbers = (0..<500).map(String.init)
        await pair.dialler.run { party in
          for number in numbers { #expect(party.link.send(Array(number.utf8), to: pair.peer)) }
        }
        try await pair.binder.until("all") { $0.direct.count == numbers.count }
        #expect(await pair.binder.direct == numbers)
      }
    }
  }

  @Test func `may be empty`() async throws {
    try await withScratchDirectory { directory in
      try await Pair.with("ipc://\(directory)/a") { pair in
        await pair.dialler.send("", to: pair.peer)
        try await pair.binder.until("it") { $0.direct == [""] }
      }
    }
  }

  @Test func `is refused while nobody answers, and by a peer that is not known`() async throws {
    try await withScratchDirectory { directory in
      try await Party.with { party in
        let peer = try await party.connect(to: "ipc://\(directory)/nobody")
        #expect(await !party.send("anybody?", to: peer))
        #expect(await !party.send("anybody?", to: PeerHandle(rawValue: 99)))
        try await party.untilNextBatch()
        #expect(party.link.counters.framesUndelivered == 2)
      }
    }
  }

  @Test func `is refused once the queue of a peer that does not read is full`() async throws {
    try await withScratchDirectory { directory in
      var limits = ZeroMQLink.Limits()
      limits.directQueueCountMax = 16
      try await Pair.with("ipc://\(directory)/a", limits: limits) { pair in
        let accepted = try await pair.greet()
        let frame = [UInt8](repeating: 1, count: 64 << 10)
        // While this runs, the dialler's thread stands still.
        await pair.dialler.run { dialler in
          let isFull = Signal()
          let binder = pair.binder
          Task.detached {
            await binder.run { binder in
              var sentCount = 0
              while sentCount < 10_000, binder.link.send(frame, to: accepted) { sentCount += 1 }
              #expect(sentCount >= 16 && sentCount < 1000, "sent \(sentCount)")
            }
            isFull.raise()
          }
          isFull.wait()
        }
        // It reads again, and so can be sent to again.
        try await pair.dialler.until("what was taken") { $0.direct.count >= 16 }
        try await pair.binder.until("capacity") { $0.link.send([1], to: accepted) }
      }
    }
  }
}
