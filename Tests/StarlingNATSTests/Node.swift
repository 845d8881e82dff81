#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingNATS

  /// An engine over a cluster, with one document open.
  struct Node {
    static let library = DocumentID("library")!

    let engine: ReplicaEngine
    let link: NATSLink
    let library: DocumentHandle
    private let changes: AsyncStream<Void>
    private let reports: AsyncStream<EngineEvent>

    init(
      _ server: Server, named name: String, group: String = "test", limits: NATSLink.Limits = .brisk,
      log: any ChangeLog = MemoryLog()
    ) async throws {
      let link = try NATSLink(servers: [server.url], group: group, limits: limits)
      var configuration = EngineConfiguration()
      configuration.agent = name
      configuration.discover = { [weak link] in link?.endpoints() }
      configuration.discoveryInterval = .milliseconds(50)
      configuration.heartbeat = .milliseconds(100)
      let (reports, reporting) = AsyncStream.makeStream(of: EngineEvent.self)
      engine = ReplicaEngine(link: link, log: log, configuration: configuration) { reporting.yield($0) }
      try await engine.start()
      try await engine.bind("nats:\(group)")
      library = try await engine.open(Node.library)
      let (changes, changing) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      library.onPatch { _ in changing.yield() }
      self.link = link
      self.changes = changes
      self.reports = reports
    }

    func set(_ value: Value, for key: Key) {
      library.write { document, patch in document.set(value, for: key, in: .root, patch: &patch) }
    }

    func value(of key: Key) -> Value? {
      library.read { document in
        if case .value(let value, _) = document.visible(key, in: .root) { value } else { nil }
      }
    }

    /// Returns once the key has the value here, looked at with every merge. The suite's limit bounds it.
    func until(_ key: Key, is value: Value) async throws {
      if self.value(of: key) == value { return }
      for await _ in changes where self.value(of: key) == value { return }
      throw Party.NeverCame(
        description: "'\(key)' never became what was written; it is \(String(describing: self.value(of: key)))")
    }

    /// Returns with the next thing reported that is of this kind.
    func until(_ what: String, _ isWanted: (EngineEvent) -> Bool) async throws {
      for await event in reports where isWanted(event) { return }
      throw Party.NeverCame(description: "never reported: \(what)")
    }
  }
#endif
