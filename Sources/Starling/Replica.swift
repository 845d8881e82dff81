public import Logging
public import ServiceLifecycle
public import StarlingCore
public import StarlingEngine
public import StarlingModel
public import StarlingReplica

/// A member of a group: it holds documents, keeps them equal to those of the other members, and opens their models.
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
/// It works until `close()`, which waits for the last writes. A replica that is not closed works for as long as the
/// program holds it, one of its models, `models`, `presence` or `json`; after that it is closed in the background.
/// Holding `engine` alone does not keep it working.
public final class Replica: Sendable {
  /// The options of a replica, with models or without.
  public typealias Options = BareReplica.Options

  /// The same without its models: its link, its log, its keys.
  public let bare: BareReplica
  /// The models of the group's main document.
  public let models: ModelSpace
  /// The group's name, which is that of its main document too.
  public var group: String { bare.group }
  /// The engine that runs the replica. Holding it alone does not keep the replica working.
  public var engine: ReplicaEngine { bare.engine }

  private init(_ bare: BareReplica) {
    self.bare = bare
    models = ModelSpace(bare.document)
  }

  /// Opens a replica and joins the group.
  ///
  /// - Parameters:
  ///   - group: 1 to 64 letters, digits, dots, underscores or hyphens.
  ///   - path: the directory of its store; nil to live in memory alone.
  ///   - options: everything that has a default.
  /// - Throws: `LogError` if the directory is in use or cannot be read, `LinkError` if the sockets
  ///   cannot be made, `KeyDirectoryError` if `options.keys` has no keys, `AuditError` if the audit log
  ///   cannot be opened. Each error says what to do.
  public static func open(_ group: String, in path: String? = nil, options: Options = Options()) async throws -> Replica
  {
    Replica(try await BareReplica.open(group, in: path, options: options))
  }

  /// Opens a replica with a link and a log of the caller's: over a NATS cluster, for example (`StarlingNATS`).
  ///
  /// It finds no peers by itself: `EngineConfiguration.discover` names the endpoints that it dials, and so does
  /// `ReplicaEngine.connect(to:)`.
  ///
  /// - Parameters:
  ///   - group: the name of the main document, of 1 to 64 bytes.
  ///   - link: carries the frames. This call starts it, and closing the replica stops it.
  ///   - log: stores the changes; in memory unless another is given.
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

  /// The model of that name in the group's main document. It shows its defaults until somebody writes it.
  ///
  /// Every call returns the same instance while it lives. Its visible values change by writes of this process at once,
  /// and by remote writes in a job on the caller's actor; without an actor, at any moment. What one job of an actor
  /// opens is of one moment (Documentation/Wrappers.md, "One moment").
  ///
  /// - Throws: `ModelError` if the name is open as another class or on another isolation.
  public func model<Model: ReplicatedModel & Sendable>(
    _ type: Model.Type, named name: String, caller: StaticString = #function,
    here: isolated (any Actor)? = #isolation
  ) throws -> Model {
    models.checkInitializer(caller, type, name, here)
    return try models.model(type, named: name, isolation: here)
  }

  /// The same, for use on the actor `isolation`; nil: on any thread.
  public func model<Model: ReplicatedModel & Sendable>(
    _ type: Model.Type, named name: String, isolation: isolated (any Actor)?
  ) throws -> Model {
    try models.model(type, named: name, isolation: isolation)
  }

  /// What each process that has the main document open tells about itself for a while, such as the field it is in.
  public var presence: Presence { models.presence }

  // MARK: Standing

  /// The replica id under which this process writes. It is a new one after a crash, so that no dot is used twice.
  public var writer: ReplicaID { bare.writer }

  /// For each replica id that ever wrote, how many of its operations are merged here.
  public var version: VersionVector { bare.version }

  /// A fingerprint of everything the main document holds: replicas with equal versions have equal
  /// digests. Nil while a transaction is open, whose half nobody may see.
  ///
  /// - Complexity: O(*n*) in what the document holds.
  public var digest: Digest? { bare.digest }

  // MARK: Progress

  /// Returns once everything that any thread wrote before the call has come as far as `goal` says. It waits for open
  /// transactions too, so call it after `withTransaction`, not within it.
  ///
  /// - Parameters:
  ///   - goal: How far the writes must have come.
  ///   - limit: how long to wait; nil for as long as it takes.
  /// - Throws: `LogError` if the disk failed and `.durable` cannot be promised. If the write is tried again, as on a
  ///   full disk, this throws only without a limit; with one it waits. `FlushError` if the time is over, a transaction
  ///   stays open, or the replica is closed; `CancellationError` if the task is cancelled.
  public func flush(until goal: FlushGoal = .durable, timeout limit: Duration? = nil) async throws {
    try await engine.flush(models.handle.id, until: goal, timeout: limit)
  }

  /// Returns once the disk keeps up with the writes, which it usually does already. A program that writes much calls
  /// this before each transaction. `EngineConfiguration.backpressure` sets what happens otherwise.
  ///
  /// - Throws: `FlushError`, `CancellationError`, as `flush`.
  public func waitForCapacity(timeout limit: Duration? = nil) async throws {
    if models.handle.hasCapacity { return }
    try await engine.waitForCapacity(in: models.handle.id, timeout: limit)
  }

  /// Returns once this replica has what the reachable members hold, or after `limit`.
  ///
  /// - Returns: whether it has; false if a member could not be reached or did not answer in time.
  @discardableResult
  public func synchronize(timeout limit: Duration = .seconds(2)) async -> Bool {
    await engine.synchronize(models.handle.id, timeout: limit)
  }

  /// How much of what the members hold a document has, and how much of a state that is being fetched has arrived: for a
  /// progress bar while a large document is fetched. Nil if the document is not open.
  ///
  /// - Parameter document: the document; nil for the main document.
  public func progress(of document: DocumentID? = nil) async -> DocumentProgress? {
    await engine.progress(of: document ?? models.handle.id)
  }

  /// The same as a sequence: the present progress, then a notice with each part of a state that arrives and whenever
  /// the document becomes up to date or falls behind. It ends when the replica is closed.
  public func progressNotices(of document: DocumentID? = nil) async -> AsyncStream<DocumentProgress> {
    await engine.progressNotices(of: document ?? models.handle.id)
  }

  /// Disconnects from all peers (false), or connects again (true).
  public func setOnline(_ isOnline: Bool) async {
    await engine.setOnline(isOnline)
  }

  /// The replica's peers, documents and counters.
  public func status() async -> EngineStatus {
    await bare.status()
  }

  /// The replica's metrics (Documentation/Operating.md, "Metrics").
  ///
  /// - Complexity: O(documents · members · writers), on the engine's thread.
  public func measure() async -> ReplicaMeasurements {
    await bare.measure()
  }

  /// Sends and saves what is left, and leaves the group. Models remain usable as plain objects.
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
