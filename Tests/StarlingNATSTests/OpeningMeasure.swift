#if NATS
  import Foundation
  import StarlingCore
  import StarlingEngine
  import StarlingReplica
  import Testing

  /// How long a replica takes to open from a stream, beside one with the same state in SQLite:
  /// `STARLING_OPENING_KEYS=100000 swift test --traits NATS --filter OpeningMeasure`. Ten operations a key.
  @Suite(
    .enabled(
      if: ProcessInfo.processInfo.environment["STARLING_OPENING_KEYS"] != nil,
      "needs STARLING_OPENING_KEYS, the number of keys"))
  struct OpeningMeasure {
    private static let keyCount = Int(ProcessInfo.processInfo.environment["STARLING_OPENING_KEYS"] ?? "") ?? 0
    private static let roundCount = 10

    private func options(_ server: Server?) -> BareReplica.Options {
      var options = BareReplica.Options()
      options.joinsThisMachine = false
      guard let server else { return options }
      options.cluster = BareReplica.Options.Cluster(servers: [server.url])
      var place = BareReplica.Options.JetStream()
      place.replicas = 1
      options.log = .jetStream(place)
      return options
    }

    private func fill(_ replica: BareReplica) async throws {
      for round in 0..<Self.roundCount {
        for start in stride(from: 0, to: Self.keyCount, by: 1000) {
          replica.document.write { document, patch in
            for number in start..<min(start + 1000, Self.keyCount) {
              document.set(
                .integer(Int64(round)), for: Key(stringLiteral: "key \(number)"), in: .root, patch: &patch)
            }
          }
          try await replica.engine.flush(replica.document.id, until: .durable)
        }
      }
      try await replica.close()
    }

    @Test func `of a stream and of SQLite take as long as they take`() async throws {
      let server = try await Server(Server.jetStream)
      let directory = "\(server.directory)/store"
      let clock = ContinuousClock()
      var digests: Set<Digest?> = []
      for options in [options(nil), options(server)] {
        let filling = try await clock.measure {
          try await fill(try await BareReplica.open("opening", in: directory, options: options))
        }
        print("filled in \(filling)")
      }
      var times: [[Duration]] = [[], []]
      for _ in 0..<5 {
        for (place, options) in [options(nil), options(server)].enumerated() {
          let start = clock.now
          let replica = try await BareReplica.open("opening", in: directory, options: options)
          times[place].append(clock.now - start)
          #expect(replica.document.read { $0.keyCount(in: .root) } == Self.keyCount)
          digests.insert(replica.digest)
          try await replica.close()
        }
      }
      let (file, stream) = (times[0].sorted(), times[1].sorted())
      print("\(Self.keyCount) keys, \(Self.keyCount * Self.roundCount) operations")
      print("SQLite \(file)\nstream \(stream)\nratio of medians \(stream[2] / file[2])")
    }
  }
#endif
