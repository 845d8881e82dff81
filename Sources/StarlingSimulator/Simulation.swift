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
/// - that a store holds whatever it said is durable, to its own writers and to others, after every start;
/// - that a replica id goes on only where it left off.
///
/// Nothing here depends on anything but the arguments and the calls made, so the same seed gives the
/// same run; `trace.hash` tells. To be used from one thread at a time.
public final class Simulation {
  /// Writes to a document of a running replica, at random.
  public typealias Activity = (DocumentHandle, inout SeededGenerator) -> Void

  public let seed: UInt64
  public let documents: [DocumentID]
  public let trace = Trace()
  /// What was seen that must not be, in words.
  public internal(set) var violations: [String] = []

  let network: MemoryNetwork
  let weather: SimulatedWeather
  let topology: Topology
  let activity: Activity
  var faults: Faults
  var generator: SeededGenerator
  var replicas: [SimulatedReplica] = []
  /// What is to happen at a later moment, ends of faults mostly.
  var agenda: [(moment: Duration, action: () -> Void)] = []
  /// Every version that was seen of a document, and its digest.
  var digestsSeen: [DocumentID: [Version: Digest]] = [:]
  var nextCheck = Duration.zero
  /// Of processes that have ended.
  var countersOfThePast = EngineCounters()
  let fault: PlantedFault?
  /// By which processes prove that they have ended.
  let signs = MemoryLifeSigns()

  /// Expected writes a second in the whole group.
  static let writesPerSecond = 20.0

  /// - Parameters:
  ///   - seed: gives all that is drawn at random.
  ///   - replicas: how many there are.
  ///   - faults: what goes wrong until `heal`.
  ///   - documents: the names of the documents that all replicas open.
  ///   - history: how much of it the logs keep.
  ///   - guests: how many of them, the last ones, keep nothing.
  ///   - activity: what replicas do; called some twenty times a second.
  public convenience init(
    seed: UInt64, replicas: Int = 3, topology: Topology = .mesh, faults: Faults = .none,
    documents: [DocumentID] = [DocumentID("shared")!], history: EngineConfiguration.History = .everything,
    guests: Int = 0, activity: @escaping Activity = Workload.everyday
  ) {
    self.init(
      seed: seed, replicas: replicas, topology: topology, faults: faults, documents: documents, history: history,
      guests: guests, activity: activity, fault: nil)
  }

  /// - Parameter fault: what the program itself gets wrong, in every process.
  package init(
    seed: UInt64, replicas count: Int, topology: Topology, faults: Faults, documents: [DocumentID],
    history: EngineConfiguration.History, guests: Int = 0, activity: @escaping Activity = Workload.everyday,
    fault: PlantedFault?
  ) {
    self.seed = seed
    self.topology = topology
    self.faults = faults
    self.documents = documents
    self.activity = activity
    self.fault = fault
    generator = SeededGenerator(seed: seed)
    let weather = SimulatedWeather(faults: faults, generator: generator.fork(), trace: trace)
    self.weather = weather
    network = MemoryNetwork { weather.decide($0, now: $1) }
    for index in 0..<count {
      let skew = faults.clockSkew
      replicas.append(
        SimulatedReplica(
          index: index, store: StoreID(rawValue: generator.next()), history: history,
          clock: SimulatedClock(network: network, offset: generator.duration(in: .zero - skew...skew)),
          isGuest: index >= count - guests))
    }
    for replica in replicas { start(replica) }
  }

  deinit {
    // Whoever waits for what will not come any more is told.
    network.executor.runJobs()
    for process in replicas.compactMap(\.process) { network.executor.run { process.kill() } }
    network.executor.runJobs()
  }

  // MARK: Running

  /// The time in the simulated world.
  public var now: Duration { network.now }

  /// Lets the group live for a while: writes, faults, and checks.
  public func run(for duration: Duration) {
    let end = now + duration
    while now < end, violations.isEmpty {
      let step = min(generator.duration(in: .milliseconds(1) ... .milliseconds(20)), end - now)
      let seconds = Double(step.microseconds) / 1e6
      bringFaults(within: seconds)
      if generator.chance(Self.writesPerSecond * seconds) { act() }
      advance(by: step)
    }
    check()
  }

  /// Lets time pass in which nobody writes and nothing goes wrong.
  public func idle(for duration: Duration) {
    let end = now + duration
    while now < end, violations.isEmpty { advance(by: min(.milliseconds(50), end - now)) }
    check()
  }

  /// Ends all faults: every process is up, every frame arrives.
  public func heal() {
    trace.note("heal", at: now)
    faults = .none
    weather.calm()
    // Whatever was to end later ends now.
    let ends = agenda.sorted { $0.moment < $1.moment }
    agenda = []
    for end in ends { end.action() }
    for replica in replicas {
      if replica.isFrozen { thaw(replica) }
      setOnline(true, replica)
      endTransactions(of: replica)
    }
  }

  /// Runs until all replicas hold the same, nobody writing any more.
  ///
  /// - Returns: false if they do not within `limit`, or something was seen that must not be.
  public func settle(atMost limit: Duration = .seconds(120)) -> Bool {
    let end = now + limit
    while violations.isEmpty {
      advance(by: .milliseconds(50))
      check()
      if hasConverged { break }
      guard now < end else {
        report(violation: "no convergence within \(limit.inSeconds) s: \(standing)")
        break
      }
    }
    checkAcknowledged()
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

  /// How often each of the replica ids was lent that the first relay lends of a document.
  package func loanNumbers(of document: DocumentID) -> [UInt64] {
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
    (["seed \(seed), \(replicas.count) replicas, \(topology)"] + violations + ["the last of \(trace.count) lines:"]
      + trace.lines).joined(separator: "\n")
  }

  // MARK: Steps

  func advance(by step: Duration) {
    network.run(for: step)
    while let index = agenda.indices.filter({ agenda[$0].moment <= now }).min(by: {
      agenda[$0].moment < agenda[$1].moment
    }) {
      agenda.remove(at: index).action()
    }
    for replica in replicas { welcome(replica) }
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

  /// One write, or the beginning or end of a longer transaction, somewhere.
  private func act() {
    guard let replica = replicas.filter({ $0.isRunning }).randomElement(using: &generator),
      let document = documents.randomElement(using: &generator), let handle = handle(of: document, at: replica)
    else { return }
    if replica.openTransactions.contains(document) {
      if generator.chance(0.5) { endTransaction(of: document, at: replica, handle) }
    } else if generator.chance(0.05) {
      handle.beginTransaction()
      replica.openTransactions.insert(document)
    }
    activity(handle, &generator)
    trace.note("\(replica.name) writes to '\(document)': \(handle.version)", at: now)
    if generator.chance(0.3) { replica.process?.flush(document, of: handle, on: network.executor) }
  }

  func endTransactions(of replica: SimulatedReplica) {
    for document in documents where replica.openTransactions.contains(document) {
      if let handle = handle(of: document, at: replica) { endTransaction(of: document, at: replica, handle) }
    }
  }

  private func endTransaction(of document: DocumentID, at replica: SimulatedReplica, _ handle: DocumentHandle) {
    replica.openTransactions.remove(document)
    handle.endTransaction(message: generator.chance(0.5) ? "from \(replica.name)" : nil)
  }

  func handle(of document: DocumentID, at replica: SimulatedReplica) -> DocumentHandle? {
    guard let process = replica.process else { return nil }
    return network.executor.run { process.engine.assumeIsolated { $0.openDocument(document) } }
  }
}
