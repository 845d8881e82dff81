import Foundation
public import Logging
public import ServiceLifecycle
public import StarlingCore
public import StarlingEngine
import StarlingZeroMQ

/// A member of a group without models: it holds documents, keeps them in step with the other members, and relays them
/// where it is a daemon. `starlingd` runs one; `Replica` is one with the models of its main document.
///
/// ```swift
/// let replica = try await BareReplica.open("library", in: directory, options: options)
/// try await ServiceGroup(services: [replica], logger: logger).run()
/// ```
///
/// Without a directory it lives in memory; with one it is durable. With no configuration it joins
/// the other processes of this user on this machine through a directory of sockets; where a daemon
/// serves the group there, it talks to the daemon alone.
///
/// It works until `close()`, which waits for the last writes. One that nobody closes goes on for as long as anybody
/// holds it or `document`; when nobody does it is closed in the background. `engine` alone keeps nothing going.
public final class BareReplica: Sendable {
  /// The group's name, which is that of its main document too.
  public let group: String
  /// The engine that runs the replica. Holding it alone does not keep the replica working.
  public let engine: ReplicaEngine
  /// The group's main document.
  public let document: DocumentHandle
  private let link: any PeerLink
  private let audit: AuditLog
  private let lifetime: EngineLifetime

  private init(
    group: String, engine: ReplicaEngine, document: DocumentHandle, link: any PeerLink, audit: AuditLog,
    lifetime: EngineLifetime
  ) {
    self.group = group
    self.engine = engine
    self.document = document
    self.link = link
    self.audit = audit
    self.lifetime = lifetime
  }

  /// Opens a replica and joins the group.
  ///
  /// - Parameters:
  ///   - group: 1 to 64 letters, digits, dots, underscores or hyphens.
  ///   - path: where the replica keeps itself; nil to live in memory alone, or where `options.log` names another place.
  ///   - options: everything that has a default.
  /// - Throws: `LogError` if the directory is in use or cannot be read, `ShardError` if it holds documents that a daemon
  ///   is not to serve, `LinkError` if the sockets cannot be made, `KeyDirectoryError` if there are no keys where some are said to be, `AuditError` if the audit
  ///   log cannot be opened, each saying what to do.
  public static func open(
    _ group: String, in path: String? = nil, options: Options = Options()
  ) async throws -> BareReplica {
    let document = try mainDocument(of: group)
    guard options.cluster == nil || !options.shard.isPart else {
      throw LinkError(.misuse, "A daemon of a shard joins no cluster. Link the daemons of each shard with 'connect'.")
    }
    let path = options.log.isInDirectory ? path : nil
    let isStored = path != nil || !options.log.isInDirectory
    if let path { await UnclosedReplicas.waitUntilClosed(path) }
    let directory = try options.sockets(of: group)
    var generator = SystemRandomNumberGenerator()
    let socketName =
      options.isDaemon ? DaemonName(options.shard).description : StoreID.random(using: &generator).description
    var configuration = EngineConfiguration()
    configuration.agent = options.agent
    configuration.isRelay = options.isDaemon
    configuration.shard = options.shard
    configuration.history = options.history ?? (isStored ? .everything : .stateOnly(byteCountMin: 8 << 20))
    configuration.backpressure = options.backpressure
    configuration.onLogFailure = options.onLogFailure
    configuration.transactionTimeout = options.transactionTimeout
    configuration.keptTextSpanCountMin = options.keptTextSpanCountMin
    configuration.mayForget = { $0 != document }
    configuration.documentCountMax = options.documentCountMax
    configuration.openDocumentCountMax = options.openDocumentCountMax
    configuration.budgets = options.budgets
    configuration.leasesReplicaID = options.leasesReplicaID && !isStored
    if options.joinsThisMachine { configuration.lifeSigns = LifeSignFiles(directory) }
    if !options.isDaemon && options.joinsThisMachine {
      let discovery = Discovery(directory: directory, own: socketName)
      configuration.discover = { discovery.endpoints() }
      configuration.reviewUnreachable = { discovery.removeStale(at: $0) }
    }
    let logger = options.logger
    configuration.gossips = options.isDaemon && options.gossips
    configuration.tier = options.tier
    configuration.advertised = options.advertise
    configuration.mayDial = { ZeroMQLink.reach(of: $0) == .thisMachine }
    configuration.mayDialBack = { DialBack.isVouchedFor($0, by: $1) { _ in false } }
    configuration.tracer = ReplicaTracer.bootstrapped
    let audit = AuditLog(file: try options.audit.map { path throws(AuditError) in try AuditFile(path) }, logger: logger)
    let allowlist = options.keys.map { Allowlist($0, isDaemon: options.isDaemon, audit: audit) }
    let security = try allowlist.map { try configuration.admit(by: $0, audit: audit) }
    await audit.start("'\(group)' is opened by process \(ProcessInfo.processInfo.processIdentifier).")
    let events = EventLog(logger: logger)
    let log = try options.log(of: group, in: path) { [onEvent = options.onEvent] error in
      events.note(.logFailed(error))
      onEvent?(.logFailed(error))
    }
    let site = ZeroMQLink(security: security, sharedWith: directory.sharedWith)
    let clusterKeys = try allowlist.map { ClusterKeys(own: try $0.directory.keys(), allowlist: $0) }
    let cluster = try options.cluster.map {
      try ClusterPort($0, group: group, site: site, keys: clusterKeys, logger: logger)
    }
    if let cluster {
      configuration.join(
        cluster, isDaemon: options.isDaemon, daemon: directory.endpoint(for: DaemonName(.whole).description))
    }
    let link: any PeerLink = cluster?.link ?? site
    let engine = ReplicaEngine(link: link, log: log, configuration: configuration) {
      [onEvent = options.onEvent] event in
      if case .access(let access) = event {
        audit.note(AuditEntry(allowlist?.explained(access) ?? access))
      } else {
        events.note(event)
      }
      onEvent?(event)
    }
    return try await start(
      engine, of: group, document, in: path, over: link, audit: audit, logger: logger, dialling: options.connect,
      isDaemon: options.isDaemon
    ) {
      if options.joinsThisMachine { try await engine.bind(directory.endpoint(for: socketName)) }
      for endpoint in options.listen {
        let bound = try await engine.bind(endpoint)
        logger.info("listening at \(bound)")
      }
      if options.isDaemon, let cluster {
        let bound = try await engine.bind(cluster.endpoint)
        logger.info("in the cluster at \(bound)")
        if allowlist == nil {
          logger.notice(
            "members of the cluster prove no keys (--keys): whoever its servers let in counts as a daemon of the group")
        }
      }
    }
  }

  /// Opens a replica over a link and with a log of one's own: over a NATS cluster, say (`StarlingNATS`).
  ///
  /// It finds nobody by itself: `EngineConfiguration.discover` names the endpoints that it dials, and so does
  /// `ReplicaEngine.connect(to:)`.
  ///
  /// - Parameters:
  ///   - group: the name of the main document, of 1 to 64 bytes.
  ///   - link: begun by this call, and stopped when the replica is closed.
  ///   - log: where the replica keeps itself; in memory alone unless another is given.
  ///   - endpoints: where it may be dialled, as the link understands them.
  ///   - configuration: What the engine is told; `discover` names the endpoints that it dials.
  ///   - logger: Where the replica logs.
  /// - Throws: `LogError` and `LinkError`, as the log and the link do.
  public static func open(
    _ group: String, over link: any PeerLink, log: any ChangeLog = MemoryLog(), at endpoints: [String] = [],
    configuration: EngineConfiguration = EngineConfiguration(), logger: Logger = Logger(label: "starling")
  ) async throws -> BareReplica {
    let document = try mainDocument(of: group)
    let audit = AuditLog(file: nil, logger: logger)
    var configuration = configuration
    configuration.tracer = configuration.tracer ?? ReplicaTracer.bootstrapped
    await audit.start("'\(group)' is opened by process \(ProcessInfo.processInfo.processIdentifier).")
    let events = EventLog(logger: logger)
    let engine = ReplicaEngine(link: link, log: log, configuration: configuration) { event in
      if case .access(let access) = event { audit.note(AuditEntry(access)) } else { events.note(event) }
    }
    return try await start(engine, of: group, document, over: link, audit: audit, logger: logger) {
      for endpoint in endpoints { try await engine.bind(endpoint) }
    }
  }

  private static func mainDocument(of group: String) throws(LinkError) -> DocumentID {
    guard let document = DocumentID(group) else {
      throw LinkError(.endpoint, "A group's name has 1 to 64 bytes; '\(group)' has \(group.utf8.count).")
    }
    return document
  }

  /// - Parameter bind: makes the replica one that may be dialled, before it dials anybody.
  private static func start(
    _ engine: ReplicaEngine, of group: String, _ document: DocumentID, in path: String? = nil,
    over link: any PeerLink, audit: AuditLog, logger: Logger, dialling endpoints: [String] = [], isDaemon: Bool = false,
    _ bind: () async throws -> Void
  ) async throws -> BareReplica {
    do {
      try await engine.start()
    } catch {
      await audit.close()
      throw error
    }
    if !isDaemon, let words = Self.otherGroup(in: await engine.storedDocuments, than: document) {
      logger.warning("\(words)")
    }
    let lifetime = EngineLifetime {
      UnclosedReplicas.close(in: path) {
        try? await engine.close()
        await audit.close()
      }
    }
    await engine.keepAlive(by: lifetime)
    do {
      try await bind()
      let handle = try await open(document, by: engine, isDaemon: isDaemon)
      for endpoint in endpoints { try await engine.connect(to: endpoint) }
      return BareReplica(
        group: group, engine: engine, document: handle, link: link, audit: audit, lifetime: lifetime)
    } catch {
      lifetime.end()
      try? await engine.close(linger: .zero)
      await audit.close()
      throw error
    }
  }

  /// What is to be said of a directory that holds documents, and not the group's: opened under a wrong name it would
  /// show an empty document, and nobody knew why.
  private static func otherGroup(in stored: [DocumentID], than document: DocumentID) -> String? {
    guard !stored.isEmpty, !stored.contains(document) else { return nil }
    let names = stored.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    return
      "The directory holds \(names)\(stored.count > 3 ? " and \(stored.count - 3) more" : "") and no '\(document)', "
      + "which begins empty. If it was written under another group's name, open it under that."
  }

  /// A daemon whose main document is damaged, or of another shard, serves the others; the main document is an empty one
  /// then, which nobody else sees.
  private static func open(
    _ document: DocumentID, by engine: ReplicaEngine, isDaemon: Bool
  ) async throws -> DocumentHandle {
    do {
      return try await engine.open(document)
    } catch  where isDaemon && ((error as? LogError)?.code == .corrupt || error is ShardError) {
      var generator = SystemRandomNumberGenerator()
      return DocumentHandle(id: document, replica: ReplicaID(rawValue: generator.next())) {
        UInt64(max(0, Date().timeIntervalSince1970 * 1000))
      }
    }
  }

  // MARK: Standing

  /// The id under which this process writes. A new one after a crash, so that no operation's name is used twice.
  public var writer: ReplicaID { document.replica }

  /// For each replica id that ever wrote, how many of its operations are merged here.
  public var version: VersionVector { document.version }

  /// A fingerprint of everything the main document holds: replicas with equal versions have equal
  /// digests. Nil while a transaction is open, whose half nobody may see.
  ///
  /// - Complexity: O(*n*) in what the document holds.
  public var digest: Digest? { document.digestWithVersion()?.0 }

  /// How the replica stands: peers, documents, counters.
  public func status() async -> EngineStatus {
    await engine.status()
  }

  /// What the replica has done and where it stands, in numbers (Documentation/Operating.md, "Metrics").
  ///
  /// - Complexity: O(documents · members · writers), on the engine's thread.
  public func measure() async -> ReplicaMeasurements {
    let several = link as? CompositeLink
    let site = (several?.member(named: ClusterPort.siteName) ?? link) as? ZeroMQLink
    return ReplicaMeasurements(
      engine: await engine.measure(), link: site?.counters,
      cluster: several?.counters[ClusterPort.clusterName],
      clusterKeys: ClusterKeyCounters(several?.member(named: ClusterPort.clusterName)), audit: audit.counts)
  }

  /// Publishes and saves what is left and leaves the group in good order.
  public func close() async throws {
    defer { lifetime.end() }
    do {
      try await engine.close()
    } catch {
      await audit.close()
      throw error
    }
    await audit.close()
  }
}

extension BareReplica: Service {
  /// Keeps the replica open until the service group shuts down, then closes it.
  public func run() async throws {
    try? await gracefulShutdown()
    try await close()
  }
}
