#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import StarlingTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite(.timeLimit(.minutes(10))) struct `Who holds a log` {
    @Test func `is the process that opened it last, and the one before is told which that is`() async throws {
      let home = JetStreamHome(try await Server(Server.jetStream))
      let (first, second) = (home.log(), home.log())
      let store = try await first.open().store
      try await first.append([record(ada, 1)])
      #expect(try await second.open().store == store)
      let error = await expectError(.busy) { try await first.append([record(ada, 2)]) }
      #expect(error?.message.contains("Another process (\(LogHolder.ownName)) opened the log") == true)
      #expect(error?.message.contains("STARLING_test") == true)
      await expectError(.busy) { try await first.compact(library, into: snapshot(version([ada: 1]))) }
      await expectError(.busy) { try await first.remember([], of: library) }
      expectEqual(try await first.recover(library).records, [record(ada, 1)], "what it knows it may still read")
      try await second.append([record(bob, 1)])
      expectEqual(try await second.recover(library).records, [record(ada, 1), record(bob, 1)])
      try await first.close(continuing: ada)
      #expect(try await home.log().open().replica == nil, "a process that was displaced leaves no mark")
    }

    @Test func `is told so where what it would read is compacted away by the next`() async throws {
      let home = JetStreamHome(try await Server(Server.jetStream))
      let (first, second) = (home.log(), home.log())
      _ = try await first.open()
      try await first.append([record(ada, 1)])
      _ = try await second.open()
      for counter in 2...200 as ClosedRange<UInt64> { try await second.append([record(ada, counter)]) }
      try await second.compact(library, into: snapshot(version([ada: 200])))
      await expectError(.busy) { _ = try await first.recover(library) }
    }

    /// Two that open and write as fast as they can: each record is there once, or its writer was told that it is not.
    @Test(arguments: [UInt64(1), 2]) func `is one at a time, however often it changes`(seed: UInt64) async throws {
      let home = JetStreamHome(try await Server(Server.jetStream))
      let taken = await withTaskGroup(of: [LogRecord].self) { group in
        for writer in [ada, bob] {
          group.addTask {
            var dice = Dice(seed: seed ^ writer.rawValue)
            var taken: [LogRecord] = []
            var counter: UInt64 = 0
            for _ in 0..<8 {
              let log = home.log()
              do {
                _ = try await log.open()
              } catch {
                #expect((error as? LogError)?.code == .busy, "\(error)")
                continue
              }
              for _ in 0..<dice.roll(1..<20) {
                let next = [record(writer, counter + 1), record(writer, counter + 2)]
                counter += 2
                guard (try? await log.append(next)) != nil else { break }
                taken += next
              }
            }
            return taken
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      let log = home.log()
      _ = try await log.open()
      let found = try await log.recover(library).records
      for writer in [ada, bob] {
        expectEqual(
          found.filter { $0.replica == writer }, taken.filter { $0.replica == writer }, "seed \(seed)")
      }
      #expect(found.count == taken.count && !taken.isEmpty)
    }

    @Test func `has stored a message once, however often it was sent`() async throws {
      let server = try await Server(Server.jetStream)
      let stream = try LogStream.ofTest(server)
      let message = StreamPart(.records, isLast: true, session: 1, first: 1, bytes: [1]).encoded()
      let other = StreamPart(.records, isLast: true, session: 2, first: 1, bytes: [1]).encoded()
      var isOpen = false
      for _ in 0..<3 {
        // The answer to each but the last was lost, as far as the sender knows.
        let publication = try stream.publish(message, to: "records.a", behind: 0, isOpen: &isOpen)
        #expect(publication.isStored && !isOpen)
      }
      let late = try stream.publish(other, to: "records.a", behind: 0, isOpen: &isOpen)
      #expect(!late.isStored && !isOpen)
      #expect(try stream.extent() == (1, 1))
    }
  }

  extension LogStream.Publication {
    var isStored: Bool { if case .stored = self { true } else { false } }
  }

  extension LogStream {
    /// The stream of the log that `JetStreamHome` opens, from beside it.
    static func ofTest(_ servers: Server..., replicas: Int = 1) throws -> LogStream {
      let subjects = LogSubjects(name: "test")!
      return try LogStream(
        Settings(name: subjects.stream, root: subjects.root, replicas: replicas),
        at: JetStreamConnection(to: Servers(servers.map(\.url)), limits: .patient))
    }

    /// Writes behind whatever is there.
    @discardableResult
    func force(_ message: (UInt64) -> [UInt8], to token: String) throws -> UInt64 {
      let last = try extent().last
      var isOpen = false
      let publication = try publish(message(last + 1), to: token, behind: last, isOpen: &isOpen)
      #expect(publication.isStored)
      return last + 1
    }
  }
#endif
