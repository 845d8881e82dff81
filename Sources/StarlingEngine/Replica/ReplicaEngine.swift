public import StarlingCore
import StarlingGuard
import StarlingSession
import StarlingWire

/// Runs a replica: performs what the deciding rooms decide, through a `ChangeLog` and a `PeerLink`.
///
/// ```
///   writers ─► DocumentHandle ─ wake ─► ┌───────────────┐ ─ publish ─► PeerLink
///                                       │ ReplicaEngine │
///   PeerLink ─────── receive ─────────► └───────────────┘ ─ append ──► ChangeLog ─ durable ─► acknowledge
/// ```
///
/// The actor runs on the link's thread, so what arrives is handled where it was read. Each ability
/// has its own file: peers and messages, publishing, logging, answering.
public actor ReplicaEngine {
  public nonisolated let unownedExecutor: UnownedSerialExecutor
  /// The link's thread for tasks too, where it offers that: a task that waited then goes on there,
  /// and not by way of the shared pool.
  let taskExecutor: (any TaskExecutor)?
  let link: any PeerLink
  let log: any ChangeLog
  let clock: EngineClock
  var configuration: EngineConfiguration
  var generator: any RandomNumberGenerator & Sendable
  var report: @Sendable (EngineEvent) -> Void

  /// What the replica and its models hold.
  weak var lifetime: EngineLifetime?

  var phase = Phase.idle
  /// False while the replica works offline: nothing is sent, and what arrives is not heard.
  var isOnline = true
  var identity = OpenedLog(store: StoreID(rawValue: 0), replica: nil, documents: [], isDurable: false)
  var replica = ReplicaID(rawValue: 0)
  /// The id of all documents after the next time that somebody else is seen to write under the present one.
  var spareReplica = ReplicaID(rawValue: 0)
  let epoch: UInt64

  var documents: [DocumentID: HostedDocument] = [:]
  /// The same by name, so that one seed gives one run.
  var documentsInOrder: [HostedDocument] = []
  /// Those of them that are looked after with each turn.
  var astir: [HostedDocument] = []
  /// Those of them that the next heartbeat looks at beside the ones whose turn it is, and those that keep a state for peers.
  var due: [HostedDocument] = []
  var heartbeatRound = HeartbeatRound()
  var withCut: [HostedDocument] = []
  /// In which something was written or said here, on whatever thread, since the last turn.
  let written = Guarded<[DocumentID]>([])
  /// Documents may share a topic; what tells them apart is the stream.
  var documentsByTopic: [UInt32: [HostedDocument]] = [:]
  /// Documents of which what the log holds cannot be read.
  var quarantined: [DocumentID: LogError] = [:]
  var openings: [DocumentID: [CheckedContinuation<DocumentHandle, any Error>]] = [:]
  /// The peers, and what each of them is to us.
  var connections: Connections
  /// Which endpoints are dialled, and where we are.
  var endpoints: Endpoints
  /// The group's daemons; nil in one that does not tell or hear of them.
  var membership: Membership?
  /// Answers that wait until their peer has taken what is on its way.
  var waitingAnswers: [PeerHandle: [CheckedContinuation<Void, Never>]] = [:]

  /// What waits for the log, and who tells it.
  var pipeline: LogPipeline
  /// Writes the records, of all documents.
  var batches = Batch.Encoder()
  var logging: Task<Void, Never>?
  /// Who waits for something, and how each goes on.
  var waiters = Waiters()
  var continuations: [UInt64: WaiterContinuation] = [:]
  /// Handles of forgotten documents that are not empty yet, for a transaction is open there.
  var emptying: [DocumentHandle] = []
  /// Waiters whose tasks were cancelled, on whatever thread, since the last wake.
  let cancelled = Guarded<[UInt64]>([])

  /// The lessor, while it alone may be told what is written under its loans.
  var confinedTo: StoreID?
  var hasShownLife = false
  /// When signs of life are looked at next, and how often soon after a connection has ended.
  var nextLeaseReview = Duration.zero
  var leaseReviewsSoon = 0
  /// Waits until the lessor has heard what is given back.
  var returning: (deadline: Duration, continuation: CheckedContinuation<Void, Never>)?

  var counters = EngineCounters()
  var nextTick = Duration.zero
  var nextHeartbeat = Duration.zero
  var nextTrustReview = Duration.zero
  var nextMembership = Duration.zero
  var nextFold = Duration.zero

  enum Phase { case idle, running, closed }
  /// Set while the last changes are on their way: nothing that arrives is taken any more.
  var isClosing = false

  /// - Parameters:
  ///   - link: carries the frames and lends its thread.
  ///   - log: keeps the changes.
  ///   - generator: where ids come from; hand over a seeded one to repeat a run.
  ///   - report: told of what an operator may want to know, on the engine's thread.
  public init(
    link: any PeerLink, log: any ChangeLog, configuration: EngineConfiguration = EngineConfiguration(),
    clock: EngineClock = .system,
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    report: @escaping @Sendable (EngineEvent) -> Void = { _ in }
  ) {
    self.link = link
    self.log = log
    self.configuration = configuration
    endpoints = Endpoints(
      bound: configuration.endpoints, advertised: configuration.advertised,
      policy: Endpoints.Policy(
        learnedLifetime: configuration.learnedEndpointLifetime, leftLifetime: configuration.discoveryInterval))
    connections = Connections(
      isRelay: configuration.isRelay,
      oneWayLinks: OneWayLinks(patience: OneWayLinks.patience(heartbeat: configuration.heartbeat)),
      budgets: configuration.budgets.budgets(documentCountMax: configuration.documentCountMax),
      writers: WriterTable(configuration.writers), equivocations: EquivocationTable(configuration.equivocations))
    self.clock = clock
    self.generator = generator
    self.report = report
    pipeline = LogPipeline(configuration.pipeline)
    epoch = self.generator.next()
    unownedExecutor = link.executor.asUnownedSerialExecutor()
    taskExecutor = link.executor as? any TaskExecutor
  }

  /// Begins a task on the engine's executor.
  @discardableResult
  func begin(_ work: @escaping @Sendable (isolated ReplicaEngine) async -> Void) -> Task<Void, Never> {
    if let taskExecutor { return Task(executorPreference: taskExecutor) { await work(self) } }
    // A task with a preference begins on the shared pool where there is nothing to prefer: two more threads to wake.
    return Task { await work(self) }
  }

  /// Begins a task beside the engine, which goes on meanwhile: for what goes through all of a document.
  @discardableResult
  func beginBeside<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
    Task(executorPreference: configuration.background ?? taskExecutor, operation: work)
  }

  // MARK: Life

  /// Opens the log and begins to listen.
  ///
  /// - Throws: `LogError` where the log cannot be opened, `LinkError` where the link cannot start.
  public func start() async throws {
    precondition(phase == .idle, "ReplicaEngine.start is called once")
    identity = try await log.open()
    replica = identity.replica ?? newReplicaID()
    spareReplica = newReplicaID()
    pipeline.forgotten = ForgottenDocuments(identity.forgotten)
    if !log.keepsCheckpoints || !identity.isDurable && identity.refusal == nil {
      pipeline.policy.compaction.checkpointByteCountMin = nil
    }
    connections.generations = GenerationTable(
      own: identity.isDurable ? identity.generations.own : 0,
      identity.generations.others.map {
        GenerationTable.Entry(
          store: $0.store, name: $0.name, start: Message.Start(generation: $0.generation, epoch: $0.epoch))
      })
    do {
      try link.start(tick: configuration.tick) { [weak self] events in
        self?.assumeIsolated { $0.receive(events) }
      }
    } catch {
      phase = .closed
      try? await log.close(continuing: replica)
      throw error
    }
    phase = .running
    if let damage = identity.damage { report(.logDamaged(damage)) }
    if let refusal = identity.refusal { perform(pipeline.failed(refusal, now: clock.uptime())) }
    beginMembership()
    if configuration.isRelay {
      try await openAll(identity.documents)
    }
    discover()
  }

  /// Accepts peers at `endpoint`, and tells those who connect from now on that they may dial it.
  ///
  /// - Returns: the endpoint as peers dial it.
  @discardableResult
  public func bind(_ endpoint: String) throws -> String {
    let bound = try link.bind(endpoint)
    endpoints.bind(bound)
    membership?.become(endpoints: endpoints.toldToMembers, tier: configuration.tier.asTold)
    return bound
  }

  /// Dials a peer, again whenever the connection is lost.
  public func connect(to endpoint: String) throws {
    endpoints.wantByHand(endpoint)
    if isOnline { try dialByHand(endpoint) }
  }

  /// Works offline, or joins the peers again. Offline, writes are kept and logged, and no peer hears
  /// or is heard; each side catches up afterwards.
  public func setOnline(_ isOnline: Bool) {
    guard isOnline != self.isOnline, phase == .running else { return }
    self.isOnline = isOnline
    if isOnline {
      redial()
      discover()
    } else {
      dropPeers()
    }
  }

  /// Opens a document: recovers it from the log, joins its topic, follows the peers that are here.
  /// The same handle for every call.
  ///
  /// - Throws: `LogError` where what the log holds cannot be read.
  public func open(_ document: DocumentID) async throws -> DocumentHandle {
    guard phase == .running else {
      throw LogError(.misuse, "'\(document)' is opened while the replica is not running.")
    }
    try checkStands(document)
    if let hosted = documents[document] { return hosted.handle }
    if let damage = quarantined[document] { throw damage }
    if openings[document] != nil {
      return try await withCheckedThrowingContinuation { openings[document]?.append($0) }
    }
    openings[document] = []
    let outcome: Result<DocumentHandle, any Error>
    do {
      let recovered = try await recover(document)
      guard phase == .running else { throw CancellationError() }
      try checkStands(document)
      outcome = .success(host(document, recovered))
    } catch {
      quarantine(document, error)
      outcome = .failure(error)
    }
    for continuation in openings.removeValue(forKey: document) ?? [] { continuation.resume(with: outcome) }
    return try outcome.get()
  }

  private func checkStands(_ document: DocumentID) throws {
    guard pipeline.forgotten.contains(document) else { return }
    throw ForgetError(
      .forgotten, "'\(document)' was forgotten in this group, for good. Choose another name for a new document.")
  }

  /// Publishes and logs what is left, says goodbye, and leaves the log so that the next start may
  /// go on under the same replica id.
  public func close(linger: Duration = .milliseconds(200)) async throws {
    guard phase == .running, !isClosing else { return }
    isClosing = true
    ceaseWriting()
    var before = 0
    repeat {
      before = pipeline.commitCount
      for hosted in documentsInOrder { publishOutbox(of: hosted) }
      pipeline.hasten()
      startLogging()
      await logging?.value
      // What a transaction holds up that nobody ends is left behind.
    } while pipeline.failure == nil && pipeline.pendingRecordCount > 0 && pipeline.commitCount != before
    await keepWriters()
    await writeLastCheckpoints()
    let isWhole = pipeline.isWhole
    withdrawPresence()
    await giveLoansBack()
    leaveMembership()
    phase = .closed
    for peer in peers.talking { say(.goodbye, to: peer) }
    perform(waiters.close(facts))
    endAnswers()
    endProgress()
    link.stop(linger: linger)
    configuration.lifeSigns?.leave(identity.store.description)
    // Of an id under which something was said that the log does not hold no more may be written.
    try await log.close(continuing: isWhole ? replica : newReplicaID())
  }

  /// Ends at once and unsaid, as a process does that is killed; whoever waits is told. For simulations.
  package func abandon() {
    phase = .closed
    configuration.lifeSigns?.leave(identity.store.description)
    perform(waiters.close(facts))
    endReturning()
    endAnswers()
    endProgress()
  }

  /// The handle of a document that is open already.
  package func openDocument(_ document: DocumentID) -> DocumentHandle? {
    documents[document]?.handle
  }

  /// The documents that the log held when it was opened.
  package var storedDocuments: [DocumentID] { identity.documents }

  /// How the engine stands now.
  public func status() -> EngineStatus {
    EngineStatus(
      store: identity.store, isDurable: identity.isDurable && pipeline.failure == nil, logError: pipeline.failure,
      isLogRetried: pipeline.failure != nil && !pipeline.isLost, unsaved: unsaved, quarantined: quarantined,
      peers: peersNow,
      endpoints: endpoints.bound, documents: documents.keys.sorted { $0.name < $1.name },
      counters: countersNow, daemons: daemonsNow, oneWayLinks: connections.oneWay)
  }

  // MARK: Documents

  private func host(_ id: DocumentID, _ recovered: RecoveredState) -> DocumentHandle {
    let handle = DocumentHandle(
      id: id, replica: replica, document: recovered.document, epoch: epoch,
      backlogByteCountMax: configuration.backlogByteCountMax, transactionTimeout: configuration.transactionTimeout,
      tracer: configuration.tracer, now: clock.wallMilliseconds)
    let hosted = HostedDocument(
      handle: handle, stream: newStream(), policy: DocumentSession.Policy(),
      members: members(recovered.members, beside: recovered.document.version), own: ownWrites(recovered.members),
      leases: leaseBook(recovered.leases))
    noteLeases(of: hosted)
    pipeline.open(id, at: recovered.document.version, recovered.compaction)
    handle.keepSpare(spareReplica)
    attend(to: handle)
    documents[id] = hosted
    documentsInOrder.insert(hosted, at: placeInOrder(of: id))
    documentsByTopic[hosted.stream.topic, default: []].append(hosted)
    documentsByTopic[PublishedFrame.sideTopicNumber(of: id), default: []].append(hosted)
    rouse(hosted)
    reviewBehind(of: hosted)
    reviewCheckpoint(of: hosted)
    for (peer, relation) in endpoints.connections { subscribe(to: hosted, at: peer, in: relation) }
    for peer in connections.followed { beginFollowing(peer, in: hosted) }
    for peer in peers.all where connections.serves(peer) { sayHave(of: hosted, to: peer) }
    seekLease(of: hosted)
    return handle
  }

  /// Found by halves: peers may have thousands opened one after the other.
  private func placeInOrder(of id: DocumentID) -> Int {
    var (low, high) = (0, documentsInOrder.count)
    while low < high {
      let middle = (low + high) / 2
      if documentsInOrder[middle].id.name < id.name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func newStream() -> UInt32 {
    UInt32.random(in: (PresencePayload.stream + 1)...(.max), using: &generator)
  }

  func newReplicaID() -> ReplicaID {
    ReplicaID(rawValue: generator.next())
  }

  // MARK: Time

  /// Batches may come by the thousand a second; what is due by the clock is looked at less often.
  private static let tickMin = Duration.milliseconds(5)

  /// What is due by the clock; called for every batch of events, and at least once a tick.
  func tick() {
    let now = clock.uptime()
    guard now >= nextTick else { return }
    nextTick = now + Self.tickMin
    seeOff(now: now)
    tickAstir(now: now)
    reviewWaiters(now: now)
    reviewTrustIfDue(now: now)
    emptyForgotten()
    if now >= nextHeartbeat {
      nextHeartbeat = now + configuration.heartbeat
      beat()
      // A greeting or its answer may be lost like any other frame.
      for peer in peers.unanswered { greet(peer, wantsReply: true) }
      tellRelays()
      if isOnline { perform(connections.reviewOneWayLinks(plan, now: now)) }
      reviewBudgets()
      reviewAnswers(now: now)
    }
    tickMembership(now: now)
    reviewLeasesIfDue(now: now)
    if now >= nextFold {
      nextFold = now + configuration.foldInterval
      foldWhatIsOld()
    }
    if endpoints.isReviewDue(now: now, interval: configuration.discoveryInterval) { discover() }
  }

  var countersNow: EngineCounters {
    var counters = counters
    counters.waitsTimedOut = waiters.timedOutCount
    for hosted in documents.values {
      counters.pulls += hosted.session.statistics.pulls
      counters.pullTimeouts += hosted.session.statistics.timeouts
      counters.gaps += hosted.session.statistics.gaps
      counters.presenceRefused += hosted.handle.presenceRefusedCount
    }
    return counters
  }
}

extension WireLimits {
  /// For what this store wrote itself: whatever it accepted, it reads back, also where the limits were
  /// others when it was written.
  static let own: WireLimits = {
    var limits = WireLimits()
    limits.frameByteCountMax = 1 << 40
    limits.snapshotByteCountMax = 1 << 40
    limits.snapshotEntryCountMax = 1 << 40
    limits.operationCountMax = 1 << 40
    limits.definitionCountMax = 1 << 40
    limits.dotCountMax = 1 << 40
    limits.keyByteCountMax = 1 << 40
    limits.valueByteCountMax = 1 << 40
    limits.textByteCountMax = 1 << 40
    limits.nestingDepthMax = 1 << 20
    return limits
  }()
}
