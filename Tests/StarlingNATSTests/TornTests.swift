#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import Testing

  @testable import StarlingNATS

  /// A writer that ended between two parts: the parts that it had written are in the stream.
  @Suite(.timeLimit(.minutes(10))) struct `What was not finished` {
    private let kept = [record(ada, 1), record(bob, 1...3)]

    private func tear(_ call: StreamCall, of token: String, in stream: LogStream, after partCount: Int) throws {
      let first = try stream.extent().last + 1
      let messages = Array(call.messages(of: 1, from: first, byteCountMax: StreamPart.headByteCount + 100))
      #expect(messages.count > partCount)
      for message in messages.prefix(partCount) { try stream.force({ _ in message }, to: token) }
    }

    private func expectKept(_ log: any ChangeLog) async throws {
      let recovered = try await log.recover(library)
      expectEqual(recovered.records, kept)
      #expect(recovered.snapshot == nil && recovered.members.isEmpty)
    }

    @Test(arguments: [1, 2, 3]) func `of an append never was`(partCount: Int) async throws {
      let server = try await Server(Server.jetStream)
      let home = JetStreamHome(server)
      let log = home.log()
      _ = try await log.open()
      try await log.append(kept)
      let stream = try LogStream.ofTest(server)
      var head = RecordsHead()
      head.documents = [library]
      head.countsBefore = [2]
      head.entries = [.init(document: 0, replica: ada, firstCounter: 2, lastCounter: 9, byteCount: 300)]
      let call = StreamCall(kind: .records, head: head.encoded, body: [UInt8](repeating: 0, count: 300))
      try tear(call, of: LogSubjects.token(of: .records, library), in: stream, after: partCount)
      let later = home.log()
      _ = try await later.open()
      try await expectKept(later)
      try await later.append([record(ada, 2)])
      expectEqual(try await later.recover(library).records, kept + [record(ada, 2)])
    }

    @Test(arguments: [1, 3]) func `of a snapshot, or of a list, never was`(partCount: Int) async throws {
      let server = try await Server(Server.jetStream)
      let home = JetStreamHome(server)
      let log = home.log()
      _ = try await log.open()
      try await log.append(kept)
      let stream = try LogStream.ofTest(server)
      let head = SnapshotHead(document: library, countLeft: 0, version: version([ada: 1, bob: 3]))
      let body = [UInt8](repeating: 0, count: 400)
      try tear(
        StreamCall(kind: .snapshot, head: head.encoded, body: body), of: LogSubjects.token(of: .snapshot, library),
        in: stream, after: partCount)
      try tear(
        StreamCall(kind: .members, head: DocumentHead(document: library).encoded, body: body),
        of: LogSubjects.token(of: .members, library), in: stream, after: partCount)
      let later = home.log()
      _ = try await later.open()
      try await expectKept(later)
      try await later.compact(library, into: snapshot(version([ada: 1])))
      let last = home.log()
      _ = try await last.open()
      expectEqual(try await last.recover(library).records, [kept[1]])
    }

    @Test func `being a call larger than a message is finished with its last part`() async throws {
      let server = try await Server("max_payload: 4096\n" + Server.jetStream)
      let home = JetStreamHome(server)
      let log = home.log()
      _ = try await log.open()
      let large = (1...40 as ClosedRange<UInt64>).map { record(ada, $0, padding: Int($0) * 100) }
      try await log.append(large)
      var compacted = snapshot(version([ada: 7]))
      compacted.bytes += [UInt8](repeating: 9, count: 50_000)
      try await log.compact(library, into: compacted)
      let later = home.log()
      _ = try await later.open()
      for log in [log, later] {
        let recovered = try await log.recover(library)
        expectEqual(recovered.records, Array(large.dropFirst(7)))
        #expect(recovered.snapshot == compacted)
      }
    }
  }
#endif
