public import Logging
public import ServiceLifecycle
public import StarlingCore
public import StarlingEngine
public import StarlingModel
public import StarlingReplica

/// A member of a group: it holds documents, keeps them in step with the other members, and hands out their models.
///
/// ```swift
/// let replica = try await Replica.open("library")
/// let book = try replica.model(Book.self, named: "front-desk")
/// book.title = "Dune"
/// try await replica.flush(until: .received(1))
/// ```
///
/// Without a directory it lives in memory; with one it is durable. With no configuration it joins
/// the other processes of this user on this machine through a directory of sockets; where a daemon
/// serves the group there, it talks to the daemon alone.
///
/// It works until `close()`, which waits for the last writes. One that nobody closes goes on for as long as anybody holds
/// it, one of its models, `models`, `presence` or `json`; when nobody does it is closed in the background. `engine` alone
/// keeps nothing going.
public final class Replica: Sendable {
  public typealias Options = BareReplica.Options

  /// The same without its models: its link, its log, its keys.
  public let bare: BareReplica
  /// The models of the group's main document.
  public let models: ModelSpace
  /// The group's name, which is that of its main document too.
  public var group: String { bare.group }
  public var engine: ReplicaEngine { bare.engine }

  private init(_ bare: BareReplica) {
    self.bare = bare
    models = ModelSpace(bare.document)
  }

  /// Opens a replica and joins the group.
  ///
  /// - Parameters:
  ///   - group: 1 to 64 letters, digits, dots, underscores or hyphens.
  ///   - path: where the replica keeps itself; nil to live in memory alone.
  ///   - options: everything that has a default.
  /// - Throws: `LogError` if the directory is in use or cannot be read, `LinkError` if the sockets
  ///   cannot be made, `KeyDirectoryError` if there are no keys where some are said to be, `AuditError` if the audit log
  ///   cannot be opened, each saying what to do.
  public static func open(_ group: String, in path: String? = nil, options: Options = Options()) async throws -> Replica
  {
    Replica(try await BareReplica.open(group, in: path, options: options))
  }

  /// Opens a replica over a link and with a log of one's own: over a NATS cluster, say (`StarlingNATS`).
  ///
  /// It finds nobody by itself: `EngineConfiguration.discover` names the endpoints that it dials, and so does `ReplicaEngine.connect(to:)`.
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
  ) async throws -> Replica {
    Replica(
      try await BareReplica.open(
        group, over: link, log: log, at: endpoints, configuration: configuration, logger: logger))
  }

  // MARK: Models

  /// The model of that name in the group's main document; made of defaults where nobody wrote it yet.
  ///
  /// The same instance for every call while it lives. Its visible values change by its own writes
  /// and, for remote ones, in a job on the caller's actor; where the caller has none, at any moment. What one job of an actor
  /// opens shows the moment of what is open there (Documentation/Wrappers.md, "One moment").
  ///
  /// - Throws: if the name is open already as another class or on another isolation.
  public func model<Model: ReplicatedModel & Sendable>(
    _ type: Model.Type, named name: String, caller: StaticString = #function,
    here: isolated (any Actor)? = #isolation
  ) throws -> Model {
    models.checkInitializer(caller, type, name, here)
    return try models.model(type, named: name, isolation: here)
  }

  /// The same, at home on `isolation`; nil: anywhere.
  public func model<Model: ReplicatedModel & Sendable>(
    _ type: Model.Type, named name: String, isolation: isolated (any Actor)?
  ) throws -> Model {
    try models.model(type, named: name, isolation: isolation)
  }

  /// What the members that have the main document open say of themselves for a while: who is here, and at what.
  public var presence: Presence { models.presence }

  // MARK: Standing

  /// The id under which this process writes. A new one after a crash, so that no operation's name is used twice.
  public var writer: ReplicaID { bare.writer }

  /// For each replica id that ever wrote, how many of its operations are merged here.
  public var version: Version { bare.version }

  /// A fingerprint of everything the main document holds: replicas with equal versions have equal
  /// digests. Nil while a transaction is open, whose half nobody may see.
  ///
  /// - Complexity: O(*n*) in what the document holds.
  public var digest: Digest? { bare.digest }

  // MARK: Progress

  /// Returns once everything written before the call, by whatever thread, has come as far as `goal` says. What a
  /// transaction wrote that is still open is waited for: call this after `withTransaction`, not within it.
  ///
  /// - Parameters:
  ///   - goal: How far the writes must have come.
  ///   - limit: how long to wait; nil for as long as it takes.
  /// - Throws: `LogError` if the disk failed and `.durable` cannot be promised: where it is tried again, as a full one is,
  ///   only without a limit, for with one it is waited for; `FlushError` if the time is over, a transaction stays open, or
  ///   the replica is closed meanwhile; `CancellationError` if the task is cancelled.
  public func flush(until goal: FlushGoal = .durable, atMost limit: Duration? = nil) async throws {
    try await engine.flush(models.handle.id, until: goal, atMost: limit)
  }

  /// Returns once the disk keeps up with what is written: for who writes much, before each transaction. At once where it
  /// does already, which is usual. What is then to be done otherwise says `EngineConfiguration.backpressure`.
  ///
  /// - Throws: `FlushError`, `CancellationError`, as `flush`.
  public func room(atMost limit: Duration? = nil) async throws {
    if models.handle.hasRoom { return }
    try await engine.room(in: models.handle.id, atMost: limit)
  }

  /// Returns once what the reachable members hold has come here, or after `limit`.
  ///
  /// - Returns: whether it has; false where a member could not be reached or did not answer in time.
  @discardableResult
  public func synchronize(atMost limit: Duration = .seconds(2)) async -> Bool {
    await engine.synchronize(models.handle.id, atMost: limit)
  }

  /// How far a document has come towards what the members hold, and how much has come of a state that is on its way:
  /// for who shows a bar while a large document is fetched. Nil where it is not open.
  ///
  /// - Parameter document: another than the main document.
  public func progress(of document: DocumentID? = nil) async -> DocumentProgress? {
    await engine.progress(of: document ?? models.handle.id)
  }

  /// The same as it goes on: how far the document has come now, and a notice with each part of a state that comes and
  /// whenever it is caught up or is not any more. Ends when the replica is closed.
  public func progressNotices(of document: DocumentID? = nil) async -> AsyncStream<DocumentProgress> {
    await engine.progressNotices(of: document ?? models.handle.id)
  }

  /// Works offline (false) or joins the peers again (true).
  public func setOnline(_ isOnline: Bool) async {
    await engine.setOnline(isOnline)
  }

  /// How the replica stands: peers, documents, counters.
  public func status() async -> EngineStatus {
    await bare.status()
  }

  /// What the replica has done and where it stands, in numbers (Documentation/Operating.md, "Metrics").
  ///
  /// - Complexity: O(documents · members · writers), on the engine's thread.
  public func measure() async -> ReplicaMeasurements {
    await bare.measure()
  }

  /// Publishes and saves what is left and leaves the group in good order. Models go on as plain objects.
  public func close() async throws {
    try await bare.close()
  }
}

extension Replica: Service {
  /// Keeps the replica open until the service group shuts down, then closes it.
  public func run() async throws {
    try await bare.run()
  }
}
