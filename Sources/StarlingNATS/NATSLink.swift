#if NATS
  public import StarlingEngine
  import StarlingGuard
  package import StarlingThread
  import Synchronization

  /// A `PeerLink` over a NATS cluster, for groups that outgrow daemons. It carries frames it cannot read.
  ///
  /// Every link is one connection to the cluster, and every pair of peers a session over it:
  ///
  /// ```
  ///   the one who dials                                      the one who bound
  ///     call ──────────────► starling1.GROUP.to.ID ─────────► answer
  ///     frame ─────────────► starling1.GROUP.to.ID ─────────► frame
  ///     frame ◄───────────── starling1.GROUP.to.ID ◄───────── frame
  ///     frame ◄───────────── starling1.GROUP.pub.61.62.63.64  frame: to all who dialled and subscribed
  ///
  ///   all ◄── here, leaving ── starling1.GROUP.here ──► all, once a heartbeat
  /// ```
  ///
  /// `bind("nats:GROUP")` makes this link one that may be dialled, and returns where: `nats:GROUP/ID`.
  /// Members announce themselves and need no configuration:
  ///
  /// ```swift
  /// let link = try NATSLink(servers: ["nats://127.0.0.1:4222"], group: "library")
  /// configuration.discover = { link.endpoints() }
  /// let engine = ReplicaEngine(link: link, log: log, configuration: configuration)
  /// try await engine.start()
  /// try await engine.bind("nats:library")
  /// ```
  ///
  /// With `security`, members prove keys to each other, and what they say is sealed. Without it whoever may publish in
  /// the account may speak for any member: the cluster's accounts decide who is in. A member of the one kind takes no
  /// session with one of the other, and each tells of it (`LinkEvent.turnedAway`).
  ///
  /// A link lives on a thread, which reads and writes the connection itself; with TLS a thread of libnats' reads it, and
  /// the link's thread is its own. The calls of `PeerLink` are made on that thread, that is by actors whose executor is
  /// `executor`, or from `receive`.
  public final class NATSLink: PeerLink {
    private let rounds: LinkRounds
    /// Whether the thread ends with the link.
    private let ownsThread: Bool
    private let shared: SharedState
    /// Whether it starts where no server answers.
    private let startsAlone: Bool
    private let group: ThreadBound<Group>

    /// What happens to the connection to the cluster.
    public enum ConnectionChange: Sendable {
      /// No server answers, or takes us now; the link tries again every `Limits.absent`. Told once until there is a
      /// connection.
      case waiting(LinkError)
      case connected
      /// It was lost; the link goes on trying.
      case lost
      /// The servers refuse us, or what is shown to them cannot be read; the link tries again after `Limits.refused`.
      case refused(LinkError)
    }

    /// - Parameters:
    ///   - servers: one or more of the cluster, as `nats://host:port`, or `tls://host:port` for TLS, with
    ///     `user:password@` before the host where the servers ask for them.
    ///   - group: 1 to 64 letters, digits, dots, underscores or hyphens. Links of one group find each other.
    ///   - access: what the servers are shown, and which of them are believed.
    ///   - limits: What bounds the frames, the members and the waits.
    ///   - security: This member's key, and which keys it lets in. Without it whoever the cluster lets in is trusted.
    ///   - startsAlone: whether the link starts where no server answers, and goes on trying.
    ///   - onConnection: told on the link's thread, or from `start`, what happens to the connection.
    /// - Throws: `LinkError(.endpoint)` for a group's name or a server's address that cannot be one.
    public convenience init(
      servers: [String], group: String, access: NATSAccess = NATSAccess(), limits: Limits = Limits(),
      security: Security? = nil, startsAlone: Bool = false,
      onConnection: (@Sendable (ConnectionChange) -> Void)? = nil
    ) throws(LinkError) {
      try self.init(
        servers: servers, group: group, access: access, limits: limits, security: security, startsAlone: startsAlone,
        sharing: nil, onConnection: onConnection)
    }

    /// - Parameter others: the thread of another link, for both; nil for one of its own, and where there is TLS, for
    ///   which the thread may have to wait.
    package init(
      servers: [String], group: String, access: NATSAccess = NATSAccess(), limits: Limits = Limits(),
      security: Security? = nil, startsAlone: Bool = false, sharing others: LinkRounds?,
      onConnection: (@Sendable (ConnectionChange) -> Void)? = nil
    ) throws(LinkError) {
      let servers = try Servers(servers, access: access)
      let subjects = try Subjects(group: group)
      let others = servers.isSecure ? nil : others
      ownsThread = others == nil
      rounds = others ?? .start()
      shared = SharedState(servers: servers, limits: limits, thread: rounds.thread)
      self.startsAlone = startsAlone
      self.group = ThreadBound(
        Group(
          rounds: rounds, shared: shared, subjects: subjects, limits: limits, security: security,
          onConnection: onConnection),
        to: rounds.thread)
      rounds.add(self.group)
    }

    /// A link that nobody stopped closes at once.
    deinit {
      if ownsThread {
        thread.end(waits: false)
      } else {
        thread.run { [group] in group { $0.close(linger: .zero) } }
      }
    }

    private var thread: LinkThread { rounds.thread }

    public var executor: any SerialExecutor { thread }

    /// What was done and refused so far. Any thread.
    public var counters: Counters { shared.counters.withLock { $0 } }

    /// Where the others of the group may be dialled; nil while there is no connection. Any thread.
    public func endpoints() -> [String]? {
      shared.roster.withLock { $0 }
    }

    /// Connects to one of the servers.
    ///
    /// - Throws: `LinkError(.unreachable)` if none takes us now and the link does not start alone, `.system` if a server
    ///   refuses us or a file of `NATSAccess` cannot be used, `.misuse` the second time.
    public func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
      guard !shared.isStarted.exchange(true, ordering: .acquiringAndReleasing) else {
        throw LinkError(.misuse, "A link is started once.")
      }
      let made = Result { () throws(LinkError) in try shared.connect() }
      if case .failure(let error) = made, !startsAlone || error.code != .unreachable { throw error }
      if thread.isCurrent {
        group { $0.start(made, tick: tick, receive: receive) }
      } else {
        thread.run { [group] in group { $0.start(made, tick: tick, receive: receive) } }
      }
    }

    public func setTick(_ tick: Duration) {
      group { $0.setTick(tick) }
    }

    public func wake() {
      guard !shared.isWakeDue.exchange(true, ordering: .acquiringAndReleasing) else { return }
      thread.ring()
    }

    /// - Returns: where this link is dialled, `nats:GROUP/ID`.
    /// - Throws: `LinkError(.endpoint)` for anything but `nats:GROUP`, `.misuse` unless the link runs.
    public func bind(_ endpoint: String) throws -> String {
      try group { try $0.bind(endpoint) }
    }

    /// - Throws: `LinkError(.endpoint)` for what is no member of the group, `.misuse` for one that is dialled already.
    public func connect(to endpoint: String) throws -> PeerHandle {
      try group { try $0.dial(endpoint) }
    }

    public func disconnect(_ peer: PeerHandle) {
      group { $0.disconnect(peer) }
    }

    public func subscribe(_ topic: [UInt8]) {
      group { $0.subscribe(topic) }
    }

    public func unsubscribe(_ topic: [UInt8]) {
      group { $0.unsubscribe(topic) }
    }

    public func publish(_ frame: [UInt8]) {
      group { $0.publish(frame) }
    }

    public func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
      group { $0.send(frame, to: peer) }
    }

    /// Any thread. Off a thread that is the link's own, it returns once that has ended; off another link's, before the
    /// end.
    public func stop(linger: Duration) {
      let isCurrent = thread.isCurrent
      if isCurrent {
        group { $0.close(linger: linger) }
      } else {
        thread.run { [group] in group { $0.close(linger: linger) } }
      }
      if ownsThread { thread.end(waits: !isCurrent) }
    }
  }
#endif
