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
      let sequence = try stream.force({ _ in Array("SL".utf8) + [2, 1, 1] }, to: "records.a")
      let error = await expectError(.tooNew) { _ = try await JetStreamHome(server).log().open() }
      #expect(error?.message.contains("the format 2; this program knows up to 1") == true)
      #expect(try stream.extent().last == sequence)
    }

    @Test(arguments: [2, 3] as [UInt64]) func `is refused where a record is lost`(sequence: UInt64) async throws {
      let server = try await Server(Server.jetStream)
      let (log, stream) = try await begun(server)
      stream.remove(sequence)
      let lost = await expectError(.corrupt) { _ = try await log.recover(library) }
      #expect(lost?.message.contains("The message \(sequence) of the stream") == true)
      let error = await expectError(.corrupt) { _ = try await JetStreamHome(server).log().open() }
      #expect(error?.message.contains("follows on records of 'library' that the stream has lost") == true)
    }

    @Test func `is refused where a snapshot's records are lost with it`() async throws {
      let server = try await Server(Server.jetStream)
      let (log, stream) = try await begun(server)
      try await log.fold(library, into: snapshot(version([ada: 2])))
      try await log.append([record(ada, 4)])
      stream.remove(5)
      await expectError(.corrupt) { _ = try await log.snapshot(of: library) }
      // The third record tells of two before it, and no snapshot that took them.
      await expectError(.corrupt) { _ = try await JetStreamHome(server).log().open() }
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
