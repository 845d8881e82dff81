/// What goes wrong, and how often.
public struct Faults: Hashable, Sendable {
  // Frames
  /// Share of frames that never arrive.
  public var loss = 0.0
  /// Share of frames that arrive twice.
  public var duplication = 0.0
  /// Share of frames in whose place bytes arrive that nobody meant to send. (A link notices damage
  /// in transit; what passes it unnoticed is a program with a fault, or a stranger.)
  public var corruption = 0.0
  /// How long a frame takes. Frames overtake each other where this is a range.
  public var delay: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(1)

  // Happenings, in expected number per second of the whole group
  /// Some cannot reach some others, in one direction or in both, for a while.
  public var partitions = 0.0
  /// A connection breaks and is made again.
  public var interruptions = 0.0
  /// A process works offline for a while, as its program may tell it to.
  public var absences = 0.0
  /// A process stands still for a while, and then goes on.
  public var freezes = 0.0
  /// A process is killed, and started again after a while. An append under way is kept whole or not at all.
  public var crashes = 0.0
  /// A process closes in good order and is started again.
  public var restarts = 0.0
  /// A process's disk refuses from now on, until its next start.
  public var diskFailures = 0.0
  /// A process is killed, and its store is what a backup made earlier holds when it starts again.
  public var restorations = 0.0
  /// A process is killed and never seen again, with its store. (Never the first, which may be the only relay.)
  public var departures = 0.0
  /// Some cannot reach some others, now and then, many times in a row.
  public var flaps = 0.0
  /// The disk of a process keeps nothing of what it accepted lately, and the process is killed.
  public var powerLosses = 0.0
  /// A process is killed, and comes back when everything else has ended.
  public var longAbsences = 0.0
  /// A key may do less for a while. (Only where members have keys.)
  public var reducedRoles = 0.0
  /// A member comes with another key. (Only where members have keys.)
  public var replacedKeys = 0.0
  /// The hostile peer speaks. (Only where there is one.)
  public var lies = 0.0
  /// A process's wall clock jumps.
  public var clockJumps = 0.0
  /// A process's disk fails with an error that does not pass; it works for the next process.
  public var brokenDisks = 0.0
  /// A log does what it is asked to, and its answers are lost for a while.
  public var lostLogAnswers = 0.0
  /// A copy of a store runs beside it for a while.
  public var copiedStores = 0.0
  /// A closed store is kept, or put back with its clean-shutdown marker.
  public var closedStoresPutBack = 0.0
  /// A key is listed under another name. (Only where members have keys.)
  public var renamedKeys = 0.0

  /// How long partitions, freezes and absences last.
  public var duration: ClosedRange<Duration> = .milliseconds(50) ... .seconds(2)
  /// How long the disk takes for one call.
  public var diskDelay: ClosedRange<Duration> = .zero ... .zero
  /// How far a wall clock may be off.
  public var clockSkew: Duration = .zero

  public init() {}

  /// Nothing goes wrong.
  public static let none = Faults()

  /// A mixture drawn at random, from a quiet afternoon to everything at once.
  public static func random(using generator: inout SeededGenerator) -> Faults {
    var faults = Faults()
    func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &generator)! }
    faults.loss = pick([0, 0, 0.01, 0.05, 0.2])
    faults.duplication = pick([0, 0, 0.02, 0.2])
    faults.corruption = pick([0, 0, 0, 0.02])
    faults.delay = .milliseconds(1)...pick([.milliseconds(1), .milliseconds(5), .milliseconds(50), .milliseconds(400)])
    faults.partitions = pick([0, 0, 0.5, 2])
    faults.interruptions = pick([0, 0, 0.5, 2])
    faults.absences = pick([0, 0, 0.5])
    faults.freezes = pick([0, 0, 0.5, 1])
    faults.crashes = pick([0, 0.5, 1, 3])
    faults.restarts = pick([0, 0.5, 1])
    faults.diskFailures = pick([0, 0, 0, 0.3])
    faults.restorations = pick([0, 0, 1])
    faults.departures = pick([0, 0, 0, 0.2])
    faults.clockJumps = pick([0, 0, 0.5])
    faults.flaps = pick([0, 0, 0, 0.5])
    faults.powerLosses = pick([0, 0, 0, 0.7])
    faults.longAbsences = pick([0, 0, 0, 0.3])
    faults.reducedRoles = pick([0, 0.5, 1])
    faults.replacedKeys = pick([0, 0, 0.5])
    faults.lies = pick([2, 10])
    faults.diskDelay = .zero...pick([.zero, .milliseconds(2), .milliseconds(30)])
    faults.clockSkew = pick([.zero, .seconds(1), .seconds(600)])
    return faults
  }

  /// The kinds of a schedule that are drawn from a generator of their own.
  mutating func drawRareKinds(using generator: inout SeededGenerator) {
    func pick(_ values: [Double]) -> Double { values.randomElement(using: &generator)! }
    brokenDisks = pick([0, 0, 0, 0.3])
    lostLogAnswers = pick([0, 0, 0, 0.5])
    copiedStores = pick([0, 0, 0, 0.5])
    closedStoresPutBack = pick([0, 0, 0, 1])
    renamedKeys = pick([0, 0, 0.5])
  }
}

/// Which process dials which.
public enum Topology: Hashable, Sendable, CaseIterable {
  /// Everybody can be dialled, and dials all others.
  case mesh
  /// The first is a daemon that relays; the others dial it and cannot be dialled.
  case star
  /// The first is a daemon; the second can be dialled too; the others dial both and cannot be dialled.
  case mixed
  /// The first two are daemons, or every fiftieth of many; they know of the first and find the others. Each of the
  /// other processes dials one of them and cannot be dialled.
  case daemons

  func binds(_ index: Int, of count: Int) -> Bool {
    switch self {
    case .mesh: true
    case .star: index == 0
    case .mixed: index < 2
    case .daemons: index < Self.daemonCount(of: count)
    }
  }

  func relays(_ index: Int, of count: Int) -> Bool {
    switch self {
    case .mesh: false
    case .star, .mixed: index == 0
    case .daemons: binds(index, of: count)
    }
  }

  /// Whether the processes that relay find each other.
  var gossips: Bool { self == .daemons }

  /// Whether the others get on without it for ever.
  func mayLeave(_ index: Int, of count: Int) -> Bool { index > 0 && !(self == .daemons && relays(index, of: count)) }

  private static func daemonCount(of count: Int) -> Int { max(2, count / 50) }

  /// The processes, of `count`, that the one at `index` dials.
  func dials(_ index: Int, of count: Int) -> [Int] {
    guard self == .daemons else {
      return (0..<count).filter { $0 != index && binds($0, of: count) && (self == .mesh || $0 < index) }
    }
    if binds(index, of: count) { return index == 0 ? [] : [0] }
    return [index % Self.daemonCount(of: count)]
  }
}
