public import StarlingCore
public import StarlingEngine
public import StarlingSession

/// All that decides a run: the group, the network's faults, what its users do, and for how long. It is a value drawn
/// from a seed; with `steps` it repeats a run, or a part of it.
///
/// ```swift
/// let simulation = Schedule(seed: 42).run()
/// guard simulation.violations.isEmpty else { fatalError(simulation.report) }
/// ```
public struct Schedule: Hashable, Sendable {
  public var seed: UInt64
  public var replicas = 3
  public var topology = Topology.mesh
  public var faults = Faults.none
  /// The names of the documents that all replicas open.
  public var documents = [DocumentID("shared")!]
  /// How much of it the logs keep.
  public var history = EngineConfiguration.History.everything
  /// How many of the replicas, the last ones, keep nothing.
  public var guests = 0
  /// Whether members prove keys, those that relay the key of a daemon, and all others one that may write. What the
  /// others say of each other's writes is taken by nobody, so each of them is to dial daemons alone.
  public var hasKeys = false
  /// What the key of a hostile peer may do; nil where there is none. Only where members have keys.
  public var hostileRole: Trust.Role?
  /// Whether a hostile relay also lies about what documents contain. Then its key covers the last document alone, and
  /// nothing is promised of that but that no member fails over it.
  public var hostileForges = false
  /// What every second replica speaks.
  public var oddDialect = Dialect.present
  /// Calls of a log that fail by their number; nil where none do.
  public var failingLogCalls: FailingLogCalls?
  /// Whether logs are told little at a time: past that presence waits, and peers are asked for what they published.
  public var postponesPresence = false
  /// Whether those that relay close documents that nobody uses. Then nobody writes or reads at them.
  public var closesDocuments = false
  public var theme = Theme.everything
  /// Expected doings of users a second in the whole group.
  public var writesPerSecond = 20.0
  /// How long users write and things go wrong.
  public var duration = Duration.seconds(2)
  /// Whether what readers are told is held against what they see, which takes as long as all the rest.
  public var looksAtReaders = true
  /// What happens, in the order of time; nil where it is drawn from the seed.
  public var steps: [Step]?

  /// A calm group of three.
  public init(calm seed: UInt64) {
    self.seed = seed
  }

  /// The schedule of a seed: a small group, from a quiet afternoon to everything at once.
  public init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    faults = .random(using: &generator)
    topology = Topology.allCases.randomElement(using: &generator)!
    replicas = Int.random(in: topology == .mixed || topology == .daemons ? 3...5 : 2...5, using: &generator)
    documents = ["shared", "other"].prefix(generator.chance(0.2) ? 2 : 1).compactMap { DocumentID($0) }
    let otherwise: EngineConfiguration.History = seed.isMultiple(of: 3) ? .days(0) : .everything
    history = generator.chance(0.4) ? .stateOnly(byteCountMin: 300) : otherwise
    theme = Theme.allCases.randomElement(using: &generator)!
    if [.star, .mixed].contains(topology), generator.chance(0.2) {
      guests = Int.random(in: 1..<replicas, using: &generator)
    }
    if topology == .star || topology == .daemons, guests == 0, generator.chance(0.5) {
      hasKeys = true
      if generator.chance(0.6) { hostileRole = generator.chance(0.5) ? .reads : .writes }
    }
    self.seed = seed
    // Apart from the others, which stay what they were under this seed.
    var rare = SeededGenerator(seed: ~seed)
    faults.drawRareKinds(using: &rare)
    if hasKeys, rare.chance(0.3) {
      hostileRole = .relays
      hostileForges = rare.chance(0.7)
      // What one acknowledged that then is gone, its writer must still have as changes: others take nothing else from it.
      if !hostileForges { history = .everything }
      documents = ["shared", "other"].compactMap { DocumentID($0) }
    }
    if rare.chance(0.2) { oddDialect = hasKeys || rare.chance(0.5) ? .later : .earlier }
    postponesPresence = rare.chance(0.15)
    closesDocuments = rare.chance(0.3)
  }

  /// Those whose contents a hostile relay may not touch; everything is promised of them.
  var promisedDocuments: [DocumentID] { hostileForges ? Array(documents.dropLast()) : documents }

  /// Those that the key of a hostile relay covers.
  var hostileDocuments: [DocumentPattern] {
    guard hostileForges, let last = documents.last else { return [.everything] }
    return DocumentPattern(last.name).map { [$0] } ?? []
  }

  /// Runs it whole: users and faults, then calm, then all must hold the same.
  ///
  /// - Parameter activity: what replicas do in place of what the theme draws.
  public func run(activity: Simulation.Activity? = nil) -> Simulation {
    run(activity: activity, planting: nil)
  }

  /// - Parameters:
  ///   - fault: what the program itself gets wrong, in every process.
  ///   - stores: makes the disks of those that keep what they hear; nil for disks in memory.
  package func run(
    activity: Simulation.Activity? = nil, planting fault: PlantedFault?, stores: SimulatedStoreMaker? = nil
  ) -> Simulation {
    let simulation = Simulation(self, activity: activity, planting: fault, stores: stores)
    simulation.run(for: duration)
    simulation.heal()
    _ = simulation.settle(timeout: .seconds(60))
    return simulation
  }
}
