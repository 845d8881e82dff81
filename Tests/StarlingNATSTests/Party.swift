#if NATS
  import StarlingEngine
  import StarlingNATS
  import Synchronization

  /// A link under test, and what arrived at it. It lives on the link's queue as an engine does.
  actor Party {
    struct NeverCame: Error, CustomStringConvertible {
      let description: String
    }

    nonisolated let link: NATSLink
    nonisolated let unownedExecutor: UnownedSerialExecutor
    private var watchers: [AsyncStream<Void>.Continuation] = []
    /// Everything that arrived, in order.
    private(set) var events: [LinkEvent] = []

    private init(url: String, group: String, limits: NATSLink.Limits, security: NATSLink.Security?) throws {
      link = try NATSLink(servers: [url], group: group, limits: limits, security: security)
      unownedExecutor = link.executor.asUnownedSerialExecutor()
    }

    /// A party that has begun.
    static func at(
      _ server: Server, group: String = "test", limits: NATSLink.Limits = .brisk, security: NATSLink.Security? = nil
    ) async throws -> Party {
      let party = try Party(url: server.url, group: group, limits: limits, security: security)
      try await party.start()
      return party
    }

    private func start() throws {
      try link.start(tick: .milliseconds(10)) { [weak self] events in
        self?.assumeIsolated { $0.take(events) }
      }
    }

    private func take(_ events: [LinkEvent]) {
      self.events += events
      for watcher in watchers { watcher.yield() }
    }

    /// Returns once the condition holds, looked at whenever `receive` was called. The suite's limit bounds it.
    func until(_ what: String, _ condition: @escaping @Sendable (isolated Party) -> Bool) async throws {
      try await until(what, asking: {}, condition)
    }

    /// Asks again at each look until the condition holds: for what may be lost on a machine that is busy elsewhere.
    func until(
      _ what: String, asking: @escaping @Sendable () async -> Void,
      _ condition: @escaping @Sendable (isolated Party) -> Bool
    ) async throws {
      if condition(self) { return }
      await asking()
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      watchers.append(continuation)
      for await _ in stream {
        if condition(self) { return }
        await asking()
      }
      throw NeverCame(description: "never came: \(what); came: \(story)")
    }

    // MARK: The link's calls

    func bind() throws -> String { try link.bind("nats:test") }
    func connect(to endpoint: String) throws -> PeerHandle { try link.connect(to: endpoint) }
    func disconnect(_ peer: PeerHandle) { link.disconnect(peer) }
    func subscribe(_ topic: String) { link.subscribe(Array(topic.utf8)) }
    func unsubscribe(_ topic: String) { link.unsubscribe(Array(topic.utf8)) }
    func publish(_ frame: String) { link.publish(Array(frame.utf8)) }
    func publish(bytes: [UInt8]) { link.publish(bytes) }
    @discardableResult
    func send(_ frame: String, to peer: PeerHandle) -> Bool { link.send(Array(frame.utf8), to: peer) }
    func send(bytes: [UInt8], to peer: PeerHandle) -> Bool { link.send(bytes, to: peer) }
    func stop() { link.stop(linger: .milliseconds(500)) }

    // MARK: What arrived

    /// The events without handles: "opened by us", "opened", "direct hello", "published abcd", "closed",
    /// "turned away: revoked ada", "not let in".
    var story: [String] {
      events.map {
        switch $0 {
        case .opened(_, let dialled, _): dialled ? "opened by us" : "opened"
        case .direct(_, let frame): "direct " + Self.text(frame)
        case .published(_, let frame): "published " + Self.text(frame)
        case .closed: "closed"
        case .handshakeFailed(_, _, .notAdmitted): "not let in"
        case .handshakeFailed(_, _, let failure): "\(failure)"
        case .turnedAway(let stranger): "turned away: \(stranger.reason)" + (stranger.user.map { " \($0)" } ?? "")
        }
      }
    }

    private static func text(_ frame: [UInt8]) -> String {
      frame.count > 80 ? "of \(frame.count) bytes" : String(decoding: frame, as: UTF8.self)
    }

    var frames: [[UInt8]] {
      events.compactMap {
        switch $0 {
        case .direct(_, let frame), .published(_, let frame): frame
        default: nil
        }
      }
    }

    func opened(dialled: Bool) -> [PeerHandle] {
      events.compactMap { if case .opened(let peer, dialled, _) = $0 { peer } else { nil } }
    }

    var identities: [PeerIdentity] {
      events.compactMap { if case .opened(_, _, let identity) = $0 { identity } else { nil } }
    }

    var reasons: [String] {
      events.compactMap { if case .closed(_, let reason) = $0 { reason } else { nil } }
    }
  }

  extension NATSLink.Limits {
    /// Members that say often that they are here, so that a test need not wait, and that take no member for gone that a
    /// busy machine keeps from saying so.
    static var brisk: NATSLink.Limits {
      var limits = NATSLink.Limits()
      limits.heartbeat = .milliseconds(50)
      limits.silence = .seconds(3600)
      limits.connecting = .seconds(300)
      return limits
    }
  }

  /// Two parties; one dialled the other, and the session stands.
  struct Pair {
    let binder: Party
    let dialler: Party
    /// As the dialler knows the binder.
    let peer: PeerHandle

    init(binder: Party, dialler: Party, peer: PeerHandle) {
      (self.binder, self.dialler, self.peer) = (binder, dialler, peer)
    }

    init(
      _ server: Server, topics: [String] = [], limits: NATSLink.Limits = .brisk, diallers: NATSLink.Limits? = nil,
      keys: (binder: NATSLink.Security, dialler: NATSLink.Security)? = nil
    ) async throws {
      binder = try await Party.at(server, limits: limits, security: keys?.binder)
      dialler = try await Party.at(server, limits: diallers ?? limits, security: keys?.dialler)
      // What was subscribed to before the call is known to the server before it.
      for topic in topics { await dialler.subscribe(topic) }
      let peer = try await dialler.connect(to: try await binder.bind())
      try await dialler.until("an answer") { $0.story == ["opened by us"] }
      self.peer = peer
    }

    /// As the binder knows the dialler, once it has spoken.
    func greet() async throws -> PeerHandle {
      let before = await binder.story.count { $0 == "direct hello" }
      await dialler.send("hello", to: peer)
      try await binder.until("a greeting") { $0.story.count { $0 == "direct hello" } > before }
      return await binder.opened(dialled: false).last!
    }

    func stop() async {
      await dialler.stop()
      await binder.stop()
    }
  }
#endif
