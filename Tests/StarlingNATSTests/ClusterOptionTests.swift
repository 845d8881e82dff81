#if NATS
  import Foundation
  import StarlingCore
  import StarlingEngine
  import StarlingNATS
  import StarlingReplica
  import Testing

  /// Sites on one machine are apart by their directories of sockets.
  @Suite(.timeLimit(.minutes(5))) struct `Replicas with a cluster between their sites` {
    private func options(_ server: Server, site: String, isDaemon: Bool) -> BareReplica.Options {
      var options = BareReplica.Options()
      options.socketDirectory = "\(server.directory)/\(site)"
      options.isDaemon = isDaemon
      if isDaemon { options.cluster = BareReplica.Options.Cluster(servers: [server.url]) }
      return options
    }

    @Test func `carry what a program writes to a program at another site, and back`() async throws {
      let server = try await Server()
      var replicas: [BareReplica] = []
      for site in ["a", "b"] {
        for isDaemon in [true, false] {
          let options = options(server, site: site, isDaemon: isDaemon)
          replicas.append(try await BareReplica.open("sites", options: options))
        }
      }
      let (daemon, first, second) = (replicas[0], replicas[1], replicas[3])
      for (writer, reader, key) in [(first, second, "there" as Key), (second, first, "back")] {
        writer.document.write { document, patch in document.set(.integer(7), for: key, in: .root, patch: &patch) }
        await wait(until: reader, covers: writer)
      }
      #expect(first.digest == second.digest)
      let measured = await daemon.measure()
      #expect(measured.link != nil)
      #expect(try #require(measured.cluster).framesReceived > 0)
      #expect(measured.text.contains("starling_cluster_frames_received_total"))
      for replica in replicas.reversed() { try await replica.close() }
    }

    private func wait(until reader: BareReplica, covers writer: BareReplica) async {
      let (patches, patched) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      reader.document.onPatch { _ in patched.yield() }
      let wanted = writer.document.version
      guard !reader.document.version.covers(wanted) else { return }
      for await _ in patches where reader.document.version.covers(wanted) { break }
    }

    @Test func `talk to one daemon of the cluster where they have none beside them, and to another when it leaves`()
      async throws
    {
      let server = try await Server()
      var daemons: [BareReplica] = []
      for site in ["a", "b"] {
        daemons.append(try await BareReplica.open("sites", options: options(server, site: site, isDaemon: true)))
      }
      var alone = options(server, site: "c", isDaemon: false)
      alone.cluster = BareReplica.Options.Cluster(servers: [server.url])
      let program = try await BareReplica.open("sites", options: alone)
      for counter in 1...2 as ClosedRange<Int64> {
        program.document.write { document, patch in document.set(.integer(counter), for: "n", in: .root, patch: &patch)
        }
        for daemon in daemons { await wait(until: daemon, covers: program) }
        guard counter == 1 else { continue }
        let stores = await program.status().peers.map(\.store)
        #expect(stores.count == 1)
        var chosen = 0
        for (index, daemon) in daemons.enumerated() where await stores.contains(daemon.status().store) {
          chosen = index
        }
        try await daemons.remove(at: chosen).close()
      }
      for replica in daemons + [program] { try await replica.close() }
    }

    @Test func `serve their site where no server answers, and join the others later`() async throws {
      let server = try await Server()
      server.kill()
      let first = try await BareReplica.open("sites", options: options(server, site: "a", isDaemon: true))
      let writer = try await BareReplica.open("sites", options: options(server, site: "a", isDaemon: false))
      writer.document.write { document, patch in document.set(.integer(7), for: "alone", in: .root, patch: &patch) }
      try await writer.engine.flush(writer.document.id, until: .received(1))
      try await server.comeBack()
      let second = try await BareReplica.open("sites", options: options(server, site: "b", isDaemon: true))
      await wait(until: second, covers: writer)
      #expect(second.digest == writer.digest)
      for replica in [writer, first, second] { try await replica.close() }
    }

    @Test func `say which server refuses them`() async throws {
      let server = try await Server("authorization: { user: ada, password: secret }")
      let options = options(server, site: "a", isDaemon: true)
      let error = await #expect(throws: LinkError.self) { _ = try await BareReplica.open("sites", options: options) }
      #expect(error?.code == .system)
      #expect(error?.message.hasPrefix("The link 'cluster': The NATS server at \(server.url) refuses us.") == true)
    }

    @Test func `say which address cannot be one`() async throws {
      var options = BareReplica.Options()
      options.joinsThisMachine = false
      options.cluster = BareReplica.Options.Cluster(servers: ["http//x"])
      let chosen = options
      let error = await #expect(throws: LinkError.self) { _ = try await BareReplica.open("sites", options: chosen) }
      #expect(error?.code == .endpoint)
      #expect(error?.message.contains("'http//x'") == true)
    }
  }
#endif
