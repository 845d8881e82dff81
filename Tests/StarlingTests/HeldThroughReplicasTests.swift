import Starling
import StarlingGuard
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

/// Two programs hold and write whatever comes along, as their users do: replicas with a log, which leave and come back,
/// are opened again, go back to earlier versions, write as JSON, and merge copies of their own.
@Suite struct `What two programs hold` {
  @Test(arguments: 0..<4 as Range<UInt64>)
  func `shows what the document holds, whatever they do`(seed: UInt64) async throws {
    let group = try Group()
    let members = [try await Member(group, 0, seed), try await Member(group, 1, seed)]
    var dice = Dice(seed: seed)
    for step in 0..<30 {
      for member in members {
        member.write(step)
        if dice.oneIn(3) { try await member.act(&dice, group, "seed \(seed), step \(step)") }
      }
      guard step % 3 == 2 else { continue }
      for member in members { await member.replica.setOnline(true) }
      var rounds = 0
      while members[0].replica.version != members[1].replica.version, rounds < 200 {
        for member in members { await member.replica.synchronize() }
        rounds += 1
      }
      try #require(rounds < 200, "seed \(seed), step \(step): never the same version")
      let shown = try await members[0].replica.fork().model(Thing.self, named: "thing", isolation: nil).shown
      for member in members { try await member.check(shows: shown, "seed \(seed), step \(step)") }
      #expect(members[0].replica.digest == members[1].replica.digest, "seed \(seed), step \(step)")
    }
    for member in members { try await member.replica.close() }
  }
}

private final class Member {
  private(set) var replica: Replica
  private var keeper: Keeper
  private var watch: Follower?
  private let name: String
  private let seed: UInt64
  private var versions: [VersionVector] = []
  private var saved: [JSONValue] = []

  init(_ group: borrowing Group, _ number: UInt64, _ seed: UInt64) async throws {
    name = "member \(number)"
    self.seed = seed + 1_000_000 * number
    replica = try await Self.open(group, name)
    let thing = try replica.model(Thing.self, named: "thing", isolation: nil)
    keeper = Keeper(thing, replica.models, seed: self.seed)
    watch = (seed >> number).isMultiple(of: 2) ? Follower(thing) : nil
  }

  private static func open(_ group: borrowing Group, _ name: String) async throws -> Replica {
    try await group.open(name) {
      $0.history = .everything
      $0.keptTextSpanCountMin = 2
    }
  }

  /// A few writes, to which nothing happens.
  func write(_ step: Int) {
    replica.models.withConsistentRead { for _ in 0..<4 { keeper.act(step) } }
  }

  func act(_ dice: inout Dice, _ group: borrowing Group, _ comment: String) async throws {
    switch dice.roll(9) {
    case 0: await replica.setOnline(false)
    case 1: await replica.setOnline(true)
    case 2: versions.append(replica.version)
    case 3: if let version = versions.randomElement(using: &dice) { try await replica.restore(to: version) }
    case 4: saved.append(try replica.json.value())
    case 5: if let json = saved.randomElement(using: &dice) { try await load(json, comment) }
    case 6: try await openAgain(group, dice.next(), comment)
    case 7: try await mergeCopy(of: nil, dice.next())
    default:
      if let version = versions.randomElement(using: &dice) {
        try await mergeCopy(of: replica.document(at: version), dice.next())
      }
    }
  }

  private func load(_ json: JSONValue, _ comment: String) async throws {
    await replica.setOnline(false)
    try replica.json.load(json)
    #expect(try replica.json.value() == json, "\(comment), \(name)")
    await replica.setOnline(true)
  }

  private func openAgain(_ group: borrowing Group, _ seed: UInt64, _ comment: String) async throws {
    await replica.setOnline(false)
    try await replica.flush()
    let (before, version) = (keeper.root.shown, replica.version)
    try await replica.close()
    replica = try await Self.open(group, name)
    let thing = try replica.model(Thing.self, named: "thing", isolation: nil)
    let after = thing.shown
    // Unless something came already.
    if replica.version == version { #expect(after == before, "\(comment), \(name)") }
    keeper = Keeper(thing, replica.models, seed: seed)
    watch = seed.isMultiple(of: 2) ? Follower(thing) : nil
  }

  private func mergeCopy(of past: PastDocument?, _ seed: UInt64) async throws {
    let fork = try await replica.fork(of: past)
    let copy = Keeper(
      try fork.model(Thing.self, named: "thing", isolation: nil), fork.models, seed: seed)
    for step in 0..<5 { copy.act(step) }
    if seed.isMultiple(of: 2) { write(0) }
    try await replica.merge(fork)
  }

  func check(shows shown: String, _ comment: String) async throws {
    #expect(keeper.root.shown == shown, "\(comment), \(name)")
    let past = try await replica.document(at: replica.version).model(Thing.self, named: "thing")
    #expect(past.shown == shown, "\(comment), \(name), as of now")
    if let watch { #expect(eventually { watch.seen == shown }, "\(comment), \(name), observed as\n\(watch.seen)") }
  }
}

/// What an observer saw last.
private final class Follower: Sendable {
  private let last = Guarded("")
  private let token = Guarded<ObservationToken?>(nil)

  init(_ thing: Thing) {
    let observing = observe(isolation: nil) { [weak self] in
      let shown = thing.shown
      self?.last.withLock { $0 = shown }
    }
    token.withLock { $0 = observing }
  }

  var seen: String { last.withLock { $0 } }
}
