#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingNATS
  import Testing

  @Suite(.timeLimit(.minutes(10))) struct `Replicas over NATS` {
    private func joined(_ event: EngineEvent) -> Bool { if case .joined = event { true } else { false } }
    private func left(_ event: EngineEvent) -> Bool { if case .left = event { true } else { false } }

    private func expectEqual(_ nodes: Node...) {
      for node in nodes.dropFirst() {
        #expect(node.library.version == nodes[0].library.version)
        #expect(node.library.digest() == nodes[0].library.digest())
      }
    }

    @Test func `find each other, and converge`() async throws {
      let server = try await Server()
      let early = try await Node(server, named: "early")
      early.set(.integer(1), for: "from early")
      let late = try await Node(server, named: "late")
      late.set(.integer(2), for: "from late")
      let third = try await Node(server, named: "third")
      for node in [early, late, third] {
        try await node.until("from early", is: .integer(1))
        try await node.until("from late", is: .integer(2))
      }
      third.set(.integer(3), for: "from late")
      try await third.engine.flush(Node.library, until: .received(2))
      expectEqual(early, late, third)
      for node in [early, late, third] { try await node.engine.close() }
    }

    @Test func `notice one that leaves`() async throws {
      let server = try await Server()
      let (staying, leaving) = (try await Node(server, named: "staying"), try await Node(server, named: "leaving"))
      try await staying.until("the other", joined)
      try await leaving.engine.close()
      try await staying.until("its end", left)
      #expect(await staying.engine.status().peers.isEmpty)
      try await staying.engine.close()
    }

    @Test func `go on when the server dies, and converge when it is back`() async throws {
      let server = try await Server()
      let (left, right) = (try await Node(server, named: "left"), try await Node(server, named: "right"))
      left.set(.integer(1), for: "before")
      try await left.engine.flush(Node.library, until: .received(1))
      server.kill()
      try await left.until("the loss", self.left)
      try await right.until("the loss", self.left)
      left.set(.integer(2), for: "from left, alone")
      right.set(.integer(3), for: "from right, alone")
      try await server.start()
      try await right.until("from left, alone", is: .integer(2))
      try await left.until("from right, alone", is: .integer(3))
      left.set(.integer(4), for: "after")
      try await left.engine.flush(Node.library, until: .received(1))
      expectEqual(left, right)
      for node in [left, right] { try await node.engine.close() }
    }

    @Test func `bring a change that is larger than max_payload, live and when asked for`() async throws {
      let server = try await Server()
      let (left, right) = (try await Node(server, named: "left"), try await Node(server, named: "right"))
      try await left.until("the other", joined)
      let large = Value.string(String(repeating: "a page of a book; ", count: 1 << 17))
      left.set(large, for: "book")
      try await left.engine.flush(Node.library, until: .received(1))
      #expect(right.value(of: "book") == large)
      #expect(left.link.counters.framesSplit > 0)
      let late = try await Node(server, named: "late")
      try await late.until("book", is: large)
      expectEqual(left, right, late)
      for node in [left, right, late] { try await node.engine.close() }
    }

    @Test func `pull what one was too slow to take`() async throws {
      let server = try await Server()
      var limits = NATSLink.Limits.brisk
      limits.pendingMessageCountMax = 10
      let fast = try await Node(server, named: "fast")
      let slow = try await Node(server, named: "slow", limits: limits)
      fast.set(.integer(0), for: "count")
      try await fast.engine.flush(Node.library, until: .received(1))
      let witness = try await Node(server, named: "witness")
      var count: Int64 = 0
      // Whether it loses any is up to the threads that read and that take: on a busy machine they may keep pace.
      for _ in 0..<20 where slow.link.counters.slowConsumers == 0 {
        let pause = Pause(of: slow.link)
        await pause.begin()
        for _ in 0..<300 {
          count += 1
          fast.set(.integer(count), for: "count")
          try await fast.engine.flush(Node.library, until: .sent)
        }
        // What the server has taken from one, it has offered to all: the third hears of the last write first.
        try await witness.until("count", is: .integer(count))
        pause.end()
        try await slow.until("count", is: .integer(count))
      }
      try await fast.engine.flush(Node.library, until: .received(2))
      expectEqual(fast, slow, witness)
      #expect(slow.link.counters.slowConsumers > 0)
      for node in [fast, slow, witness] { try await node.engine.close() }
    }
  }
#endif
