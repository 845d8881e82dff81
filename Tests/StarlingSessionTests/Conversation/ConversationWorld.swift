import StarlingCore

@testable import StarlingSession

/// Which members talk with each other, and how much may happen.
struct ConversationWorld {
  struct Member {
    var options = ValueReplica.Options()
    var dials: [Int] = []
    /// How many changes it has made, one after the other, before it meets anybody.
    var historyCount = 0
    /// Whether it may crash.
    var mayEnd = true
  }

  var name: String
  var members: [Member]
  /// By which ties are broken.
  var names: [Int]
  var budget: Conversation.Budget
  /// What each of the changes of a history writes.
  var blob = ""
  /// Whether they have met before anything is tried.
  var haveMet = false

  /// Those that prove a key which may do nothing until all are let in. They trust everybody.
  var strangers: Set<Int> = []

  static let heartbeat = Duration.seconds(1)
  /// So long after one look at the clock comes the next.
  static let tick = Duration.milliseconds(100)
  /// The longest part of an answer.
  static let partByteCountMax = 256 << 10

  func identity(of place: Int) -> PeerIdentity { strangers.contains(place) ? .key("key \(place)") : .sameUser }

  static func endpoint(_ place: Int) -> String { "tcp://replica\(place):1" }
}

extension ConversationWorld: CustomStringConvertible {
  var description: String { name }

  typealias Budget = Conversation.Budget

  private static func member(dials: [Int] = [], at place: Int? = nil) -> Member {
    var member = Member(dials: dials)
    member.options.endpoint = place.map(endpoint)
    return member
  }

  /// The later one dials the earlier one.
  ///
  /// - Parameter slowLogs: whose logs take their time.
  private static func pair(
    _ name: String, names: [Int] = [1, 2], _ budget: Budget, slowLogs: [Int] = [], haveMet: Bool = false
  ) -> Self {
    var members = [member(at: 0), member(dials: [0])]
    for place in slowLogs { members[place].options.isLogInstant = false }
    return Self(name: name, members: members, names: names, budget: budget, haveMet: haveMet)
  }

  /// Writers at a relay.
  private static func relayed(_ name: String, count: Int = 2, _ budget: Budget) -> Self {
    var relay = member(at: 0)
    relay.options.isRelay = true
    return Self(
      name: name, members: [relay] + Array(repeating: member(dials: [0]), count: count),
      names: [count + 1] + Array(1...count), budget: budget)
  }

  /// Processes that keep nothing at a relay that leases ids.
  private static func leasing(_ name: String, guestCount: Int, _ budget: Budget) -> Self {
    var world = relayed(name, count: guestCount, budget)
    for place in 1...guestCount {
      world.members[place].options.isDurable = false
      world.members[place].options.leases = true
    }
    return world
  }

  /// Daemons that all dial the first one, and hear of each other from it.
  private static func gossiping(_ name: String, count: Int, _ budget: Budget) -> Self {
    var members: [Member] = []
    for place in 0..<count {
      var daemon = member(dials: place == 0 ? [] : [0], at: place)
      daemon.options.isRelay = true
      daemon.options.gossips = true
      members.append(daemon)
    }
    return Self(name: name, members: members, names: Array((1...count).reversed()), budget: budget)
  }

  /// The one that is dialled has more than it may send before some of it is taken.
  private static func crediting(_ name: String, _ budget: Budget) -> Self {
    var world = pair(name, budget)
    world.members[0].historyCount = 20
    world.blob = String(repeating: "x", count: 240_000)
    return world
  }

  /// The one that dials may do nothing until it is let in.
  private static func strange(_ name: String, _ budget: Budget) -> Self {
    var world = pair(name, budget)
    world.strangers = [1]
    return world
  }

  /// The last one follows the one before alone, which follows all others, so that it may hear first of a note that
  /// stands on theirs.
  private static func chained(_ name: String, count: Int, _ budget: Budget) -> Self {
    var members = (0..<(count - 2)).map { member(at: $0) }
    members += [member(dials: Array(0..<(count - 2)), at: count - 2), member(dials: [count - 2])]
    return Self(name: name, members: members, names: Array(1...count), budget: budget, haveMet: true)
  }

  /// Nobody else may crash.
  private func endingOnly(_ place: Int) -> Self {
    var world = self
    for other in members.indices { world.members[other].mayEnd = other == place }
    return world
  }

  /// What `make test` explores.
  static let small: [Self] = [
    pair("two that write", Budget(writes: [1, 1])),
    pair("two whose connection ends", Budget(writes: [0, 1], cuts: 1)),
    pair("two of whose messages one is lost", Budget(writes: [1, 0], losses: 1)),
    pair("two where one ends", names: [2, 1], Budget(writes: [0, 1], crashes: 1)),
    pair("two whose logs fail", Budget(writes: [1, 1], logFaults: 1), slowLogs: [0], haveMet: true),
    pair("two where one stands still", Budget(writes: [0, 0], stalls: 1)),
    pair("two where a disk is full", Budget(writes: [1, 0], fullDisks: 1), slowLogs: [0, 1], haveMet: true),
    strange("one that is let in", Budget(writes: [1, 1])),
    crediting("two with much to tell", Budget(writes: [0, 0])),
    leasing("a relay that leases ids to two", guestCount: 2, Budget(writes: [0, 0, 0])),
    leasing("a relay that leases, whose answer is lost", guestCount: 1, Budget(writes: [0, 0], losses: 1)),
    gossiping("two daemons", count: 2, Budget(writes: [0, 1])),
  ]

  /// What `STARLING_CONVERSATIONS=all` explores beside these.
  static let large: [Self] = [
    pair("two that write for a while", Budget(writes: [1, 1], ticks: 1)),
    pair("two that are cut off and miss a message", Budget(writes: [1, 1], cuts: 1, losses: 1)),
    pair("two whose connection ends twice", Budget(writes: [1, 1], cuts: 2)),
    pair("two of whose messages two are lost", Budget(writes: [1, 1], losses: 2)),
    pair("two that end", names: [2, 1], Budget(writes: [1, 1], crashes: 2)),
    pair("two that meet as a log fails", Budget(writes: [1, 1], logFaults: 1), slowLogs: [0]),
    pair("two whose logs fail often", Budget(writes: [1, 1], cuts: 1, logFaults: 2), slowLogs: [0]),
    pair("two that are slow", Budget(writes: [1, 1], cuts: 1, logFaults: 1), slowLogs: [0, 1], haveMet: true),
    pair("two where one stands still or writes", Budget(writes: [0, 1], stalls: 1)),
    strange("one that is let in, for a while", Budget(writes: [1, 1], cuts: 1, ticks: 1)),
    crediting("two with much to tell, cut off", Budget(writes: [0, 0], cuts: 1)),
    relayed("two at a relay", Budget(writes: [0, 1, 1])),
    relayed("one at a relay, cut off, beside another", Budget(writes: [0, 1, 0], cuts: 1)),
    leasing("a relay that leases and ends", guestCount: 2, Budget(writes: [0, 0, 0], crashes: 1)).endingOnly(0),
    leasing("a relay that leases to one that ends", guestCount: 1, Budget(writes: [0, 1], crashes: 1, ticks: 1)),
    leasing("a relay that leases ids to two that write", guestCount: 2, Budget(writes: [0, 1, 1])),
    gossiping("three daemons", count: 3, Budget(writes: [0, 0, 0])),
    chained("three in a chain", count: 3, Budget(writes: [1, 1, 0], ticks: 1)),
    chained("four in a chain", count: 4, Budget(writes: [1, 1, 1, 0])),
  ]
}
