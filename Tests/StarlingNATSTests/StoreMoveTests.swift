#if NATS
  import Foundation
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import StarlingSQLite
  import StarlingTestSupport
  import Testing

  @testable import StarlingNATS
  @testable import StarlingReplica

  @Suite(.timeLimit(.minutes(10))) struct `A store that moves` {
    private struct Site {
      let server: Server
      let directory: String
      let cluster: BareReplica.Options.Cluster
      var place = BareReplica.Options.JetStream()

      init() async throws {
        server = try await Server(Server.jetStream)
        directory = "\(server.directory)/data"
        cluster = BareReplica.Options.Cluster(servers: [server.url])
        (place.replicas, place.name) = (1, "test")
      }

      func file() -> SQLiteLog { SQLiteLog(directory: directory) }
      func stream() -> JetStreamLog { JetStreamHome(server).jetStreamLog() }
      func toStream() async throws -> StoreMove.Report { try await StoreMove.toStream(directory, place, at: cluster) }
      func toDirectory() async throws -> StoreMove.Report {
        try await StoreMove.toDirectory(directory, place, at: cluster)
      }

      /// A store with something of everything.
      func fill(_ log: any ChangeLog) async throws -> StoreID {
        let opened = try await log.open()
        try await log.append((1...9 as ClosedRange<UInt64>).map { record(ada, $0, padding: 30) })
        try await log.append([record(bob, 1...3), record(bob, 1...2, in: garden)])
        try await log.compact(library, into: snapshot(version([ada: 5, bob: 3])), keeping: [ada: 2])
        try await log.checkpoint(library, at: snapshot(version([ada: 7, bob: 3])), recordByteCount: 77)
        try await log.remember(
          [LogMember(store: StoreID(rawValue: 8), acknowledged: version([ada: 5]), heardAt: 7)], of: library)
        try await log.remember(
          leases: [LogLease(replica: bob, number: 1, counter: 2, holder: nil, user: "key")], of: garden)
        try await log.append([record(ada, 1, in: DocumentID("gone")!)])
        try await log.forget(DocumentID("gone")!)
        try await log.remember(
          StoredGenerations(
            own: 0, others: [.init(store: StoreID(rawValue: 8), name: "south", generation: 4, epoch: 5)]))
        try await log.close(continuing: ada)
        return opened.store
      }

      func check(_ log: any ChangeLog, _ store: StoreID, _ comment: Comment? = nil) async throws {
        let opened = try await log.open()
        #expect(opened.store == store && opened.replica == ada, comment)
        #expect(opened.documents == [garden, library] && opened.forgotten == [DocumentID("gone")!], comment)
        #expect(opened.generations.own >= 2 && opened.generations.others.map(\.name) == ["south"], comment)
        let recovered = try await log.recover(library)
        #expect(recovered.snapshot == snapshot(version([ada: 5, bob: 3])), comment)
        expectEqual(recovered.records, (3...9).map { record(ada, $0, padding: 30) })
        #expect(recovered.members.map(\.heardAt) == [7], comment)
        let latest = try await log.recoverFromCheckpoint(library)
        #expect(latest?.history?.byteCount == 77 && latest?.records.map(\.lastCounter) == [8, 9], comment)
        #expect(try await log.recover(garden).leases.map(\.user) == ["key"], comment)
        try await log.close(continuing: ada)
      }

      func expectGone(_ log: any ChangeLog, _ words: String) async {
        let error = await expectError(.misuse) { _ = try await log.open() }
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
      }
    }

    @Test func `into a stream and back has everything, its name and its replica id, and is nowhere else`() async throws
    {
      let site = try await Site()
      let store = try await site.fill(site.file())
      let report = try await site.toStream()
      #expect(report.store == store && report.documentCount == 2)
      await site.expectGone(site.file(), "moved to the stream STARLING_test")
      try await site.check(site.stream(), store)
      let twice = await expectError(.misuse) { _ = try await site.toStream() }
      #expect(twice?.message.contains("moved to the stream STARLING_test") == true)
      try FileManager.default.removeItem(atPath: site.directory)
      #expect(try await site.toDirectory().store == store)
      await site.expectGone(site.stream(), "moved to '\(site.directory)'")
      try await site.check(site.file(), store)
      // And once more, into the stream that it left.
      #expect(try await site.toStream().store == store)
      try await site.check(site.stream(), store)
    }

    @Test func `goes on in its directory where the move into a stream was broken off, and moves at the next attempt`()
      async throws
    {
      let site = try await Site()
      let store = try await site.fill(site.file())
      for isMarked in [false, true] {
        let (file, stream) = (SQLiteLog(moving: site.directory), site.stream())
        let opened = try await file.open()
        try await stream.receive(store, from: "'\(site.directory)'")
        let copying = LogCopying(source: file, opened: opened, target: stream)
        try await copying.copy { _, _ in }
        if isMarked { try await file.beginMove(to: "the stream STARLING_test") }
        try await file.close(continuing: ada)
        // Here the program ends.
        await site.expectGone(site.stream(), "was broken off; the store is still there")
        if isMarked {
          await site.expectGone(site.file(), "was broken off. Run starling store move again")
        } else {
          try await site.check(site.file(), store)
        }
      }
      #expect(try await site.toStream().store == store)
      try await site.check(site.stream(), store)
      await site.expectGone(site.file(), "moved to")
    }

    /// So many that the stream gives space back while they come.
    @Test func `is not in the stream before all of it is, however many documents it has`() async throws {
      let site = try await Site()
      let file = site.file()
      _ = try await file.open()
      let member = LogMember(store: StoreID(rawValue: 8), acknowledged: version([ada: 1]), heardAt: 7)
      for number in 0..<150 {
        let document = DocumentID("document \(number)")!
        try await file.append([record(ada, 1, in: document), record(bob, 1, in: document)])
        try await file.compact(document, into: snapshot(version([bob: 1])))
        try await file.remember([member], of: document)
      }
      try await file.close(continuing: ada)
      let (source, stream) = (SQLiteLog(moving: site.directory), site.stream())
      let opened = try await source.open()
      try await stream.receive(opened.store, from: "'\(site.directory)'")
      try await LogCopying(source: source, opened: opened, target: stream).copy { _, _ in }
      try await source.close(continuing: ada)
      await site.expectGone(site.stream(), "was broken off; the store is still there")
      #expect(try await site.toStream().documentCount == 150)
      #expect(try await site.stream().open().documents.count == 150)
    }

    @Test func `is looked for in a stream without making one`() async throws {
      let site = try await Site()
      let error = await expectError(.misuse) { _ = try await site.toDirectory() }
      #expect(error?.message.contains("There is no store in the stream STARLING_test") == true)
      #expect(try await site.stream().exists() == false)
    }

    @Test func `is in the stream where the move was broken off after that, and its directory is released later`()
      async throws
    {
      let site = try await Site()
      let store = try await site.fill(site.file())
      let (file, stream) = (SQLiteLog(moving: site.directory), site.stream())
      let opened = try await file.open()
      try await stream.receive(store, from: "'\(site.directory)'")
      try await LogCopying(source: file, opened: opened, target: stream).copy { _, _ in }
      try await file.beginMove(to: "the stream STARLING_test")
      try await stream.arrive(from: "'\(site.directory)'")
      try await stream.close(continuing: ada)
      try await file.close(continuing: ada)
      try await site.check(site.stream(), store)
      await site.expectGone(site.file(), "broken off")
      let later = site.stream()
      _ = try await later.open()
      try await later.append([record(ada, 10)])
      #expect(try await site.toStream().store == store, "although a daemon wrote there since")
      await site.expectGone(site.file(), "moved to")
      try await later.append([record(ada, 11)])
    }

    @Test func `is in its new directory where the move out of the stream was broken off at its end`() async throws {
      let site = try await Site()
      let store = try await site.fill(site.stream())
      let stream = site.stream()
      let opened = try await stream.open()
      let arrival = SQLiteLog.arrivalPlace(of: site.directory)
      let file = SQLiteLog(moving: arrival, store: store)
      _ = try await file.open()
      try await LogCopying(source: stream, opened: opened, target: file).copy { _, _ in }
      try await file.close(continuing: ada)
      try await stream.leave(to: "'\(site.directory)'")
      await site.expectGone(site.stream(), "moved to '\(site.directory)'")
      #expect(!FileManager.default.fileExists(atPath: site.directory))
      for _ in 0..<2 { #expect(try await site.toDirectory().store == store) }
      try await site.check(site.file(), store)
    }

    @Test func `does not move while a daemon has it, nor onto another store`() async throws {
      let site = try await Site()
      let daemon = site.file()
      _ = try await site.fill(daemon)
      let busy = site.file()
      _ = try await busy.open()
      await expectError(.busy) { _ = try await site.toStream() }
      try await busy.close(continuing: ada)
      let other = site.stream()
      _ = try await other.open()
      try await other.append([record(bob, 1)])
      try await other.close(continuing: bob)
      let error = await expectError(.misuse) { _ = try await site.toStream() }
      #expect(error?.message.contains("Another store is in the stream") == true)
      let onto = await expectError(.misuse) { _ = try await site.toDirectory() }
      #expect(onto?.message.contains("is not empty") == true)
      let again = site.stream()
      _ = try await again.open()
      expectEqual(try await again.recover(library).records, [record(bob, 1)])
      _ = try await site.file().open()
    }

    @Test func `goes with its daemon, by the programs that people start`() async throws {
      let server = try await Server(Server.jetStream)
      let data = "\(server.directory)/data"
      func move(to place: String) async throws {
        let command = Process()
        command.executableURL = try DaemonProgram.url("starling")
        command.arguments =
          ["store", "move", data, "--to", place, "--cluster", server.url, "--log-name", "a", "--log-replicas", "1"]
        let said = Pipe()
        command.standardError = said
        try command.run()
        let text = await Task.detached {
          String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }.value
        command.waitUntilExit()
        #expect(command.terminationStatus == 0 && text.contains("equal to what it was copied from"), "\(text)")
      }
      let stream = ["--log-name", "a"]
      let sqlite = ["--log", "sqlite", "--directory", data]
      var known: [String] = []
      for (number, more) in [sqlite, stream, sqlite].enumerated() {
        if number == 1 { try await move(to: "jetstream") }
        if number == 2 {
          try FileManager.default.removeItem(atPath: data)
          try await move(to: "sqlite")
        }
        let daemon = try DaemonProgram(server, site: "a", more)
        try await daemon.until("serves 'library'")
        let program = try await SiteProgram(server, site: "a")
        for key in known { #expect(await program.number(for: key) == 7) }
        known.append("n\(number)")
        try await program.set(7, for: known[number])
        try await program.close()
        daemon.signal(SIGTERM)
        #expect(await daemon.end() == 0, "\(daemon.text)")
      }
    }
  }
#endif
