#if NATS
  public import StarlingCore
  public import StarlingEngine

  /// A `ChangeLog` in a stream of a NATS cluster, so that a replica goes on at another site with everything that
  /// it acknowledged.
  ///
  /// ```
  ///   site A   engine ── append ──► stream STARLING_NAME on one, three or five servers
  ///   site B                          ▲ opens it, and A is displaced: its next append fails as busy
  /// ```
  ///
  /// ```swift
  /// let log = try JetStreamLog(
  ///   servers: ["nats://a.example:4222", "nats://b.example:4222", "nats://c.example:4222"], name: "library")
  /// let engine = ReplicaEngine(link: link, log: log, configuration: configuration)
  /// ```
  ///
  /// - `append` and `compact` return once the stream acknowledged: with three replicas, once two servers have it. A
  ///   server acknowledges before it has written to its disk; with one replica, what was appended in the last moments
  ///   before a loss of power may be missing.
  /// - Whoever opens the log holds it; with a `Lease`, once the holder before has stopped or been silent for its
  ///   duration. Every write names the sequence that it follows, so that an earlier holder cannot
  ///   write any more, and nothing is stored twice where an answer was lost.
  /// - `open` hands a replica id out only where the closing mark is the last in the stream, and a second stream in the
  ///   servers' memory, `STARLING_NAME_WITNESS`, tells of the same close: not after a crash, nor from a backup, nor
  ///   after all servers were stopped.
  /// - Every message carries a checksum. A damaged one is reported and never altered.
  ///
  /// In memory is an index: some 60 bytes for each record that no checkpoint covers. It is in the stream too, written
  /// again and again; opening reads the last of these, and what follows it. Calls run one
  /// after the other on a thread of the log's own, and are not cut short when the calling task is cancelled.
  public actor JetStreamLog: ChangeLog {
    private let servers: Servers
    private let subjects: LogSubjects
    private let replicas: Int
    private let limits: Limits
    private let queue = LogQueue()
    private var session: LogSession?
    private let lease: Lease?
    private let onLeaseEvent: @Sendable (LeaseEvent) -> Void
    private var keeper: LeaseKeeper?

    /// What happens to a lease.
    public enum LeaseEvent: Sendable {
      /// `open` waits, as it is said again and again: behind this process, in words; nil while it is not known whether
      /// that lives.
      case waiting(for: String?)
      /// The servers do not answer a process that waits.
      case unreachable(LogError)
      /// Another process took the log.
      case lost(LogError)
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Touches nothing yet.
    ///
    /// - Parameters:
    ///   - servers: one or more of the cluster, as `nats://host:port` or `nats://user:password@host:port`. The others
    ///     are found through them.
    ///   - name: of the log: 1 to 64 letters, digits, underscores or hyphens. Each store has one of its own.
    ///   - replicas: on how many servers the stream is kept: 1, 3 or 5. It takes appends while more than half of them
    ///     run. Counts when the stream is made; one that has more is taken as it is.
    ///   - access: what the servers are shown, and which of them are believed.
    ///   - limits: What bounds the stream and the waits for the servers.
    ///   - lease: what keeps others from the log while this process lives, and this one while another does; nil to take
    ///     the log from whoever holds it. Needs servers that may keep a stream in memory.
    ///   - onLeaseEvent: told what happens to the lease. Any thread.
    /// - Throws: `LogError(.misuse)` for a name, a number or an address that cannot be.
    public init(
      servers: [String], name: String, replicas: Int = 3, access: NATSAccess = NATSAccess(), limits: Limits = Limits(),
      lease: Lease? = nil, onLeaseEvent: @escaping @Sendable (LeaseEvent) -> Void = { _ in }
    ) throws(LogError) {
      guard let subjects = LogSubjects(name: name) else {
        throw LogError(.misuse, "'\(name)' is no log's name: use 1 to 64 letters, digits, underscores or hyphens.")
      }
      guard [1, 3, 5].contains(replicas) else {
        throw LogError(.misuse, "A stream is kept on 1, 3 or 5 servers, not on \(replicas).")
      }
      do {
        self.servers = try Servers(servers, access: access)
      } catch {
        throw LogError(.misuse, error.message)
      }
      self.subjects = subjects
      self.replicas = replicas
      self.limits = limits
      self.lease = lease
      self.onLeaseEvent = onLeaseEvent
    }

    /// - Throws: `LogError(.unwritable)` where no server answers, JetStream is not enabled, or the stream cannot be
    ///   made as it must be; `.corrupt` naming the message that cannot be read; `.tooNew`; `.busy` where somebody else
    ///   writes without a pause, or, with a lease that does not wait, lives.
    /// - Complexity: O(documents + records that no checkpoint covers + messages since the last index), whatever the
    ///   stream holds before; O(bytes of the stream) where an earlier version wrote it.
    public func open() async throws -> OpenedLog {
      guard session == nil else { throw LogError(.misuse, "The log '\(subjects.name)' is open already.") }
      let session =
        if let lease { try await takeTurn(lease) } else {
          try LogSession.open(subjects, replicas: replicas, at: servers, limits: limits)
        }
      self.session = session
      return OpenedLog(
        store: session.store, replica: session.replica,
        documents: session.index.documents.keys.sorted { $0.name < $1.name }, isDurable: true,
        forgotten: session.index.forgotten.sorted { $0.name < $1.name }, generations: session.index.generations)
    }

    /// Follows the log until nobody holds it, and takes it then.
    private func takeTurn(_ lease: Lease) async throws -> LogSession {
      var opening = try LogOpening(subjects, replicas: replicas, at: servers, limits: limits)
      var watch = LeaseWatch(lease.duration)
      while true {
        do {
          try opening.follow()
          switch watch.look(at: try opening.standing(), .now) {
          case .free:
            guard let session = try opening.take() else { continue }
            let keeper = LeaseKeeper(
              subjects, replicas: replicas, at: servers, limits: limits, session: session.session, opening: session.last
            )
            await keeper.start(every: lease.renewal) { [onLeaseEvent] in onLeaseEvent(.lost($0)) }
            self.keeper = keeper
            return session
          case .held(let holder) where !lease.waits: throw isHeld(by: holder)
          case .held(let holder): onLeaseEvent(.waiting(for: holder))
          case .open: onLeaseEvent(.waiting(for: nil))
          }
        } catch let error as LogError where lease.waits && error.isTransient {
          watch.blinded()
          onLeaseEvent(.unreachable(error))
        }
        try await Task.sleep(for: lease.renewal / 4)
      }
    }

    private func isHeld(by holder: String) -> LogError {
      LogError(
        .busy,
        "Another process (\(holder)) holds the log in the stream '\(subjects.stream)', and lives. Stop it, wait for it "
          + "as a standby, or give each log a name of its own.")
    }

    public func recover(_ document: DocumentID) async throws -> RecoveredDocument {
      try opened().recover(document)
    }

    /// - Throws: `LogError(.busy)` once somebody else holds the log; `.unwritable` where the stream is full, or where
    ///   no answer came within `Limits.patience`. In the last case the records may be stored, all or none, and the log
    ///   takes no more until it is opened again; otherwise none of them is.
    public func append(_ records: [LogRecord]) async throws {
      try opened().append(records)
    }

    /// - Complexity: O(records of the document), and the bytes of what is answered.
    public func records(in document: DocumentID, after version: VersionVector, byteCountMax: Int) async throws
      -> LogAnswer
    {
      try opened().records(in: document, after: version, byteCountMax: byteCountMax)
    }

    /// - Complexity: as `records(in:after:byteCountMax:)`.
    public func records(in document: DocumentID, before version: VersionVector, byteCountMax: Int) async throws
      -> LogAnswer
    {
      try opened().records(in: document, before: version, byteCountMax: byteCountMax)
    }

    /// - Complexity: as `records(in:after:byteCountMax:)`.
    public func records(
      in document: DocumentID, by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
    ) async throws -> LogAnswer {
      try opened().records(in: document, by: writers, after: version, byteCountMax: byteCountMax)
    }

    public func extent(of document: DocumentID) async throws -> LogExtent {
      let logged = try opened().index.documents[document]
      return LogExtent(logStart: logged?.logStart ?? VersionVector(), head: logged?.head ?? VersionVector())
    }

    public func snapshot(of document: DocumentID) async throws -> StoredSnapshot? {
      try opened().snapshot(of: document)
    }

    public func remember(_ members: [LogMember], of document: DocumentID) async throws {
      try opened().remember(members, of: document)
    }

    public func remember(leases: [LogLease], of document: DocumentID) async throws {
      try opened().remember(leases: leases, of: document)
    }

    /// - Throws: as `append`; `LogError(.misuse)` for a snapshot behind the log start.
    public func compact(_ document: DocumentID, into snapshot: StoredSnapshot) async throws {
      try await compact(document, into: snapshot, keeping: [:])
    }

    /// - Throws: as `append`; `LogError(.misuse)` for a snapshot behind the log start.
    public func compact(
      _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64],
      appending records: [LogRecord]
    ) async throws {
      try opened().compact(document, into: snapshot, keeping: kept, appending: records)
    }

    public nonisolated var keepsCheckpoints: Bool { true }

    /// - Throws: as `append`; `LogError(.misuse)` for a state outside the log.
    public func checkpoint(_ document: DocumentID, at state: StoredSnapshot, recordByteCount: Int) async throws {
      try opened().checkpoint(document, at: state, recordByteCount: recordByteCount)
    }

    /// - Complexity: O(bytes of the checkpoint and of what it does not cover).
    public func recoverFromCheckpoint(_ document: DocumentID) async throws -> RecoveredDocument? {
      try opened().recoverFromCheckpoint(document)
    }

    public func remember(_ generations: StoredGenerations) async throws {
      try opened().remember(generations)
    }

    public nonisolated var forgetsDocuments: Bool { true }

    public func forget(_ document: DocumentID) async throws {
      try opened().forget(document)
    }

    public nonisolated var retractsChanges: Bool { true }

    /// - Complexity: O(bytes of the document's records), which are written once more.
    public func retract(
      _ document: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]
    ) async throws {
      try opened().retract(document, beyond: counters, appending: records)
    }

    /// - Throws: `LogError` where the closing mark could not be left. The log is closed all the same.
    public func close(continuing replica: ReplicaID) async throws {
      let session = try opened()
      self.session = nil
      // Before the mark is left: nothing may be said behind it.
      await keeper?.stop()
      keeper = nil
      try session.close(continuing: replica)
    }

    var patience: Duration { limits.patience }

    func beginOpening() throws(LogError) -> LogOpening {
      guard session == nil else { throw LogError(.misuse, "The log '\(subjects.name)' is open already.") }
      return try LogOpening(subjects, replicas: replicas, at: servers, limits: limits)
    }

    /// Whether there is a stream.
    func exists() throws(LogError) -> Bool {
      try LogStream.exists(subjects.stream, at: JetStreamConnection(to: servers, limits: limits))
    }

    func hold(_ session: LogSession) { self.session = session }

    /// Ends without a mark.
    func release() async {
      session = nil
      await keeper?.stop()
      keeper = nil
    }

    func opened() throws(LogError) -> LogSession {
      guard let session else {
        throw LogError(
          .misuse, "The log '\(subjects.name)' is not open. Call open() first; after close() it is over.")
      }
      return session
    }
  }
#endif
