#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  @testable import StarlingNATS
  import StarlingTestSupport
  import Testing

  @Suite(.timeLimit(.minutes(10))) struct `A cluster of three` {
    @Test(arguments: [UInt64(1)]) func `keeps replicas in step when the server of one of them is killed`(
      seed: UInt64
    ) async throws {
      var dice = Dice(seed: seed)
      let cluster = try await Cluster()
      var nodes: [Node] = []
      for (number, server) in cluster.servers.enumerated() { nodes.append(try await Node(server, named: "\(number)")) }
      let milestones = Milestones()
      let (victim, death) = (dice.roll(3), dice.roll(10..<40))
      async let killing: Void = milestones.each(of: [death]) { cluster.servers[victim].kill() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, node) in nodes.enumerated() {
          group.addTask {
            for count in 1...60 as ClosedRange<Int64> {
              node.set(.integer(count), for: .name("from \(number), \(count % 5)"))
              try await node.engine.flush(Node.library, until: .received(1))
              if number == victim { milestones.reached(Int(count)) }
            }
            // Acknowledged by whoever is reached; in the end by both.
            try await node.engine.flush(Node.library, until: .received(2))
          }
        }
        try await group.waitForAll()
      }
      milestones.end()
      try await killing
      #expect(nodes[victim].link.counters.reconnects > 0, "seed \(seed)")

      try await cluster.servers[victim].start()
      let late = try await Node(cluster.servers[victim], named: "late")
      for number in 0..<3 {
        for key in 0..<5 as Range<Int64> {
          let last = key == 0 ? 60 : 55 + key
          for node in nodes + [late] { try await node.until(.name("from \(number), \(key)"), is: .integer(last)) }
        }
      }
      for node in nodes + [late] {
        #expect(node.library.version == nodes[0].library.version, "seed \(seed)")
        #expect(node.library.digest() == nodes[0].library.digest(), "seed \(seed)")
      }
      for node in nodes + [late] { try await node.engine.close() }
    }

    @Test(arguments: [UInt64(1)]) func `keeps every acknowledged record when the leader of the stream is killed`(
      seed: UInt64
    ) async throws {
      var dice = Dice(seed: seed)
      let cluster = try await Cluster()
      let home = JetStreamHome(cluster)
      let log = home.log()
      let store = try await log.open().store
      let milestones = Milestones()
      let leader = try cluster.leader(of: "STARLING_test")
      let death = 30 + dice.roll(20)
      async let killing: Void = milestones.each(of: [death]) { leader.kill() }
      var model = LogModel()
      for count in 1...120 as ClosedRange<UInt64> {
        let group = [record(ada, count, padding: dice.roll(2000)), record(bob, count)]
        try await log.append(group)
        model.records += group
        milestones.reached(Int(count))
      }
      milestones.end()
      try await killing
      #expect(try cluster.leader(of: "STARLING_test") !== leader, "another was elected")
      expectEqual(try await log.recover(library).records, model.records, "seed \(seed)")
      let compacted = snapshot(version([ada: 100, bob: 20]))
      try await log.compact(library, into: compacted)
      model.compact(into: compacted)
      try await log.close(continuing: ada)

      try await leader.start()
      let isWitnessed = try home.isClosedByWitness()
      if !isWitnessed { print("seed \(seed): the servers lost what only their memory held") }
      let later = home.log()
      let opened = try await later.open()
      #expect(opened.store == store)
      #expect(opened.replica == (isWitnessed ? ada : nil), "two of three servers ran on, and are the witness")
      expectEqual(try await later.recover(library).records, model.records, "seed \(seed), opened again")
      try await later.append([record(ada, 121)])
    }

    /// Each is back and has caught up when the next goes; one stands still, which looks like a leader that has been cut
    /// off. The log is compacted all the while.
    ///
    /// Two servers that are left on a busy machine may not agree on a leader for longer than anybody waits, and all
    /// three may not once they are back: then they are started again, as whoever runs them would. A call that is not
    /// answered may have been carried out or not; everything before it counts. nats-server 2.9 loses messages of a
    /// stream now and then, which it had acknowledged, while servers go and streams are shortened: the log must say so,
    /// and hand out nothing.
    @Test(arguments: [UInt64(5)])
    func `keeps every acknowledged record however its servers go, or says that they lost some`(
      seed: UInt64
    ) async throws {
      do {
        try await goesOn(seed: seed)
      } catch let error as LogError where error.code == .corrupt {
        print("seed \(seed): \(error)")
      }
    }

    private func goesOn(seed: UInt64) async throws {
      var dice = Dice(seed: seed)
      let cluster = try await Cluster()
      let home = JetStreamHome(cluster)
      var log = home.log()
      _ = try await log.open()
      let (one, two, three) = (cluster.servers[0], cluster.servers[1], cluster.servers[2])
      let stream = try LogStream.ofTest(one, two, three, replicas: 3)
      let milestones = Milestones()
      let turns = (0..<3).map { 30 + $0 * 90 + dice.roll(30) }
      let victims = [dice.roll(3), dice.roll(3), dice.roll(3)]
      async let going: Void = {
        var (number, away) = (0, Server?.none)
        try await milestones.each(of: turns) {
          try await away?.comeBack()
          if away != nil { try cluster.catchUp(on: stream) }
          let leader = try cluster.leader(of: "STARLING_test")
          let victim = number == 0 ? leader : cluster.servers[victims[number]]
          number == 0 ? victim.standStill() : victim.kill()
          number += 1
          away = victim
        }
        try await away?.comeBack()
      }()
      var model = LogModel()
      for count in 1...360 as ClosedRange<UInt64> {
        var states = [model]
        model.records += [record(ada, count, padding: dice.roll(2000)), record(bob, count)]
        states.append(model)
        let compacted = count > 10 && dice.oneIn(8) ? snapshot(version([ada: count - 3, bob: count - 6])) : nil
        if let compacted { model.compact(into: compacted) }
        do {
          try await log.append(Array(states[1].records.suffix(2)))
          if let compacted { try await log.compact(library, into: compacted) }
        } catch let error as LogError where error.code == .unwritable {
          states.append(model)
          print("seed \(seed): call \(count) was not answered")
          milestones.end()
          try await going
          log = home.log()
          do {
            _ = try await log.open()
          } catch let error as LogError where error.code == .unwritable {
            print("seed \(seed): the servers agree no more, and are started again")
            try await cluster.restart()
            log = home.log()
            _ = try await log.open()
          }
          let found = try await log.recover(library)
          let isAt = states.first { $0.records == found.records && $0.snapshot == found.snapshot }
          model = try #require(isAt, "seed \(seed): an acknowledged call is missing")
        }
        milestones.reached(Int(count))
      }
      milestones.end()
      try await going
      expectEqual(try await log.recover(library).records, model.records, "seed \(seed)")
      for _ in 0..<2 {
        let later = home.log()
        _ = try await later.open()
        let recovered = try await later.recover(library)
        expectEqual(recovered.records, model.records, "seed \(seed), opened again")
        #expect(recovered.snapshot == model.snapshot, "seed \(seed), opened again")
      }
    }
  }
#endif
