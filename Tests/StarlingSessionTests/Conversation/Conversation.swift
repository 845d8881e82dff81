import StarlingCore
import StarlingWire

@testable import StarlingSession

/// A few replicas, all that is on its way between them, and what may still go wrong: one state of the model. The
/// replicas are the real values (`Replication`) with a document and a log, and what they say are the real bytes.
///
/// ```
///                ┌── told ──────►┐
///   dialler ─────┤   ◄── asked ──┼───── dialled       three queues a connection, each in order
///                └◄─ published ──┘
///   each replica: what its log was told, pages that are read; who is still to learn that a connection ended
/// ```
struct Conversation {
  struct Letter: Hashable {
    let bytes: [UInt8]
    private let hash: Int

    init(_ bytes: [UInt8], _ reflected: inout ReflectedHash) {
      self.bytes = bytes
      hash = reflected.hash(bytes: bytes)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// What it is, in one word.
    var kind: String {
      guard let message = try? Message(decoding: bytes) else { return "what cannot be read" }
      return Mirror(reflecting: message).children.first?.label ?? "\(message)"
    }
  }

  /// Which way something goes over a connection.
  enum Lane: Int, Hashable, CaseIterable { case toDialled, toDialler, published }

  struct Link: Hashable {
    let dialler: Int
    let dialled: Int
    let handle: PeerHandle
    /// Of the one that is dialled; nil while no connection stands.
    var acceptor: PeerHandle?
    /// Whether the one that is dialled knows of the connection: with the first message.
    var isAnnounced = false
    var topics: [[UInt8]] = []
    var queues: [[Letter]] = [[], [], []]
    var isGone = false

    func receiver(_ lane: Lane) -> Int { lane == .toDialled ? dialled : dialler }
  }

  /// An end that is still to learn that its connection is gone.
  struct Ending: Hashable {
    let place: Int
    let peer: PeerHandle
  }

  /// What was written once, under a name of its own. It is found again by that alone.
  struct Note: Hashable {
    let author: Int
    /// The notes that its author saw.
    let seen: Set<Int>
  }

  /// The caller that waits for the outcome of a note.
  struct Waiting: Hashable {
    let place: Int
    let waiter: UInt64
    let note: Int
    let isReplicated: Bool
  }

  /// What may still happen that is not bound to.
  struct Budget: Hashable {
    /// For each replica.
    var writes: [Int] = []
    var cuts = 0
    var losses = 0
    var logFaults = 0
    var crashes = 0
    /// How often one stands still for a while, or its disk is full for a while.
    var stalls = 0
    var fullDisks = 0
    /// How often the time goes on before everything is left to come to rest.
    var ticks = 0
  }

  enum Move: Hashable {
    // These happen sooner or later.
    case open(link: Int)
    case deliver(link: Int, Lane)
    case learn(Int, PeerHandle)
    case logged(Int)
    case read(Int)
    case start(Int)
    /// Those are let in who may do nothing until then.
    case admit
    // These need not, and are bounded.
    case pass
    case write(Int)
    case cut(link: Int)
    case lose(link: Int, Lane)
    /// The log has done it and nobody hears of it, or it has not.
    case loggedUnheard(Int)
    case refused(Int)
    case crash(Int)
    case stall(Int)
    case fill(Int)
  }

  let world: ConversationWorld
  /// Nil for one that does not run.
  var seats: [Seat?] = []
  var links: [Link] = []
  var endings: [Ending] = []
  var notes: [Note] = []
  var waiting: [Waiting] = []
  var budget: Budget
  var now = Duration.zero
  /// What outlives a run: its log, and how many runs there were.
  var logs: [Kept]
  var runs: [UInt64]
  var isAdmitted: Bool

  // Not parts of the state: the first promise that was broken, the hardship that a move consists of, and whether
  // others noticed that time passed.
  var violation: String?
  var hardship: Hardship?
  var triedCount = 0
  var hasNews = false

  init(_ world: ConversationWorld, _ handings: inout Handings) {
    self.world = world
    budget = world.budget
    isAdmitted = world.strangers.isEmpty
    logs = world.members.map { _ in Kept(ListLog(), hash: 0) }
    runs = world.members.map { _ in 0 }
    seats = world.members.map { _ in nil }
    for place in world.members.indices { start(place, &handings) }
    while world.haveMet, let move = progress.first { perform(move, &handings) }
  }

  /// Stands for everything that decides how it goes on.
  var fingerprint: Int {
    var hasher = Hasher()
    for seat in seats { hasher.combine(seat?.hash) }
    hasher.combine(links)
    hasher.combine(endings)
    hasher.combine(notes)
    hasher.combine(waiting)
    hasher.combine(budget)
    hasher.combine(now)
    hasher.combine(runs)
    hasher.combine(isAdmitted)
    // Of those that run, the log is a part of the replica.
    for place in seats.indices where seats[place] == nil { hasher.combine(logs[place].hash) }
    return hasher.finalize()
  }

  // MARK: What may happen

  /// What happens sooner or later. Where there is nothing, all are quiet.
  var progress: [Move] {
    var moves: [Move] = []
    for place in seats.indices where seats[place] == nil { moves.append(.start(place)) }
    for ending in endings { moves.append(.learn(ending.place, ending.peer)) }
    for (index, link) in links.enumerated() where !link.isGone {
      if link.acceptor == nil {
        if mayOpen(link) { moves.append(.open(link: index)) }
        continue
      }
      for lane in Lane.allCases where !link.queues[lane.rawValue].isEmpty {
        moves.append(.deliver(link: index, lane))
      }
    }
    for (place, seat) in seats.enumerated() {
      guard let seat else { continue }
      if seat.replica.job != nil { moves.append(.logged(place)) }
      if !seat.replica.readings.isEmpty { moves.append(.read(place)) }
    }
    if !isAdmitted { moves.append(.admit) }
    return moves
  }

  private func mayOpen(_ link: Link) -> Bool {
    seats[link.dialler] != nil && seats[link.dialled] != nil
      && !endings.contains { $0.place == link.dialler && $0.peer == link.handle }
  }

  /// What else may happen.
  var chances: [Move] {
    var moves: [Move] = []
    if budget.ticks > 0 { moves.append(.pass) }
    for (place, count) in budget.writes.enumerated() where count > 0 && seats[place] != nil {
      moves.append(.write(place))
    }
    for (index, link) in links.enumerated() where !link.isGone && link.acceptor != nil {
      if budget.cuts > 0 { moves.append(.cut(link: index)) }
      guard budget.losses > 0 else { continue }
      for lane in Lane.allCases where !link.queues[lane.rawValue].isEmpty { moves.append(.lose(link: index, lane)) }
    }
    for (place, seat) in seats.enumerated() {
      guard let seat else { continue }
      if budget.logFaults > 0, seat.replica.job != nil { moves += [.loggedUnheard(place), .refused(place)] }
      if budget.crashes > 0, world.members[place].mayEnd { moves.append(.crash(place)) }
      if budget.stalls > 0 { moves.append(.stall(place)) }
      if budget.fullDisks > 0, !world.members[place].options.isLogInstant { moves.append(.fill(place)) }
    }
    return moves
  }
}
