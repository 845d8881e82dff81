import StarlingCore

@testable import StarlingSession

/// The replicas of a group, which ones each dials, and what happens to what they say.
struct GroupShape: Sendable {
  struct Member: Sendable {
    var options: ValueReplica.Options
    var dials: [Int]
  }

  var members: [Member]
  var lossPercentage = 0
  var doublingPercentage = 0
  /// Milliseconds; what is later than what follows it arrives out of order.
  var delayMax = 1
  var logDelayMax = 1
}

/// What is done to a group.
enum GroupStep: Sendable {
  case pass(milliseconds: Int)
  /// - Parameter isReplicated: whether its writer waits until another store has it, and not only its own log.
  case write(Int, GroupEdit, isReplicated: Bool)
  /// One way only.
  case cut(from: Int, to: Int)
  case join(from: Int, to: Int)
  case interrupt(from: Int, to: Int)
  /// - Parameter isStored: whether the log has done what it was told, and only the answer is lost.
  case crash(Int, isStored: Bool)
  case leave(Int)
  case restart(Int)
  case stall(Int)
  case resume(Int)
  case fill(Int)
  case free(Int)
}

/// What is drawn from a seed: a group, and what is done to it.
struct GroupSchedule: Sendable {
  let seed: UInt64
  let shape: GroupShape
  var steps: [GroupStep]

  init(seed: UInt64) {
    self.seed = seed
    var generator = SplitMix(seed: seed)
    shape = GroupShape(drawnFrom: &generator)
    steps = []
    let count = Int.random(in: 8...24, using: &generator)
    for _ in 0..<count { steps.append(Self.step(in: shape, &generator)) }
  }

  private static func step(in shape: GroupShape, _ generator: inout SplitMix) -> GroupStep {
    func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    let (place, other) = (number(shape.members.count), number(shape.members.count))
    return switch number(30) {
    case 0...13: .write(place, GroupEdit.draw(&generator), isReplicated: number(3) == 0)
    case 14...18: .pass(milliseconds: [1, 5, 30, 200, 1500][number(5)])
    case 19: .cut(from: place, to: other)
    case 20: .join(from: place, to: other)
    case 21: .interrupt(from: place, to: other)
    case 22, 23: .crash(place, isStored: number(2) == 0)
    case 24: .leave(place)
    case 25, 26: .restart(place)
    case 27: number(2) == 0 ? .stall(place) : .resume(place)
    case 28: .fill(place)
    default: .free(place)
    }
  }

  /// In virtual time all must be idle so soon after everything is healed.
  private static let patience = 60_000

  /// - Returns: what went wrong; nil for nothing.
  func run() -> String? {
    let group = ValueGroup(shape, seed: seed)
    for step in steps {
      group.perform(step)
      if let violation = group.violation { return violation }
    }
    group.heal()
    let end = group.now + Self.patience
    var unrest = group.unrest()
    group.run(until: end) {
      unrest = group.unrest()
      return unrest == nil
    }
    if let violation = group.violation { return violation }
    if let unrest { return "After \(Self.patience / 1000) s of calm: \(unrest)" }
    for place in shape.members.indices {
      let lacking = group.look(at: place) { group.ledger.lacking(in: $0.content) } ?? []
      if !lacking.isEmpty { return "Replica \(place) lacks what was acknowledged: notes \(lacking)" }
    }
    return nil
  }

  /// The same with as few steps as still go wrong, each left out in turn.
  func reduced() -> Self {
    var schedule = self
    var size = max(1, schedule.steps.count / 2)
    while true {
      var start = 0
      while start < schedule.steps.count {
        var shorter = schedule
        shorter.steps.removeSubrange(start..<min(start + size, shorter.steps.count))
        if shorter.run() != nil { schedule = shorter } else { start += size }
      }
      guard size > 1 else { return schedule }
      size /= 2
    }
  }

  /// For whoever reads a failure.
  var report: String {
    let members = shape.members.enumerated().map { place, member in
      "  replica \(place): \(member.options.isRelay ? "relays" : "writes"), \(member.options.isDurable ? "keeps" : "forgets")"
        + ", dials \(member.dials), compact from \(member.options.compactionByteCountMin.map { "\($0)" } ?? "never")"
        + ", backlog \(member.options.backlogByteCountMax)"
    }
    return """
      Seed \(seed), loss \(shape.lossPercentage) %, doubling \(shape.doublingPercentage) %, delay to \(shape.delayMax) ms, \
      log to \(shape.logDelayMax) ms
      \(members.joined(separator: "\n"))
      \(steps.map { "  \($0)" }.joined(separator: "\n"))
      Repeat it: STARLING_GROUP_SEED=\(seed) swift test --filter StarlingSessionTests
      """
  }
}

extension GroupShape {
  init(drawnFrom generator: inout SplitMix) {
    func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    func endpoint(_ place: Int) -> String { "tcp://replica\(place):1" }
    members = []
    switch number(4) {
    case 0:
      // Everybody dials everybody.
      let count = 2 + number(2)
      for place in 0..<count {
        var options = ValueReplica.Options()
        options.endpoint = endpoint(place)
        members.append(Member(options: options, dials: (0..<count).filter { $0 != place }))
      }
    default:
      // One daemon, or two, where one dials the other; the rest dial one of these.
      let relayCount = 1 + number(2)
      for place in 0..<relayCount {
        var options = ValueReplica.Options()
        options.isRelay = true
        options.endpoint = endpoint(place)
        members.append(Member(options: options, dials: place == 0 ? [] : [0]))
      }
      for _ in 0..<(1 + number(2)) {
        var options = ValueReplica.Options()
        options.isDurable = number(3) > 0
        options.leases = !options.isDurable
        members.append(Member(options: options, dials: [number(relayCount)]))
      }
    }
    for place in members.indices {
      members[place].options.isLogInstant = false
      if number(3) == 0 { members[place].options.compactionByteCountMin = 60 + number(300) }
      if number(4) == 0 { members[place].options.backlogByteCountMax = 200 + number(1000) }
    }
    if number(2) == 0 { lossPercentage = [2, 10, 30][number(3)] }
    if number(3) == 0 { doublingPercentage = 20 }
    delayMax = [1, 10, 100][number(3)]
    logDelayMax = [1, 20, 300][number(3)]
  }
}

/// The same seed, the same numbers (SplitMix64, after Steele, Lea and Flood).
struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
