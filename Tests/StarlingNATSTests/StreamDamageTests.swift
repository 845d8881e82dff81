#if NATS
  import Foundation
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(10))) struct `A damaged stream` {
    private func begun(_ server: Server) async throws -> (any ChangeLog, LogStream) {
      let log = JetStreamHome(server).log()
      _ = try await log.open()
      for counter in 1...3 as ClosedRange<UInt64> { try await log.append([record(ada, counter)]) }
      return (log, try LogStream.ofTest(server))
    }

    @Test func `is refused by the message that no log wrote`() async throws {
      let server = try await Server(Server.jetStream)
      let (log, stream) = try await begun(server)
      try stream.force({ _ in Array("hello".utf8) }, to: "records.a")
      let error = await expectError(.corrupt) { _ = try await JetStreamHome(server).log().open() }
      #expect(error?.message.contains("The message 5 of the stream 'STARLING_test'") == true)
      #expect(error?.message.contains("Put back a backup") == true)
      let other = await expectError(.corrupt) { try await log.append([record(ada, 4)]) }
      #expect(other?.message.contains("by somebody who does not hold the log") == true)
      expectEqual(try await log.recover(library).records, (1...3).map { record(ada, $0) })
    }

    @Test func `of a later version is refused as such, and nobody is displaced`() async throws {
      let server = try await Server(Server.jetStream)
      let (_, stream) = try await begun(server)
      let sequence = try stream.force({ _ in Array("SL".utf8) + [4, 1, 1] }, to: "records.a")
      let error = await expectError(.tooNew) { _ = try await JetStreamHome(server).log().open() }
      #expect(error?.message.contains("the format 4; this program knows up to 3") == true)
      #expect(try stream.extent().last == sequence)
    }

    @Test func `is refused where its beginning is lost`() async throws {
      let server = try await Server(Server.jetStream)
      let (log, stream) = try await begun(server)
      stream.purge(before: 3)
      let lost = await expectError(.corrupt) { _ = try await log.recover(library) }
      #expect(lost?.message.contains("The message 2 of the stream 'STARLING_test' is lost") == true)
      let error = await expectError(.corrupt) { _ = try await JetStreamHome(server).log().open() }
      #expect(error?.message.contains("has lost the name of its store") == true)
    }

    @Test func `is refused where a record follows on others that are not there`() async throws {
      let server = try await Server(Server.jetStream)
      let (log, stream) = try await begun(server)
      var head = RecordsHead()
      head.documents = [library]
      head.countsBefore = [4]
      head.entries = [.init(document: 0, replica: ada, firstCounter: 5, lastCounter: 5, byteCount: 0)]
      let call = StreamCall(kind: .records, head: head.encoded)
      let token = LogSubjects.token(of: .records, library)
      try stream.force({ Array(call.messages(of: 1, from: $0, byteCountMax: 1000))[0] }, to: token)
      let error = await expectError(.corrupt) { _ = try await JetStreamHome(server).log().open() }
      #expect(error?.message.contains("The message 5 of the stream") == true)
      #expect(error?.message.contains("follows on records of 'library' that the stream has lost") == true)
      expectEqual(try await log.recover(library).records, (1...3).map { record(ada, $0) })
    }

    @Test func `is refused where a record is lost that a snapshot was told to leave`() async throws {
      let server = try await Server(Server.jetStream)
      let (log, stream) = try await begun(server)
      try await log.compact(library, into: snapshot(version([ada: 3])), keeping: [ada: 1])
      let later = JetStreamHome(server).log()
      _ = try await later.open()
      expectEqual(try await later.recover(library).records, [record(ada, 2), record(ada, 3)])
      stream.purge(before: 4)
      await expectError(.corrupt) { _ = try await later.recover(library) }
      let error = await expectError(.corrupt) { _ = try await JetStreamHome(server).log().open() }
      #expect(error?.message.contains("The message 5 of the stream") == true)
      #expect(error?.message.contains("follows on records of 'library' that the stream has lost") == true)
    }

    @Test func `that was removed while it was in use is named`() async throws {
      let server = try await Server(Server.jetStream)
      let (log, _) = try await begun(server)
      server.kill()
      try FileManager.default.removeItem(atPath: server.directory + "/store")
      try await server.start()
      _ = try LogStream.ofTest(server)
      let error = await expectError(.corrupt) { try await log.append([record(ada, 4)]) }
      #expect(error?.message.contains("removed or replaced the stream 'STARLING_test'") == true)
    }
  }
#endif
