public import StarlingCore
public import StarlingEngine
import StarlingGuard
import StarlingSession

/// A group of replicas in one thread, on one seed: the real core, session and engine over a network,
/// clocks and disks that are held in the hand and fail on purpose.
///
/// ```swift
/// let simulation = Simulation(seed: 42, replicas: 4, topology: .mesh, faults: faults)
/// simulation.run(for: .seconds(5))                  // writes, faults, checks
/// simulation.heal()                                 // everybody is up and hears everybody
/// guard simulation.settle(), simulation.violations.isEmpty else { fatalError(simulation.report) }
/// ```
///
/// All the way it holds against what it sees:
/// - the invariants of every document;
/// - that equal versions have equal digests, whenever and wherever they were seen;
/// - that a store holds whatever it said is durable, to its own writers and to others, after every start: by version
///   and, of what was written to be looked for, by content;
/// - that a replica id goes on only where it left off;
/// - that readers are told of what changed for them, and of nothing else;
/// - once all is calm, that everybody reads the same, and that no engine keeps anything back.
///
/// Nothing here depends on anything but the arguments and the calls made, so the same seed gives the
/// same run; `trace.hash` tells. To be used from one thread at a time.
public final class Simulation {
  /// Writes to a document of a running replica, at random.
  public typealias Activity = (DocumentHandle, inout SeededGenerator) -> Void

  public let schedule: Schedule
  public let trace = Trace()
  /// What was seen that must not be, in words.
  public internal(set) var violations: [String] = []
  /// What happened so far, to be repeated by a schedule.
  public internal(set) var steps: [Step] = []

  /// How often each sort of thing was done, by users and by faults: `Action.name` and `Edit.name`.
  public internal(set) var doings: [String: Int] = [:]

  /// How long the group took, by its own clock, until all held the same and nothing was kept for later.
  public private(set) var settlingTime = Duration.zero

  let network: MemoryNetwork
  let networkFaults: SimulatedNetworkFaults
  let activity: Activity?
  var faults: Faults
  private(set) var isHealed = false
  /// Draws what happens; nothing else, so that a run repeated by its steps is the same run.
  var generator: SeededGenerator
  var replicas: [SimulatedReplica] = []
  /// What is to happen at a later moment, ends of faults mostly.
  var agenda: [(moment: Duration, action: () -> Void)] = []
  /// Every version that was seen of a document, and how it stood then.
  var digestsSeen: [DocumentID: [VersionVector: SeenState]] = [:]
  /// What takes a while: each goes on if it has ended, and tells.
  var underWay: [() -> Bool] = []
  var witnesses: [DocumentID: WitnessLedger] = [:]
  var nextWitness = 0
  var nextCheck = Duration.zero
  /// Of processes that have ended.
  var countersOfThePast = EngineCounters()
  let fault: PlantedFault?
  /// What each member may do; nil where nobody proves a key.
  let allowlist: Allowlist?
  private(set) var hostile: HostilePeer?
  private(set) var hostileRelay: HostileRelay?
  /// Processes on copies of stores, while they run.
  var copies: [SimulatedReplica] = []
  var copyCount = 0
  /// Those whose program has said that what they wrote never reaches the group, and to go on with a new store.
  let disowned = Shared<Set<String>>([])
  /// Those that were told that what they wrote stands on what nobody has.
  let standsOnNothing = Shared<Set<String>>([])
  /// Up to where the operations of a replica id still stand; the later ones were written again under another id.
  let writtenAgain = Shared<[DocumentID: [ReplicaID: UInt64]]>([:])
  /// Documents that hold what no daemon does, as somebody was told.
  let toldStranded = Shared<Set<DocumentID>>([])
  /// By which processes prove that they have ended.
  let signs = MemoryLifeSigns()

  /// How far apart the moments are at which steps are drawn and the processes looked at.
  static let interval = Duration.milliseconds(10)

  /// - Parameters:
  ///   - seed: gives all that is drawn at random.
  ///   - replicas: how many there are.
  ///   - topology: Which replicas dial which.
  ///   - faults: what goes wrong until `heal`.
  ///   - documents: the names of the documents that all replicas open.
  ///   - history: how much of it the logs keep.
  ///   - guests: how many of them, the last ones, keep nothing.
  ///   - theme: what replicas mostly do.
  ///   - activity: what they do in place of that; called some twenty times a second.
  public convenience init(
    seed: UInt64, replicas: Int = 3, topology: Topology = .mesh, faults: Faults = .none,
    documents: [DocumentID] = [DocumentID("shared")!], history: EngineConfiguration.History = .everything,
    guests: Int = 0, theme: Theme = .everything, activity: Activity? = nil
  ) {
    var schedule = Schedule(calm: seed)
    schedule.replicas = replicas
    schedule.topology = topology
    schedule.faults = faults
    schedule.documents = documents
    schedule.history = history
    schedule.guests = guests
    schedule.theme = theme
    self.init(schedule, activity: activity)
  }

  /// The group of a schedule, which `run` lets do what the schedule says.
  public convenience init(_ schedule: Schedule, activity: Activity? = nil) {
    self.init(schedule, activity: activity, planting: nil)
  }

  /// - Parameters:
  ///   - fault: what the program itself gets wrong, in every process.
  ///   - stores: makes the disks of those that keep what they hear; nil for disks in memory.
  package init(
    _ schedule: Schedule, activity: Activity? = nil, planting fault: PlantedFault?, stores: SimulatedStoreMaker? = nil
  ) {
    self.schedule = schedule
    self.activity = activity
    self.fault = fault
    allowlist = schedule.hasKeys ? Allowlist() : nil
    if stores != nil { doings["storesInFiles"] = 1 }
    faults = schedule.faults
    generator = SeededGenerator(seed: schedule.seed)
    let networkFaults = SimulatedNetworkFaults(faults: faults, generator: generator.fork(), trace: trace)
    self.networkFaults = networkFaults
    network = MemoryNetwork { networkFaults.decide($0, now: $1) }
    let makeStore = stores.map { [executor = network.executor] make in { (store: StoreID) in make(store, executor) } }
    for index in 0..<schedule.replicas {
      let skew = faults.clockSkew
      replicas.append(
        SimulatedReplica(
          index: index, generator: generator.fork(), schedule: schedule,
          clock: SimulatedClock(network: network, offset: generator.duration(in: .zero - skew...skew)),
          hasWritingObserver: generator.chance(Double(schedule.theme.habits.writingObservers) / 100),
          stores: makeStore))
    }
    for replica in replicas {
      let relays = schedule.topology.relays(replica.index, of: schedule.replicas)
      allowlist?.letIn(replica.name, as: relays ? .relays : .writes)
    }
    if schedule.hostileRole == .relays { hostileRelay = makeHostileRelay() }
    for replica in replicas { start(replica) }
    hostileRelay?.start(dialling: dialledEndpoints, on: network.executor)
    if let allowlist, let role = schedule.hostileRole, role != .relays {
      allowlist.letIn(HostilePeer.name, as: role)
      hostile = HostilePeer(
        on: network, as: allowlist.identity(of: HostilePeer.name), dialling: dialledEndpoints,
        documents: schedule.documents)
    }
  }

  private var dialledEndpoints: [String] {
    replicas.filter { topology.binds($0.index, of: replicas.count) }.map(\.endpoint)
  }

  private func makeHostileRelay() -> HostileRelay? {
    guard let allowlist else { return nil }
    allowlist.letIn(HostilePeer.name, as: .relays, documents: schedule.hostileDocuments)
    let memory = network.makeLink(named: HostilePeer.name, as: allowlist.identity(of: HostilePeer.name))
    let link = SimulatedLink(memory, networkFaults: networkFaults)
    let lying = LyingLink(link, about: schedule.documents, forges: schedule.hostileForges)
    var generator = generator.fork()
    let log = SimulatedLog(
      disk: MemoryLog(store: StoreID(rawValue: generator.next()), isDurable: true), network: network,
      delay: .zero ... .zero, planned: PlannedLogFaults(nil), generator: generator.fork())
    let configuration = makeConfiguration(HostilePeer.name, isRelay: true, history: .everything)
    let engine = makeEngine(
      over: lying, log: log, configuration, SimulatedClock(network: network, offset: .zero), generator.fork())
    return HostileRelay(SimulatedProcess(engine: engine, link: link, log: log), over: lying)
  }

  deinit {
    // Whoever waits for what will not come any more is told.
    network.executor.runJobs()
    let processes = (replicas + copies).compactMap(\.process) + (hostileRelay.map { [$0.process] } ?? [])
    for process in processes { network.executor.run { process.kill() } }
    network.executor.runJobs()
  }

  // MARK: Running

  /// The time in the simulated world.
  public var now: Duration { network.now }

  public var seed: UInt64 { schedule.seed }

  public var documents: [DocumentID] { schedule.documents }

  var promisedDocuments: [DocumentID] { schedule.promisedDocuments }

  var topology: Topology { schedule.topology }

  /// Lets the group live for a while: writes, faults, and checks.
  public func run(for duration: Duration) {
    let end = now + duration
    while now < end, violations.isEmpty {
      let (due, next) = takeSteps(until: end)
      for step in due {
        advance(to: .microseconds(step.microseconds))
        steps.append(step)
        perform(step.action)
      }
      advance(to: next)
    }
    check()
  }

  /// The steps of the next stretch of time, and where that ends: an interval, or more where nothing happens and nobody
  /// looks at anything before then.
  private func takeSteps(until end: Duration) -> ([Step], end: Duration) {
    let nextLook = nextLook
    var (start, next) = (now, min(end, now + Self.interval))
    while true {
      let steps = schedule.steps.map { $0.between(start, next) } ?? drawSteps(from: start, until: next)
      guard steps.isEmpty, next < min(end, nextLook) else { return (steps, next) }
      (start, next) = (next, min(end, next + Self.interval))
    }
  }

  /// When the processes are looked at again: at once where one starts or something is under way, which may end at any
  /// moment.
  private var nextLook: Duration {
    let isWaiting = !underWay.isEmpty || (replicas + copies).contains { $0.process != nil && !$0.isWelcomed }
    return isWaiting ? now : agenda.reduce(nextCheck) { min($0, $1.moment) }
  }

  /// Lets time pass in which nobody writes and nothing goes wrong.
  public func idle(for duration: Duration) {
    let end = now + duration
    while now < end, violations.isEmpty { advance(to: min(now + .milliseconds(50), end)) }
    check()
  }

  /// Ends all faults: every process is up, every frame arrives.
  public func heal() {
    trace.note("heal", at: now)
    faults = .none
    isHealed = true
    networkFaults.calm()
    // Whatever was to end later ends now.
    let ends = agenda.sorted { $0.moment < $1.moment }
    agenda = []
    for end in ends { end.action() }
    for copy in copies { end(copy) }
    cutOffHostileRelay()
    for replica in replicas {
      replica.staysAway = false
      // Whoever looks after it opens it again: what only its memory had is lost, and none of that was acknowledged.
      if replica.process?.log.isBroken == true { crash(replica) }
      startAgain(replica)
      if replica.isFrozen { thaw(replica) }
      setOnline(true, replica)
      replica.process?.log.recover()
      endTransactions(of: replica)
    }
  }

  /// Runs until all replicas hold the same, nobody writing any more.
  ///
  /// - Returns: false if they do not within `limit`, or something was seen that must not be.
  public func settle(timeout limit: Duration = .seconds(120)) -> Bool {
    let (begin, end) = (now, now + limit)
    while violations.isEmpty {
      openClosed()
      advance(to: now + .milliseconds(50))
      check()
      settlingTime = now - begin
      if hasConverged, isQuiet { break }
      guard now < end else {
        if let strandedChanges {
          doings["strandedChanges", default: 0] += 1
          checkAcknowledged(without: strandedChanges)
          for document in strandedChanges.keys where toldStranded.withLock({ !$0.contains(document) }) {
            report(violation: "nobody was told that '\(document)' has stranded changes")
          }
          return violations.isEmpty
        }
        report(
          violation: hasConverged
            ? "all hold the same, and after \(limit.inSeconds) s engines keep what nobody asks for: \(leftovers)"
            : "no convergence within \(limit.inSeconds) s: \(standing)")
        break
      }
    }
    if violations.isEmpty { checkSettled() }
    return violations.isEmpty
  }

  /// The document as a replica has it open; nil while it is down.
  public func document(_ id: DocumentID, at replica: Int) -> DocumentHandle? {
    handle(of: id, at: replicas[replica])
  }

  /// The digests of each document at every replica; nil for one that is down or has a transaction open.
  public var digests: [DocumentID: [Digest?]] {
    Dictionary(
      uniqueKeysWithValues: documents.map { id in (id, replicas.map { handle(of: id, at: $0)?.digestWithVersion()?.0 })
      })
  }

  /// What all processes have done so far, those that have ended included.
  public var counters: EngineCounters {
    var sum = countersOfThePast
    for process in replicas.compactMap(\.process) { sum += counters(of: process) }
    return sum
  }

  /// How many calls the processes of a replica made of its log so far.
  public func logCallCount(of replica: Int) -> Int { replicas[replica].plannedLogFaults.callCount }

  /// How often each replica id was leased that the first relay leases for a document.
  package func leaseNumbers(of document: DocumentID) -> [UInt64] {
    guard let process = replicas.first(where: { topology.relays($0.index, of: replicas.count) })?.process else {
      return []
    }
    return network.executor.run { process.engine.assumeIsolated { $0.leases(of: document).map(\.number) } }
  }

  func counters(of process: SimulatedProcess) -> EngineCounters {
    network.executor.run { process.engine.assumeIsolated { $0.status().counters } }
  }

  /// The seed, what was violated, and the last lines of the trace.
  public var report: String {
    (["seed \(seed), \(replicas.count) replicas, \(topology), \(schedule.theme)"] + violations
      + ["the last of \(trace.count) lines:"] + trace.lines).joined(separator: "\n")
  }

  /// Its key is revoked, and it is gone.
  private func cutOffHostileRelay() {
    guard let relay = hostileRelay else { return }
    trace.note("the hostile relay is cut off", at: now)
    allowlist?.reduce(HostilePeer.name, to: nil)
    network.executor.run { relay.process.kill() }
    network.executor.runJobs()
    hostileRelay = nil
  }

  // MARK: Time

  /// Lets time pass until `moment`, doing what comes due.
  func advance(to moment: Duration) {
    while let index = agenda.indices.min(by: { agenda[$0].moment < agenda[$1].moment }), agenda[index].moment <= moment
    {
      let due = agenda.remove(at: index)
      if due.moment > now { network.run(for: due.moment - now) }
      due.action()
    }
    if moment > now { network.run(for: moment - now) }
    goOnWithWhatIsDone()
    for replica in replicas + copies { welcome(replica) }
    replaceDisownedStores()
    if now >= nextCheck {
      nextCheck = now + .milliseconds(100)
      check()
    }
  }

  func later(_ delay: Duration, _ action: @escaping () -> Void) {
    agenda.append((now + delay, action))
  }

  func report(violation: String) {
    trace.note("VIOLATION \(violation)", at: now)
    violations.append(violation)
  }

  func handle(of document: DocumentID, at replica: SimulatedReplica) -> DocumentHandle? {
    guard let process = replica.process else { return nil }
    if let handle = replica.handles[document] { return handle }
    let handle = network.executor.run { process.engine.assumeIsolated { $0.openDocument(document) } }
    if !closesDocuments(replica) { replica.handles[document] = handle }
    return handle
  }

  /// Whether the replica closes documents that nobody uses.
  func closesDocuments(_ replica: SimulatedReplica) -> Bool {
    schedule.closesDocuments && topology.relays(replica.index, of: replicas.count)
  }

  /// Now that all is calm, somebody looks at every document everywhere.
  func openClosed() {
    for replica in replicas where closesDocuments(replica) && replica.isRunning {
      guard let process = replica.process else { continue }
      for document in promisedDocuments where handle(of: document, at: replica) == nil {
        Task(executorPreference: network.executor) { [engine = process.engine] in _ = try? await engine.open(document) }
      }
    }
  }
}

extension [Step] {
  /// Those of a stretch of time, which must be in order.
  fileprivate func between(_ start: Duration, _ end: Duration) -> [Step] {
    filter { start.microseconds <= $0.microseconds && $0.microseconds < Int(end.microseconds) }
  }
}
