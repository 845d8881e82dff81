#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import StarlingTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(10))) struct `The room of a stream` {
    /// One document is folded again and again; the other, written to once, stands in the way.
    @Test(arguments: [UInt64(1), 2]) func `is given back, whatever stands in the way`(seed: UInt64) async throws {
      var dice = Dice(seed: seed)
      let server = try await Server("max_payload: 4096\n" + Server.jetStream)
      let home = JetStreamHome(server)
      let log = home.log()
      _ = try await log.open()
      let stream = try LogStream.ofTest(server)
      let member = LogMember(store: StoreID(rawValue: 1), acknowledged: version([ada: 1]), heardAt: 7)
      let lease = LogLease(replica: bob, number: 1, counter: 2, holder: nil, user: nil)
      var (busy, quiet) = (LogModel(), LogModel())
      quiet.records = [record(bob, 1...2, in: garden), record(ada, 1, in: garden, padding: 5000)]
      try await log.append(quiet.records)
      try await log.remember([member], of: garden)
      try await log.remember(leases: [lease], of: garden)
      if seed == 2 {
        try await log.compact(garden, into: snapshot(version([bob: 2])))
        quiet.compact(into: snapshot(version([bob: 2])))
      }
      for counter in 1...400 as ClosedRange<UInt64> {
        let next = record(ada, counter, padding: dice.roll(100))
        try await log.append([next])
        busy.records.append(next)
        if dice.oneIn(20) {
          let compacted = snapshot(version([ada: counter - UInt64(dice.roll(3))]))
          try await log.compact(library, into: compacted)
          busy.compact(into: compacted)
        }
        if dice.oneIn(10) { try await log.remember([member], of: library) }
      }
      #expect(try stream.extent().count < 250, "seed \(seed)")
      let later = home.log()
      let opened = try await later.open()
      #expect(opened.documents == [garden, library])
      for log in [log, later] {
        for (document, model) in [(library, busy), (garden, quiet)] {
          let recovered = try await log.recover(document)
          expectEqual(recovered.records, model.records, "seed \(seed)")
          #expect(recovered.snapshot == model.snapshot && recovered.members == [member], "seed \(seed)")
        }
        #expect(try await log.recover(garden).leases == [lease])
      }
      try await later.append([record(bob, 3, in: garden)])
      expectEqual(try await later.recover(garden).records, quiet.records + [record(bob, 3, in: garden)])
    }

    /// One document is folded again and again, and some of its records stay below each snapshot until the last.
    @Test(arguments: [UInt64(1), 2]) func `is given back around records that a snapshot leaves`(seed: UInt64)
      async throws
    {
      var dice = Dice(seed: seed)
      let server = try await Server("max_payload: 4096\n" + Server.jetStream)
      let home = JetStreamHome(server)
      var log = home.log()
      _ = try await log.open()
      let stream = try LogStream.ofTest(server)
      var (acknowledged, left) = (UInt64(0), [LogRecord]())
      func isLeft(_ record: LogRecord, below logStart: UInt64) -> Bool {
        record.lastCounter > (record.replica == ada ? min(acknowledged, logStart) : logStart)
      }
      for counter in 1...400 as ClosedRange<UInt64> {
        let group = [record(ada, counter, padding: dice.roll(100)), record(bob, counter)]
        try await log.append(group)
        left += group
        guard dice.oneIn(20) else { continue }
        acknowledged = max(acknowledged, counter - min(counter, UInt64(dice.roll(30))))
        let compacted = snapshot(version([ada: counter, bob: counter]))
        try await log.compact(library, into: compacted, keeping: [ada: acknowledged])
        left.removeAll { !isLeft($0, below: counter) }
        if dice.oneIn(3) {
          log = home.log()
          _ = try await log.open()
        }
        expectEqual(try await log.recover(library).records, left, "seed \(seed), counter \(counter)")
        let ours = try await log.records(in: library, by: [ada], after: VersionVector(), byteCountMax: .max).plain
        expectEqual(ours?.records, left.filter { $0.replica == ada }, "seed \(seed), counter \(counter)")
      }
      #expect(try stream.extent().count < 300, "seed \(seed)")
      try await log.compact(library, into: snapshot(version([ada: 400, bob: 400])), keeping: [ada: 400])
      #expect(try await log.recover(library).records.isEmpty)
      #expect(try stream.extent().count < 150, "seed \(seed)")
    }

    /// Lists that are stored again and again, where nothing is ever folded.
    @Test func `is given back by lists alone`() async throws {
      let server = try await Server(Server.jetStream)
      let log = JetStreamHome(server).log()
      _ = try await log.open()
      try await log.append([record(ada, 1)])
      for _ in 1...500 { try await log.remember([], of: library) }
      #expect(try LogStream.ofTest(server).extent().count < 150)
      expectEqual(try await log.recover(library).records, [record(ada, 1)])
    }
  }
#endif
