#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import StarlingTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(10))) struct `Opening a stream` {
    /// What opening and recovering read of a log with so many operations on few keys.
    private func read(_ operationCount: UInt64, history: Bool) async throws -> (messageCount: Int, byteCount: Int) {
      let server = try await Server(Server.jetStream)
      var home = JetStreamHome(server)
      home.limits.messageCountPerIndex = 32
      let log = home.log()
      _ = try await log.open()
      for counter in 1...operationCount {
        try await log.append([record(ada, counter, padding: 50)])
        guard counter.isMultiple(of: 25) else { continue }
        let state = StoredSnapshot(version: version([ada: counter]), bytes: [UInt8](repeating: 7, count: 800))
        if history {
          try await log.checkpoint(library, at: state, recordByteCount: 1)
        } else {
          try await log.compact(library, into: state)
        }
      }
      // Killed: nothing is written at its end.
      var opening = try LogOpening(
        LogSubjects(name: home.name)!, replicas: 1, at: Servers([server.url]), limits: home.limits)
      try opening.follow()
      let session = try #require(try opening.take())
      let recovered = try #require(
        history ? try session.recoverFromCheckpoint(library) : try session.recover(library))
      #expect(recovered.snapshot?.version == version([ada: operationCount / 25 * 25]))
      let tail = opening.stream.read
      if history {
        // All of the history is still there.
        let all = try session.recover(library).records
        expectEqual(all, (1...operationCount).map { record(ada, $0, padding: 50) })
      }
      return tail
    }

    /// With as few messages as show it: each waits for the server and for a thread, and a run of all tests has few threads.
    @Test(arguments: [true, false])
    func `reads the state and the last messages, however many came before`(history: Bool) async throws {
      let (once, fourTimes) = (try await read(510, history: history), try await read(2_010, history: history))
      #expect(once.messageCount < 125 && fourTimes.messageCount < 125, "\(once) \(fourTimes)")
      #expect(fourTimes.byteCount < 2 * once.byteCount, "\(once) \(fourTimes)")
    }

    @Test func `goes back to its beginning where the last index cannot be read`() async throws {
      let server = try await Server(Server.jetStream)
      var home = JetStreamHome(server)
      home.limits.messageCountPerIndex = 4
      let log = home.log()
      _ = try await log.open()
      for counter in 1...50 as ClosedRange<UInt64> { try await log.append([record(ada, counter)]) }
      let stream = try LogStream.ofTest(server)
      #expect(try stream.lastIndex() != nil)
      try stream.force(
        { sequence in
          StreamPart(.index, isLast: true, session: 1, first: sequence, bytes: [0, 0, 0, 0]).encoded()
        }, to: LogSubjects.index)
      #expect(try stream.lastIndex() == nil)
      let later = home.log()
      _ = try await later.open()
      expectEqual(try await later.recover(library).records, (1...50).map { record(ada, $0) })
    }

    /// The same calls on a log in memory, which knows no index.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `finds what was written, whatever was compacted, sealed and retracted before`(seed: UInt64) async throws {
      var dice = Dice(seed: seed)
      let server = try await Server("max_payload: 2048\n" + Server.jetStream)
      var home = JetStreamHome(server)
      home.limits.messageCountPerIndex = UInt64(dice.roll(2..<30))
      var log = home.log()
      let model = MemoryLog()
      _ = try await log.open()
      _ = try await model.open()
      var counters: [ReplicaID: UInt64] = [ada: 0, bob: 0]
      func cut(_ dice: inout Dice) -> [ReplicaID: UInt64] {
        counters.mapValues { $0 - min($0, UInt64(dice.roll(8))) }.filter { $0.value > 0 }
      }
      for step in 1...300 {
        let writer = dice.oneIn(3) ? bob : ada
        counters[writer]! += 1
        let next = [record(writer, counters[writer]!, padding: dice.roll(60))]
        try await log.append(next)
        try await model.append(next)
        let (start, state) = (try await model.extent(of: library).logStart, cut(&dice))
        guard version(state).covers(start) else { continue }
        if dice.oneIn(9) {
          try await log.checkpoint(library, at: snapshot(version(state)), recordByteCount: step)
          try await model.checkpoint(library, at: snapshot(version(state)), recordByteCount: step)
        }
        if dice.oneIn(40) {
          let kept = dice.oneIn(2) ? [ada: UInt64(dice.roll(Int(counters[ada]!) + 1))] : [:]
          try await log.compact(library, into: snapshot(version(state)), keeping: kept)
          try await model.compact(library, into: snapshot(version(state)), keeping: kept)
        }
        if dice.oneIn(12) {
          log = home.log()
          _ = try await log.open()
        }
        if dice.oneIn(6) {
          let (found, known) = (try await log.recover(library), try await model.recover(library))
          #expect(found.snapshot == known.snapshot, "seed \(seed), step \(step)")
          expectEqual(found.records, known.records, "seed \(seed), step \(step)")
        }
        let (latest, wanted) = (
          try await log.recoverFromCheckpoint(library), try await model.recoverFromCheckpoint(library)
        )
        #expect(
          latest?.snapshot == wanted?.snapshot && latest?.history == wanted?.history, "seed \(seed), step \(step)")
        expectEqual(latest?.records ?? [], wanted?.records ?? [], "seed \(seed), step \(step)")
        for asked in [state, [:], [bob: 1]] {
          let (answer, right) = (
            try await log.records(in: library, after: version(asked), byteCountMax: 200).plain,
            try await model.records(in: library, after: version(asked), byteCountMax: 200).plain
          )
          #expect(answer?.records == right?.records, "seed \(seed), step \(step)")
          let (own, rightOwn) = (
            try await log.records(in: library, by: [bob], after: version(asked), byteCountMax: 200).plain,
            try await model.records(in: library, by: [bob], after: version(asked), byteCountMax: 200).plain
          )
          #expect(own?.records == rightOwn?.records, "seed \(seed), step \(step)")
        }
      }
    }

    @Test func `takes an index that is cut anywhere for none`() throws {
      var index = LogIndex()
      func take(_ kind: StreamPart.Kind, _ head: [UInt8], at sequence: UInt64, body: Int) {
        let isTaken = index.take(
          ReadCall(
            kind: kind, session: 7, first: sequence, last: sequence, head: head, partByteCount: 4000,
            bodyByteCount: body))
        #expect(isTaken)
      }
      take(.opened, OpenedHead(store: StoreID(rawValue: 3), holder: "ada").encoded, at: 1, body: 0)
      var records = RecordsHead()
      records.documents = [library]
      records.countsBefore = [0]
      records.entries = (1...9).map {
        RecordsHead.Entry(document: 0, replica: ada, firstCounter: $0, lastCounter: $0, byteCount: 10)
      }
      take(.records, records.encoded, at: 2, body: 90)
      let checkpoint = CheckpointHead(document: library, recordByteCount: 9, version: version([ada: 5]))
      take(.checkpoint, checkpoint.encoded, at: 3, body: 100)
      let snapshot = SnapshotHead(document: garden, countLeft: 0, version: version([bob: 2]), kept: [bob: 1])
      take(.keepingSnapshot, snapshot.encoded, at: 4, body: 8)
      take(.members, DocumentHead(document: garden).encoded, at: 5, body: 8)
      take(.leases, DocumentHead(document: garden).encoded, at: 6, body: 8)
      index.seal(3, of: library, at: StreamSpan(first: 7, partByteCount: 400, offset: 9, byteCount: 30))
      take(.closed, ClosedHead(replica: ada, heads: []).encoded, at: 8, body: 0)
      let bytes = try #require(index.encoded)
      let again = try #require(LogIndex(decoding: bytes))
      #expect(again.documents[library]?.records.map(\.lastCounter) == [4, 5, 6, 7, 8, 9])
      #expect(again.documents[library]?.recordCount == 9 && again.documents[library]?.isRead == false)
      #expect(again.documents[garden]?.snapshot?.kept == [bob: 1])
      #expect(again.opening?.head.holder == "ada" && again.closing?.head.replica == ada)
      for count in 0..<bytes.count { #expect(LogIndex(decoding: Array(bytes.prefix(count))) == nil) }
    }
  }
#endif
