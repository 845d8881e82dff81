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
        let (patches, patched) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        reader.document.onPatch { _ in patched.yield() }
        writer.document.write { document, patch in document.set(.integer(7), for: key, in: .root, patch: &patch) }
        let wanted = writer.document.version
        if !reader.document.version.covers(wanted) {
          for await _ in patches where reader.document.version.covers(wanted) { break }
        }
      }
      #expect(first.digest == second.digest)
      let measured = await daemon.measure()
      #expect(measured.link != nil)
      #expect(try #require(measured.cluster).framesReceived > 0)
      #expect(measured.text.contains("starling_cluster_frames_received_total"))
      for replica in replicas.reversed() { try await replica.close() }
    }

    @Test func `say which link failed where no server answers`() async throws {
      let server = try await Server()
      let options = options(server, site: "a", isDaemon: true)
      server.kill()
      let error = await #expect(throws: LinkError.self) { _ = try await BareReplica.open("sites", options: options) }
      #expect(error?.code == .unreachable)
      #expect(error?.message.hasPrefix("The link 'cluster':") == true)
    }
  }
#endif
