#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import StarlingTestSupport
  import Testing

  @Suite(.timeLimit(.minutes(10))) struct `A server that is killed in the middle of appends` {
    /// Some are larger than a message, and travel in parts.
    @Test(arguments: [UInt64(1), 2]) func `has every acknowledged record when it is back, in order and once`(
      seed: UInt64
    ) async throws {
      var dice = Dice(seed: seed)
      let server = try await Server("max_payload: 4096\n" + Server.jetStream)
      let home = JetStreamHome(server)
      let log = home.log()
      let store = try await log.open().store
      let milestones = Milestones()
      let deaths = [20, 60, 110].map { $0 + dice.roll(20) }
      async let killing: Void = milestones.each(of: deaths) {
        server.kill()
        try await server.start()
      }
      var model = LogModel()
      for count in 1...150 as ClosedRange<UInt64> {
        let group = (0..<dice.roll(1..<4)).map {
          record($0 == 1 ? bob : ada, count * 4 + UInt64($0), padding: dice.roll(3000))
        }
        try await log.append(group)
        model.records += group
        milestones.reached(Int(count))
        if dice.oneIn(40) {
          let compacted = snapshot(version([ada: count * 3]))
          try await log.compact(library, into: compacted)
          model.compact(into: compacted)
        }
      }
      milestones.end()
      try await killing
      expectEqual(try await log.recover(library).records, model.records, "seed \(seed)")
      let later = home.log()
      #expect(try await later.open().store == store)
      let recovered = try await later.recover(library)
      expectEqual(recovered.records, model.records, "seed \(seed), opened again")
      #expect(recovered.snapshot == model.snapshot, "seed \(seed)")
    }
  }
#endif
