public import StarlingCore
import StarlingSession
import StarlingWire

/// Runs a replica: hands over to `Replication` what happens, and performs what that decides, through a `ChangeLog` and
/// a `PeerLink`.
///
/// ```
///   writers ─► DocumentHandle ─ wake ─► ┌───────────────┐ ─ publish ─► PeerLink
///                                       │ ReplicaEngine │
///   PeerLink ─────── receive ─────────► │  Replication  │ ─ append ──► ChangeLog ─ durable ─► acknowledge
///                                       └───────────────┘
/// ```
///
/// The actor runs on the link's thread, so what arrives is handled where it was read.
public actor ReplicaEngine {
  /// The link's thread, on which the actor runs.
  public nonisolated let unownedExecutor: UnownedSerialExecutor
  /// The link's thread for tasks too, where it offers that: a task that waited then goes on there,
  /// and not by way of the shared pool.
  let taskExecutor: (any TaskExecutor)?
  let link: any PeerLink
  let log: any ChangeLog
  let clock: EngineClock
  let configuration: EngineConfiguration
  var generator: any RandomNumberGenerator & Sendable
  let report: @Sendable (EngineEvent) -> Void

  /// What the replica and its models hold.
  weak var lifetime: EngineLifetime?

  var phase = Phase.idle
  /// How often the link brings the occasion to do what is due.
  private var tick: Duration
  var opened = OpenedLog(store: StoreID(rawValue: 0), replica: nil, documents: [], isDurable: false)

  /// Everything that is decided. Final, so that it is read where it stands: through an accessor, an unoptimized build
  /// reads it after the accessor's frame is gone (Documentation/Decisions/large-values-are-returned.md).
  final var replication: Replication
  private var isPerforming = false
  /// While everything that a turn of the link brought is handed over: it belongs to one moment.
  private var isInTurn = false
  /// Empty: memory for the next effects.
  private var spareEffects: [Replication.Effect] = []
  /// What the link refused last when it was to dial.
  var dialRefusal: (any Error)?

  var openDocuments = OpenDocuments()
  let written = WrittenDocuments()
  /// Those who wait for a document that is being opened.
  var openings: [DocumentID: [CheckedContinuation<DocumentHandle, any Error>]] = [:]

  var waitingAnswers = PeerContinuations()
  /// The task that tells the log what waits for it.
  var logging: Task<Void, Never>?
  let waiting = WaitingTasks()
  /// Those that wait for the end of a transaction, by their numbers.
  var flushesAfterTransactions: [UInt64: Flush] = [:]
  /// Waits until the grantor has received what is returned.
  var returning: CheckedContinuation<Void, Never>?

  enum Phase { case idle, running, closed }

  /// - Parameters:
  ///   - link: carries the frames; the engine runs on its thread.
  ///   - log: keeps the changes.
  ///   - configuration: What has a default.
  ///   - clock: Tells the time; a test gives one that it advances.
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
    tick = configuration.tick
    self.clock = clock
    self.generator = generator
    self.report = report
    replication = configuration.replication(epoch: self.generator.next(), log: log)
    unownedExecutor = link.executor.asUnownedSerialExecutor()
    taskExecutor = link.executor as? any TaskExecutor
  }

  // MARK: Deciding

  /// Hands something over, and performs what is decided of it; effects that this brings are performed before those that
  /// are still to come.
  @discardableResult
  func decide<Result>(_ input: (inout Replication) throws -> Result) rethrows -> Result {
    // What comes of an effect belongs to the moment of what that follows from.
    if !isPerforming, !isInTurn {
      readClock()
      setTick(configuration.tick)
    }
    replication.numbers.refill { generator.next() }
    let result = try input(&replication)
    perform()
    return result
  }

  /// What is called between turns may bring something that is awaited.
  private func setTick(_ tick: Duration) {
    guard tick != self.tick, phase == .running else { return }
    self.tick = tick
    link.setTick(tick)
  }

  private func readClock() {
    replication.moment = Replication.Moment(now: clock.uptime(), wall: clock.wallMilliseconds())
  }

  /// Performs what was decided.
  private func perform() {
    guard !replication.effects.isEmpty else { return }
    let isNested = isPerforming
    isPerforming = true
    defer { isPerforming = isNested }
    var effects: [Replication.Effect] = []
    swap(&effects, &spareEffects)
    replication.exchangeEffects(for: &effects)
    for place in effects.indices {
      // Taken out, and so not copied.
      var effect = Replication.Effect.log
      swap(&effect, &effects[place])
      perform(effect)
    }
    guard effects.capacity <= Self.effectCapacityMax else { return }
    // One by one: to remove them at once takes a detour through generic code.
    while !effects.isEmpty { effects.removeLast() }
    // Effects of an effect may have left what is decided next without memory.
    if replication.effectsHaveMemory {
      swap(&effects, &spareEffects)
    } else {
      replication.exchangeEffects(for: &effects)
    }
  }

  private static let effectCapacityMax = 256

  /// Nil for one that was forgotten.
  func document(_ number: DocumentNumber) -> OpenDocument? { openDocuments[number] }

  func document(_ id: DocumentID) -> OpenDocument? { replication.documents.number(of: id).flatMap(document) }

  /// Ascending by name.
  var documentsInOrder: [OpenDocument] { replication.documents.inOrder.compactMap(document) }

  /// Begins a task on the engine's executor.
  @discardableResult
  func begin(_ work: @escaping @Sendable (isolated ReplicaEngine) async -> Void) -> Task<Void, Never> {
    if let taskExecutor { return Task(executorPreference: taskExecutor) { await work(self) } }
    // A task with a preference begins on the shared pool where there is nothing to prefer: two more threads to wake.
    return Task { await work(self) }
  }

  /// Begins a task beside the engine, for work that goes through all of a document; the engine continues.
  @discardableResult
  func beginBeside<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
    Task(executorPreference: configuration.background ?? taskExecutor, operation: work)
  }

  // MARK: Life

  /// Opens the log and begins to listen.
  ///
  /// - Throws: `LogError` where the log cannot be opened, `LinkError` where the link cannot start, `ShardError` where the
  ///   log holds documents of another shard than the relay is to serve: it is left as it was.
  public func start() async throws {
    precondition(phase == .idle, "ReplicaEngine.start is called once")
    opened = try await log.open()
    do {
      if let error = replication.refusal(toServe: opened.documents) { throw error }
      try link.start(tick: configuration.tick) { [weak self] events in
        let receiver: (any LinkReceiver)? = self
        receiver?.receive(events)
      }
    } catch {
      phase = .closed
      try? await log.close(continuing: opened.replica ?? drawReplicaID())
      throw error
    }
    phase = .running
    waiting.beginServing()
    let opened = opened
    decide {
      $0.begin(
        store: opened.store, isDurable: opened.isDurable, replica: opened.replica,
        generations: opened.generations.table(isDurable: opened.isDurable), forgotten: opened.forgotten,
        damage: opened.damage, refusal: opened.refusal, keepsCheckpoints: log.keepsCheckpoints)
    }
    if configuration.isRelay { try await openStored(opened.documents) }
    discover()
  }

  /// Accepts peers at `endpoint`, and tells those who connect from now on that they may dial it.
  ///
  /// - Returns: the endpoint as peers dial it.
  @discardableResult
  public func bind(_ endpoint: String) throws -> String {
    let bound = try link.bind(endpoint)
    decide { $0.bind(bound) }
    return bound
  }

  /// Dials a peer, again whenever the connection is lost.
  public func connect(to endpoint: String) throws {
    dialRefusal = nil
    decide { $0.connect(to: endpoint) }
    if let dialRefusal { throw dialRefusal }
  }

  /// Works offline, or joins the peers again. Offline, writes are kept and logged, and no peer hears
  /// or is heard; each side catches up afterwards.
  public func setOnline(_ isOnline: Bool) {
    guard isOnline != replication.isOnline, phase == .running else { return }
    decide { $0.setOnline(isOnline) }
  }

  /// Publishes and logs what is left, says goodbye, and leaves the log so that the next start may
  /// go on under the same replica id.
  public func close(linger: Duration = .milliseconds(200)) async throws {
    guard phase == .running, !replication.isClosing else { return }
    decide { $0.beginClosing() }
    var before = 0
    repeat {
      before = replication.pipeline.commitCount
      for document in documentsInOrder { takeOutbox(of: document) }
      replication.pipeline.hasten()
      startLogging()
      await logging?.value
    } while replication.pipeline.mayTakeMore(than: before)
    await keepWriters()
    await writeLastCheckpoints()
    let isWhole = replication.pipeline.isWhole
    for document in documentsInOrder {
      document.handle.withdrawPresence()
      sayPresence(of: document)
    }
    await returnLeases()
    decide { $0.leave() }
    end()
    link.stop(linger: linger)
    configuration.lifeSigns?.leave(opened.store.description)
    // Of an id under which something was said that the log does not hold no more may be written.
    try await log.close(continuing: isWhole ? replication.replica : drawReplicaID())
  }

  /// Ends at once and unsaid, as a process does that is killed; whoever waits is told. For simulations.
  package func abandon() {
    end()
    configuration.lifeSigns?.leave(opened.store.description)
    endReturning()
  }

  /// Whoever waits or watches is told.
  private func end() {
    phase = .closed
    waiting.endServing()
    decide { $0.endWaiting() }
    waitingAnswers.resume(.all, for: nil)
    openDocuments.finishWatching()
  }

  func drawReplicaID() -> ReplicaID { ReplicaID(rawValue: generator.next()) }

  // MARK: The link

  /// Everything that the link's thread brings: what arrived, and the occasion to do what is due.
  func receive(_ events: [LinkEvent]) {
    guard phase == .running else { return serveCancelledWaiters() }
    readClock()
    isInTurn = true
    defer { isInTurn = false }
    var rest = events[...]
    while let event = rest.first {
      if case .published(let peer, _) = event {
        let frames = rest.takeFrames(publishedBy: peer)
        decide { $0.hear(published: frames, from: peer) }
      } else {
        receive(event)
        rest.removeFirst()
      }
    }
    // Before what was written is taken: a flush covers what was written before it.
    let flushes = waiting.takeFlushes()
    if replication.isClosing {
      serve(flushes)
      if !replication.isReturning { endReturning() }
    } else {
      takeWritten()
      serve(flushes)
      decide { $0.tick() }
      openDocuments.emptyDropped()
      startLogging(isAwaited: !replication.waiters.isEmpty)
      setTick(replication.tickInterval(usual: configuration.tick))
    }
    serveCancelledWaiters()
  }

  private func receive(_ event: LinkEvent) {
    switch event {
    case .opened(let peer, let isDialled, let identity):
      let entry = identity.key.flatMap { configuration.allowlist($0, isDialled) }
      decide { $0.opened(peer, isDialled: isDialled, as: identity, entry: entry) }
    case .turnedAway(let stranger):
      decide { $0.turnedAway(AccessEvent(stranger), isRevocation: stranger.reason == .revoked) }
    case .handshakeFailed(_, let endpoint, let failure): decide { $0.handshakeFailed(at: endpoint, failure) }
    case .closed(let peer, _): decide { $0.closed(peer) }
    case .published(let peer, let frame): decide { $0.hear(published: [frame], from: peer) }
    case .direct(let peer, let bytes): decide { $0.receive(direct: bytes, from: peer) }
    }
  }

  /// Hands over what was written or said here since the last turn.
  private func takeWritten() {
    for number in written.take() {
      guard let document = document(number) else { continue }
      replication.activate(number)
      takeOutbox(of: document)
      sayPresence(of: document)
    }
  }

  // MARK: Documents

  /// Opens a document: recovers it from the log, joins its topic, follows the peers that are here.
  /// The same handle for every call.
  ///
  /// - Throws: `LogError` where what the log holds cannot be read.
  public func open(_ document: DocumentID) async throws -> DocumentHandle {
    replication.keepOpen(document)
    return try await load(document)
  }

  /// Opens a document that is closed again where nobody uses it.
  private func load(_ document: DocumentID) async throws -> DocumentHandle {
    guard phase == .running else {
      throw LogError(.misuse, "'\(document)' is opened while the replica is not running.")
    }
    switch try replication.open(document) {
    case .isOpen(let number): if let open = self.document(number) { return open.handle }
    case .isUnderWay:
      return try await withCheckedThrowingContinuation { openings[document, default: []].append($0) }
    case .begins: break
    }
    let outcome: Result<DocumentHandle, any Error>
    do {
      let recovered = try await RecoveredState.read(document, from: log, report)
      guard phase == .running else { throw CancellationError() }
      try replication.recovered(document)
      replication.counters.recordsReplayed += recovered.recordsReplayed
      outcome = .success(host(document, recovered))
    } catch {
      decide { $0.failedToOpen(document, error) }
      outcome = .failure(error)
    }
    for continuation in openings.removeValue(forKey: document) ?? [] { continuation.resume(with: outcome) }
    return try outcome.get()
  }

  /// Opens what the log holds, but for what is damaged; of many documents as many as may be open.
  ///
  /// - Throws: where nothing of it can be opened.
  private func openStored(_ documents: [DocumentID]) async throws {
    for document in documents.dropFirst(configuration.openDocumentCountMax) { replication.foundClosed(document) }
    for document in documents.prefix(configuration.openDocumentCountMax) {
      do {
        _ = try await load(document)
      } catch {
        guard replication.damaged[document] != nil else { throw error }
      }
    }
    if let damage = replication.damageOfAll { throw damage }
  }

  private func host(_ id: DocumentID, _ recovered: RecoveredState) -> DocumentHandle {
    let handle = DocumentHandle(
      id: id, replica: replication.replica, document: recovered.document, epoch: replication.identity.epoch,
      backlogByteCountMax: configuration.backlogByteCountMax, transactionTimeout: configuration.transactionTimeout,
      tracer: configuration.tracer, now: clock.wallMilliseconds)
    decide {
      let number = $0.host(id, at: recovered.document.version, recovered.remembered)
      openDocuments.add(OpenDocument(number, handle))
      attend(to: handle, as: number)
    }
    return handle
  }

  /// Opens a document that a peer spoke of, and heeds what it said then.
  func open(_ document: DocumentID, for peer: PeerHandle, heeding message: Message?) async {
    let account = replication.account(of: peer)
    do {
      _ = try await load(document)
      decide { $0.opened(for: peer, heeding: message) }
    } catch {
      decide { $0.failedToOpen(document, for: peer, account: account, error as? LogError) }
    }
  }

  /// Opens a document for other daemons, which are told of it then.
  func reopen(_ document: DocumentID) async {
    do {
      _ = try await load(document)
    } catch {
      decide { $0.failedToReopen(document, error as? LogError) }
    }
  }

  /// The handle of a document that is open already.
  package func openDocument(_ document: DocumentID) -> DocumentHandle? { self.document(document)?.handle }

  /// The documents that the log held when it was opened.
  package var storedDocuments: [DocumentID] { opened.documents }
}

/// The engine, as the link tells it what arrived. Each call runs on the link's executor, and checks that: by
/// `assumeIsolated` it would be checked twice, with a closure between.
private protocol LinkReceiver: AnyObject, Sendable {
  func receive(_ events: [LinkEvent])
}

extension ReplicaEngine: @preconcurrency LinkReceiver {}
