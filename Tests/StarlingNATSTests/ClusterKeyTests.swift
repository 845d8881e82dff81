#if NATS
  import Foundation
  import StarlingCore
  import StarlingEngine
  import StarlingReplica
  import Testing

  /// A replica with keys in a cluster, at a site of its own.
  private struct Keyed {
    let keys: KeyDirectory
    let key: PublicKey
    let audit: String
    private let site: String
    private let events: AsyncStream<EngineEvent>
    private let telling: AsyncStream<EngineEvent>.Continuation

    init(_ name: String, _ server: Server) throws {
      site = "\(server.directory)/\(name)"
      audit = "\(site)-audit"
      keys = KeyDirectory("\(site)-keys")
      key = try keys.makeKeys()
      (events, telling) = AsyncStream.makeStream(of: EngineEvent.self)
    }

    func letIn(_ other: Keyed, named name: String, as role: Trust.Role, expires: Date? = nil) throws {
      try keys.authorize(AllowedKey(name: name, key: other.key, role: role, expires: expires))
    }

    func open(_ server: Server, isDaemon: Bool = true, hasKeys: Bool = true) async throws -> BareReplica {
      var options = BareReplica.Options()
      options.socketDirectory = site
      options.isDaemon = isDaemon
      options.joinsThisMachine = isDaemon
      options.cluster = BareReplica.Options.Cluster(servers: [server.url])
      if hasKeys { options.keys = keys }
      options.audit = audit
      options.leasesReplicaID = false
      options.onEvent = { [telling] in telling.yield($0) }
      return try await BareReplica.open("sites", options: options)
    }

    /// Returns the next event of access of that kind.
    func access(_ kind: AccessEvent.Kind) async throws -> AccessEvent {
      for await event in events { if case .access(let access) = event, access.kind == kind { return access } }
      throw Party.NeverCame(description: "no event of access \(kind)")
    }

    /// Returns once a peer has refused this replica, and said why.
    func untilRefused(_ explanation: String) async throws {
      for await event in events { if case .refused(_, explanation) = event { return } }
      throw Party.NeverCame(description: "no refusal: \(explanation)")
    }

    /// Returns the endpoint that did not let this replica in.
    func refusal() async throws -> String {
      for await event in events { if case .notAdmitted(let endpoint, .notAdmitted) = event { return endpoint } }
      throw Party.NeverCame(description: "no refusal")
    }
  }

  extension BareReplica {
    fileprivate func set(_ key: Key) {
      document.write { document, patch in document.set(.integer(7), for: key, in: .root, patch: &patch) }
    }

    fileprivate func has(_ key: Key) -> Bool {
      document.read { document in
        if case .value(.integer(7), _) = document.visible(key, in: .root) { true } else { false }
      }
    }

    /// Returns once it holds the key. The suite's limit bounds it.
    fileprivate func until(_ key: Key) async {
      let (patches, patched) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      document.onPatch { _ in patched.yield() }
      if has(key) { return }
      for await _ in patches where has(key) { return }
    }
  }

  @Suite(.timeLimit(.minutes(5))) struct `Replicas with keys in a cluster` {
    @Test func `carry what they write as relays, until one of them is revoked`() async throws {
      let server = try await Server()
      let (north, south) = (try Keyed("north", server), try Keyed("south", server))
      try north.letIn(south, named: "south", as: .relays)
      try south.letIn(north, named: "north", as: .relays)
      let (first, second) = (try await north.open(server), try await south.open(server))
      first.set("there")
      await second.until("there")
      second.set("back")
      await first.until("back")
      #expect(first.digest == second.digest)
      #expect(try await north.access(.admitted).name == "south")
      let measured = await first.measure()
      #expect(try #require(measured.clusterKeys).handshakes >= 1)
      #expect(measured.text.contains("starling_cluster_handshakes_total"))
      try north.keys.revoke("south")
      #expect(try await north.access(.revoked).user == south.key.description)
      #expect(try await south.refusal().hasPrefix("nats:sites/"))
      try await first.close()
      try await second.close()
    }

    @Test func `take nothing from a key that reads, and give it everything`() async throws {
      let server = try await Server()
      let (north, reading) = (try Keyed("north", server), try Keyed("reading", server))
      try north.letIn(reading, named: "reader", as: .reads)
      try reading.letIn(north, named: "north", as: .relays)
      let daemon = try await north.open(server)
      let reader = try await reading.open(server, isDaemon: false)
      daemon.set("before")
      await reader.until("before")
      reader.set("refused")
      try await reading.untilRefused("This key may read here; what is written under it is not taken.")
      daemon.set("after")
      await reader.until("after")
      #expect(!daemon.has("refused"))
      try await reader.close()
      try await daemon.close()
    }

    @Test func `refuse a key whose time has passed by its name`() async throws {
      let server = try await Server()
      let (north, south) = (try Keyed("north", server), try Keyed("south", server))
      try north.letIn(south, named: "south", as: .relays, expires: Date(timeIntervalSinceNow: -60))
      try south.letIn(north, named: "north", as: .relays)
      let (first, second) = (try await north.open(server), try await south.open(server))
      #expect(try await north.access(.notAdmitted).user == south.key.description)
      #expect(try await south.refusal().hasPrefix("nats:sites/"))
      try await second.close()
      try await first.close()
      let lines = try String(contentsOfFile: north.audit, encoding: .utf8).split(separator: "\n")
      let line = try #require(lines.first { $0.contains("notAdmitted") })
      #expect(line.contains(#""name":"south""#) && line.contains("Its time has passed."), "\(line)")
    }

    @Test func `say of a member without a key that it proves none, as it says of them`() async throws {
      let server = try await Server()
      let (north, south) = (try Keyed("north", server), try Keyed("south", server))
      let (first, second) = (try await north.open(server), try await south.open(server, hasKeys: false))
      #expect(try await north.access(.unproved).explanation.contains("it proves no key"))
      #expect(try await south.access(.unproved).explanation.contains("it takes only members that prove a key"))
      try await second.close()
      try await first.close()
    }
  }
#endif
