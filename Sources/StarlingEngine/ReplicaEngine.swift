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
  /// How often the store was started; 0 where the log does not count. What is known of others, and whether the log is to be
  /// told of either.
  var generation: UInt64 = 0
  var generations = GenerationTable()
  var hasNewGenerations = false

  var documents: [DocumentID: HostedDocument] = [:]
  /// The same by name, so that one seed gives one run.
  var documentsInOrder: [HostedDocument] = []
  /// Those of them that are looked after with each turn, and those of which the log is to be told more than records.
  var astir: [HostedDocument] = []
  var owing: [HostedDocument] = []
  /// In which something was written or said here, on whatever thread, since the last turn.
  let written = Guarded<[DocumentID]>([])
  /// Documents may share a topic; what tells them apart is the stream.
  var documentsByTopic: [UInt32: [HostedDocument]] = [:]
  /// Documents of which what the log holds cannot be read.
  var quarantined: [DocumentID: LogError] = [:]
  var openings: [DocumentID: [CheckedContinuation<DocumentHandle, any Error>]] = [:]
  var peers: [PeerHandle: Peer] = [:]
  /// What each of them is to us.
  var trusts = TrustTable()
  /// Whose the replica ids are that write.
  var writers: WriterTable
  /// For which operations writers were suspended.
  var equivocations: EquivocationTable
  /// When it was last told that a key was revoked.
  var revocationsTold: [String: Duration] = [:]
  /// Endpoints that are not dialled, as whoever answers there is not trusted.
  var untrusted: [String: PeerIdentity] = [:]
  var endpoints: [String: Dialled] = [:]
  /// What the keys of those have used.
  var budgets: Budgets
  /// How many replica ids the longest version of a document names, at the last heartbeat.
  var longestVersion = 0
  /// Whose replica ids the disk is to hold before the log goes on.
  var writersToKeep: [WriterBinding] = []
  /// Endpoints at which we met ourselves.
  var ownEndpoints: Set<String> = []
  var dialledByHand: Set<String> = []
  /// The group's daemons; nil in one that does not tell or hear of them.
  var membership: Membership?
  /// Connections that could be made in one direction only.
  var oneWayLinks: OneWayLinks
  /// Whom we met at endpoints that are dialled by hand.
  var contactStores: [String: StoreID] = [:]

  var pending = PendingAppend()
  /// The group commit under way.
  var logging: Task<Void, Never>?
  /// Groups and folds that the log has accepted.
  var commitCount = 0
  /// Why the log accepts nothing now, and when it is tried again.
  var logError: LogError?
  var logRetry: LogRetry
  var waiters: [UInt64: FlushWaiter] = [:]
  /// Documents that are forgotten; those of them that the log is to be told of, the one that it is being told of, and who
  /// waits for that, and for other stores.
  var forgotten = ForgottenDocuments()
  var forgetting: [DocumentID] = []
  var storing: DocumentID?
  var forgetStores: [DocumentID: [CheckedContinuation<Void, any Error>]] = [:]
  var forgetWaiters: [UInt64: ForgetWaiter] = [:]
  /// Handles of forgotten documents that are not empty yet, for a transaction is open there.
  var emptying: [DocumentHandle] = []
  var nextWaiter: UInt64 = 0
  /// Waiters whose tasks were cancelled, on whatever thread, since the last wake.
  let cancelled = Guarded<[UInt64]>([])
  var synchronizing: [UInt64: SynchronizeWaiter] = [:]

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
  var nextDiscovery = Duration.zero
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
    writers = WriterTable(configuration.writers)
    budgets = configuration.budgets.budgets(documentCountMax: configuration.documentCountMax)
    equivocations = EquivocationTable(configuration.equivocations)
    oneWayLinks = OneWayLinks(patience: OneWayLinks.patience(heartbeat: configuration.heartbeat))
    self.clock = clock
    self.generator = generator
    self.report = report
    logRetry = LogRetry(pauses: configuration.logRetryPauses)
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
    forgotten = ForgottenDocuments(identity.forgotten)
    generation = identity.generations.own
    generations = GenerationTable(
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
    if let refusal = identity.refusal { fail(refusal) }
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
    configuration.endpoints.append(bound)
    membership?.become(endpoints: endpointsForMembers, tier: configuration.tier.asTold)
    return bound
  }

  /// Dials a peer, again whenever the connection is lost.
  public func connect(to endpoint: String) throws {
    dialledByHand.insert(endpoint)
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
    guard forgotten.contains(document) else { return }
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
      before = commitCount
      for hosted in documentsInOrder { publishOutbox(of: hosted) }
      logRetry.hasten()
      startLogging()
      await logging?.value
      // What a transaction holds up that nobody ends is left behind.
    } while logError == nil && !pending.records.isEmpty && commitCount != before
    await keepWriters()
    let isWhole = logError == nil && pending.records.isEmpty && !documentsInOrder.contains(where: \.mustFold)
    withdrawPresence()
    await giveLoansBack()
    leaveMembership()
    phase = .closed
    for (handle, peer) in peersInOrder where peer.hello != nil { say(.goodbye, to: handle) }
    failWaiters(FlushError(.closed, "The replica was closed while somebody waited for it."))
    failForgetting(FlushError(.closed, "The replica was closed while somebody waited for it."))
    endAnswers()
    endProgress()
    serveSynchronizing(now: clock.uptime())
    link.stop(linger: linger)
    configuration.lifeSigns?.leave(identity.store.description)
    // Of an id under which something was said that the log does not hold no more may be written.
    try await log.close(continuing: isWhole ? replica : newReplicaID())
  }

  /// Ends at once and unsaid, as a process does that is killed; whoever waits is told. For simulations.
  package func abandon() {
    phase = .closed
    configuration.lifeSigns?.leave(identity.store.description)
    failWaiters(FlushError(.closed, "The replica ended."))
    failForgetting(FlushError(.closed, "The replica ended."))
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
      store: identity.store, isDurable: identity.isDurable && logError == nil, logError: logError,
      isLogRetried: logError != nil && !isLogLost, unsaved: unsaved, quarantined: quarantined,
      peers: peersNow,
      endpoints: configuration.endpoints, documents: documents.keys.sorted { $0.name < $1.name },
      counters: countersNow, daemons: daemonsNow, oneWayLinks: oneWayLinksNow)
  }

  // MARK: Documents

  private struct Recovered {
    var document = Document()
    var recordByteCount = 0
    var snapshotByteCount = 0
    var floor = Version()
    var members: [LogMember] = []
    var leases: [LogLease] = []
  }

  private func recover(_ id: DocumentID) async throws -> Recovered {
    let stored = try await log.recover(id)
    var recovered = Recovered(members: stored.members, leases: stored.leases)
    // As when its changes were merged first: a removal may come before a move that had not seen it.
    recovered.document.holdsRemovedObjects = true
    do {
      if let snapshot = stored.snapshot {
        recovered.document = try SnapshotCoding.open(snapshot.bytes, limits: .own)
        recovered.document.holdsRemovedObjects = true
        recovered.snapshotByteCount = snapshot.bytes.count
        recovered.floor = snapshot.version
      }
      for record in stored.records {
        recovered.recordByteCount += record.bytes.count
        var patch = Patch()
        switch try Batch.merge(record.bytes, into: &recovered.document, patch: &patch, limits: .own) {
        case .merged, .duplicate: break
        case .notYet(let missing), .lacksAnchors(let missing):
          // Going on without it could use its dots a second time.
          throw LogError(.corrupt, "The log of '\(id)' lacks \(missing), on which changes in it stand.")
        }
      }
    } catch let error as LogError {
      throw error
    } catch {
      throw LogError(.corrupt, "What the log holds of '\(id)' cannot be read.", cause: error)
    }
    return recovered
  }

  private func host(_ id: DocumentID, _ recovered: Recovered) -> DocumentHandle {
    let handle = DocumentHandle(
      id: id, replica: replica, document: recovered.document, epoch: epoch,
      backlogByteCountMax: configuration.backlogByteCountMax, transactionTimeout: configuration.transactionTimeout,
      tracer: configuration.tracer, now: clock.wallMilliseconds)
    let hosted = HostedDocument(
      handle: handle, stream: newStream(), policy: DocumentSession.Policy(),
      members: members(recovered.members, beside: recovered.document.version), own: ownWrites(recovered.members),
      leases: leaseBook(recovered.leases))
    noteLeases(of: hosted)
    hosted.recordByteCount = recovered.recordByteCount
    hosted.snapshotByteCount = recovered.snapshotByteCount
    hosted.floor = recovered.floor
    handle.keepSpare(spareReplica)
    attend(to: handle)
    documents[id] = hosted
    documentsInOrder.insert(hosted, at: placeInOrder(of: id))
    documentsByTopic[hosted.stream.topic, default: []].append(hosted)
    documentsByTopic[PublishedFrame.sideTopicNumber(of: id), default: []].append(hosted)
    rouse(hosted)
    reviewBehind(of: hosted)
    if isFoldDue(hosted) { owe(hosted) }
    for dialled in endpoints.values { subscribe(to: hosted, at: dialled) }
    for (peer, _) in peersInOrder where follows(peer) { beginFollowing(peer, in: hosted) }
    for (peer, _) in peersInOrder where serves(peer) { sayHave(of: hosted, to: peer) }
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
    tickAstir(now: now)
    serveSynchronizing(now: now)
    serveLateWaiters(now: now)
    reviewTrustIfDue(now: now)
    serveForgetWaiters(now: now)
    emptyForgotten()
    if now >= nextHeartbeat {
      nextHeartbeat = now + configuration.heartbeat
      for hosted in documentsInOrder {
        sendHeartbeat(hosted)
        rememberMembers(of: hosted)
        letGo(in: hosted)
        reviewBehind(of: hosted)
        hosted.mustAcknowledge = true
        rouse(hosted)
      }
      greetAgain()
      tellWriters()
      tellEquivocations()
      reviewOneWayLinks(now: now)
      reviewBudgets()
      reviewAnswers(now: now)
    }
    tickMembership(now: now)
    reviewLeasesIfDue(now: now)
    if now >= nextFold {
      nextFold = now + configuration.foldInterval
      foldWhatIsOld()
    }
    if now >= nextDiscovery {
      nextDiscovery = now + configuration.discoveryInterval
      discover()
    }
  }

  var countersNow: EngineCounters {
    var counters = counters
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
