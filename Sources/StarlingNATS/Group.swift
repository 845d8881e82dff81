#if NATS
  import Dispatch
  import StarlingEngine
  import StarlingGuard
  import StarlingThread
  import Synchronization

  /// One member's view of its group: who is there, and the sessions with them. It lives on the link's thread.
  ///
  /// ```
  ///   one turn:  inbox, socket ─► messages, connection lost or restored ─► heartbeat, if due ─► receive(batch) ─► write
  /// ```
  final class Group: LinkLoop {
    let rounds: LinkRounds
    let shared: SharedState
    let limits: NATSLink.Limits
    private let onConnection: (@Sendable (NATSLink.ConnectionChange) -> Void)?

    let subjects: Subjects
    let own = MemberID(rawValue: .random(in: .min ... .max))
    /// Nil where members prove no keys.
    let security: NATSLink.Security?
    var tally = NATSLink.Counters()
    /// What goes to the next call of `receive`.
    var events: [LinkEvent] = []
    var connection: Connection?
    /// False from the loss of a connection until it is restored.
    var isConnected = false
    var isDialable = false
    /// Everybody who was heard of late.
    var members: [MemberID: Member] = [:]
    /// Members that said that they leave, and when they are gone. Their last words may still be on the way.
    private var leaving: [(member: MemberID, due: ContinuousClock.Instant)] = []
    var dialled: [PeerHandle: DialledSession] = [:]
    var accepted: [PeerHandle: AcceptedSession] = [:]
    /// The same sessions by the member that they are with.
    var dialledHandles: [MemberID: PeerHandle] = [:]
    var acceptedHandles: [MemberID: PeerHandle] = [:]
    /// Topics, and how often each was subscribed to.
    var topics: [[UInt8]: Int] = [:]
    /// The stems of the topics, and how many topics have each.
    var stems: [[UInt8]: Int] = [:]
    /// How many stems are shorter than stems may be, and so may stand before others.
    var shortStemCount = 0
    var assembly: Assembly
    var lastFrame: UInt32 = 0
    /// Sessions whose caller has not sealed anything yet, the oldest first.
    var unproved: [UnprovedSession] = []
    var handshakes: HandshakeBudget
    /// Accepted sessions with those that open the broadcast key, and with those for which each frame is sealed.
    var relays: Set<PeerHandle> = []
    var readers: Set<PeerHandle> = []
    /// Drawn with the first relay.
    var broadcastKey: BroadcastKey?
    var lastBroadcastKey: UInt64 = 0
    /// Whether somebody has the broadcast key who is here no more.
    var isBroadcastKeyStale = false

    private var receive: (@Sendable ([LinkEvent]) -> Void)?
    private var isClosed = false
    var socket = SocketState()
    private var isConnecting = false
    /// Whether there ever was a connection.
    private var wasConnected = false
    /// Whether it was told that there is none yet.
    private var isTold = false
    /// When the next one is made, where there is none that libnats would make again.
    private var nextConnection = ContinuousClock.now
    private var tick = Duration.zero
    private var nextTick = ContinuousClock.now
    private var nextHeartbeat = ContinuousClock.now
    private var lastName: UInt64 = 0

    init(
      rounds: LinkRounds, shared: SharedState, subjects: Subjects, limits: NATSLink.Limits,
      security: NATSLink.Security?, onConnection: (@Sendable (NATSLink.ConnectionChange) -> Void)?
    ) {
      self.shared = shared
      self.security = security
      self.onConnection = onConnection
      handshakes = HandshakeBudget(perSecond: limits.handshakesPerSecondMax, now: .now)
      self.subjects = subjects
      self.limits = limits
      self.rounds = rounds
      assembly = Assembly(frameByteCountMax: limits.frameByteCountMax, byteCountMax: limits.assemblyByteCountMax)
    }

    // MARK: Life

    /// - Parameter made: the first connection, or why there is none yet.
    func start(
      _ made: Result<Connection, LinkError>, tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void
    ) {
      guard !isClosed else {
        if case .success(let connection) = made { connection.close() }
        return
      }
      self.receive = receive
      self.tick = tick
      switch made {
      case .success(let connection):
        adopt(connection)
        announce()
      case .failure(let error): wait(after: error)
      }
      nextHeartbeat = .now + limits.heartbeat
      nextTick = .now + tick
    }

    func setTick(_ tick: Duration) {
      self.tick = tick
      nextTick = .now + tick
    }

    var isRunning: Bool { receive != nil }

    private func adopt(_ connection: Connection) {
      self.connection = connection
      isConnected = true
      connection.subscribe(to: subjects.inbox(of: own), as: .own)
      connection.subscribe(to: subjects.here, as: .group)
      for stem in stems.keys { hear(stem) }
      shareRoster()
      if wasConnected { tally.reconnects += 1 }
      wasConnected = true
      isTold = false
      onConnection?(.connected)
    }

    /// Until the next connection is tried.
    private func wait(after error: LinkError) {
      guard error.code == .unreachable else {
        nextConnection = .now + limits.refused
        isTold = false
        onConnection?(.refused(error))
        return
      }
      nextConnection = .now + limits.absent
      guard !isTold else { return }
      isTold = true
      onConnection?(.waiting(error))
    }

    /// libnats ends a connection that the servers refuse twice; somebody may mend what we show them.
    private func giveUp(at now: ContinuousClock.Instant) {
      connection?.close()
      connection = nil
      follow(.closed)
      nextConnection = now + limits.refused
    }

    /// Beside the thread, which has others to serve: servers may be slow to answer.
    private func connectAgain() {
      guard !isConnecting else { return }
      isConnecting = true
      DispatchQueue.global().async { [shared] in
        shared.inbox.tell(made: Result { () throws(LinkError) in try shared.connect() })
      }
    }

    private func take(_ made: Result<Connection, LinkError>) {
      isConnecting = false
      switch made {
      case .success(let connection):
        adopt(connection)
        connectionIsBack(at: .now)
      case .failure(let error): wait(after: error)
      }
    }

    func close(linger: Duration) {
      guard !isClosed else { return }
      isClosed = true
      rounds.remove(self)
      shared.inbox.close()
      follow(.closed)
      receive = nil
      events = []
      if isConnected { say(.leaving, on: subjects.here) }
      connection?.flush(timeout: isConnected ? linger : .zero)
      connection?.close()
      connection = nil
      isConnected = false
      members = [:]
      dialled = [:]
      accepted = [:]
      dialledHandles = [:]
      acceptedHandles = [:]
      unproved = []
      relays = []
      readers = []
      broadcastKey = nil
      shareRoster()
      shareCounters()
    }

    /// A number that no peer and no session of this link has had.
    func makeName() -> UInt64 {
      lastName += 1
      return lastName
    }

    func finish() { close(linger: .zero) }

    // MARK: The turns

    func noteReady(_ token: UInt64) { socket.isReadable = true }

    func rest() -> Duration? {
      guard !isClosed else { return .seconds(3600) }
      let isDue =
        socket.isReadable || !events.isEmpty || shared.inbox.isFilled || shared.inbox.isWriteDue && !socket.isFull
        || shared.isWakeDue.load(ordering: .acquiring)
      guard !isDue else { return .zero }
      var next = nextHeartbeat
      if isRunning {
        next = min(next, nextTick)
        if connection == nil, !isConnecting { next = min(next, nextConnection) }
      }
      if let first = leaving.first { next = min(next, first.due) }
      return ContinuousClock.now.duration(to: next)
    }

    func turn() {
      guard !isClosed else { return }
      let isWoken =
        shared.isWakeDue.load(ordering: .relaxed)
        && shared.isWakeDue.exchange(false, ordering: .acquiringAndReleasing)
      let now = ContinuousClock.now
      if shared.inbox.isFilled { take(shared.inbox.takeAll(), at: now) }
      readSocket(at: now)
      if connection == nil, isRunning, now >= nextConnection { connectAgain() }
      if now >= nextHeartbeat {
        nextHeartbeat = now + limits.heartbeat
        beat(at: now)
        connection?.freeRead(all: true)
      }
      loseLeaving(at: now)
      if let receive, isWoken || !events.isEmpty || now >= nextTick {
        nextTick = now + tick
        shareCounters()
        let batch = events
        events = []
        receive(batch)
      }
      writeSocket()
    }

    private func take(_ arrived: Inbox.Contents, at now: ContinuousClock.Instant) {
      if let made = arrived.made { take(made) }
      if let socket = arrived.socket { follow(socket) }
      tally.overflows += arrived.overflows
      tally.slowConsumers += arrived.slowConsumers
      tally.reconnects += arrived.connects
      if arrived.wasLost {
        if isConnected { onConnection?(.lost) }
        connectionWasLost()
      }
      for (channel, bytes) in arrived.messages { take(Envelope(decoding: bytes), over: channel, at: now) }
      if arrived.isConnected == true {
        connectionIsBack(at: now)
        onConnection?(.connected)
      }
      if arrived.isGivenUp { giveUp(at: now) }
      shareCounters()
    }

    // MARK: Messages

    /// - Parameter envelope: nil for bytes of another shape.
    func take(_ envelope: Envelope?, over channel: Inbox.Channel, at now: ContinuousClock.Instant) {
      guard let envelope, envelope.sender != own else {
        tally.malformed += 1
        return
      }
      let sender = envelope.sender
      members[sender]?.lastHeard = now
      switch (channel, envelope.kind) {
      case (.group, .leaving): noteLeaving(sender, at: now)
      case (.group, .returned): endSessions(with: sender, reason: "\(sender.text) lost its connection.", tells: false)
      case (.own, .hangUp): isHungUpOn(envelope)
      case (.own, .refuse): isRefused(envelope)
      case (.group, .here), (.group, .guest), (.own, .here), (.own, .guest), (.group, .keyedHere),
        (.group, .keyedGuest), (.own, .keyedHere), (.own, .keyedGuest):
        hears(envelope, isNews: channel == .group, at: now)
      default:
        if security == nil {
          takePlain(envelope, over: channel, at: now)
        } else {
          takeSealed(envelope, over: channel, at: now)
        }
      }
    }

    private func takePlain(_ envelope: Envelope, over channel: Inbox.Channel, at now: ContinuousClock.Instant) {
      switch (channel, envelope.kind) {
      case (.own, .call): accept(envelope, at: now)
      case (.own, .answer): answered(envelope)
      case (.own, .up): takeUp(envelope)
      case (.own, .down): takeDown(envelope)
      case (.topic(let stem), .published): takePublished(envelope, over: stem)
      case (.own, .keyedCall):
        note(.sealed, of: envelope.sender)
        say(.refuse, envelope.session, to: envelope.sender)
      default: tally.malformed += 1
      }
    }

    /// How long messages that libnats' thread delivers may take longer than those that are polled.
    private static let lastWordsTime: Duration = .milliseconds(25)

    /// Once for each member, however often it is said: anybody may say so, and of anybody.
    private func noteLeaving(_ member: MemberID, at now: ContinuousClock.Instant) {
      guard members[member] != nil, !leaving.contains(where: { $0.member == member }) else { return }
      leaving.append((member, now + Self.lastWordsTime))
    }

    private func loseLeaving(at now: ContinuousClock.Instant) {
      while let first = leaving.first, first.due <= now {
        leaving.removeFirst()
        lose(first.member, reason: "\(first.member.text) left.", tells: false)
      }
    }

    private func shareCounters() {
      tally.framesIncomplete = assembly.lostCount
      shared.counters.withLock { $0 = tally }
    }
  }
#endif
