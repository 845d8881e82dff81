@testable import StarlingSession

/// Tries everything that may happen in a world, breadth first: each state is gone on from once, and the way to what goes
/// wrong is as short as any.
///
/// From every state a fair continuation leads on: what is bound to happen, one after the other (everything on its way
/// arrives, the log answers, whoever crashed starts), and the time, as often as the world lets it. Its states are states
/// of the exploration too. It is therefore enough to see that those come to rest which are quiet with no time left, and
/// that every continuation ends in such a one: then all states come to rest.
///
/// ```
///   state ── bound to happen ──► state ── time ──► state ──► ... ──► quiet, no time left ── left alone ──► idle
/// ```
struct Exploration {
  struct Counts {
    var states = 0
    var transitions = 0
    var depth = 0
    /// States that were left to come to rest, and the longest time that one took.
    var rests = 0
    var longestRest = Duration.zero
  }

  /// What went wrong, and by which moves.
  struct Finding {
    let violation: String
    let moves: [Conversation.Move]
  }

  /// How a state was reached first, and the next one of its fair continuation; itself where there is none.
  private struct Node {
    let parent: Int
    let move: Conversation.Move
    var next: Int
  }

  /// Nothing takes so many moves without the time going on.
  private static let moveCountMax = 5000
  /// In virtual time all must be idle so soon: before an answer that nobody takes is given up and asked for again.
  private static let patience = Duration.seconds(15)
  private static let restingTick = Duration.milliseconds(200)

  let world: ConversationWorld
  private(set) var counts = Counts()
  private(set) var handings = Handings()

  private var places: [Int: Int] = [:]
  private var nodes: [Node] = []
  private var layer: [(place: Int, state: Conversation)] = []
  /// How soon states come to rest that were left alone, those on the way too.
  private var restTimes: [Int: Duration] = [:]

  init(_ world: ConversationWorld) { self.world = world }

  /// - Returns: nil for nothing.
  mutating func run() -> Finding? {
    let first = Conversation(world, &handings)
    if let violation = first.violation { return Finding(violation: violation, moves: []) }
    _ = add(first, from: 0, by: .pass)
    while !layer.isEmpty {
      let present = layer
      layer = []
      for (place, state) in present {
        if let finding = goOn(from: state, at: place) { return finding }
      }
      counts.depth += layer.isEmpty ? 0 : 1
    }
    return endless()
  }

  /// - Returns: the place of the state.
  private mutating func add(_ state: Conversation, from parent: Int, by move: Conversation.Move) -> Int {
    let fingerprint = state.fingerprint
    if let place = places[fingerprint] { return place }
    let place = nodes.count
    places[fingerprint] = place
    nodes.append(Node(parent: parent, move: move, next: place))
    layer.append((place, state))
    counts.states += 1
    return place
  }

  private mutating func goOn(from state: Conversation, at place: Int) -> Finding? {
    let (progress, chances) = (state.progress, state.chances)
    if progress.isEmpty, state.budget.ticks == 0, let unrest = rest(state) {
      return Finding(violation: unrest, moves: way(to: place))
    }
    let fair = progress.first ?? (state.budget.ticks > 0 ? .pass : nil)
    for move in progress + chances {
      var next = state
      next.perform(move, &handings)
      counts.transitions += 1
      if let violation = next.violation { return Finding(violation: violation, moves: way(to: place) + [move]) }
      let reached = add(next, from: place, by: move)
      if move == fair { nodes[place].next = reached }
    }
    return nil
  }

  private func way(to place: Int) -> [Conversation.Move] {
    var (place, moves) = (place, [Conversation.Move]())
    while place != 0 {
      moves.append(nodes[place].move)
      place = nodes[place].parent
    }
    return moves.reversed()
  }

  /// A fair continuation that never ends.
  private func endless() -> Finding? {
    var ends = [Bool](repeating: false, count: nodes.count)
    for start in nodes.indices where !ends[start] {
      var trail: [Int] = []
      var place = start
      while !ends[place], nodes[place].next != place {
        trail.append(place)
        place = nodes[place].next
        guard trail.count <= nodes.count else {
          return Finding(violation: "It goes on without end", moves: way(to: start))
        }
      }
      for passed in trail { ends[passed] = true }
    }
    return nil
  }

  /// Leaves it alone until all are idle.
  ///
  /// - Returns: what keeps them from it.
  private mutating func rest(_ quiet: Conversation) -> String? {
    var state = quiet
    var trail: [(fingerprint: Int, now: Duration)] = []
    var end = Duration.zero
    counts.rests += 1
    while true {
      let fingerprint = state.fingerprint
      if let time = restTimes[fingerprint] {
        end = state.now + time
        break
      }
      trail.append((fingerprint, state.now))
      guard let unrest = state.unrest() else {
        end = state.now
        break
      }
      guard state.now - quiet.now < Self.patience else { return "After \(Self.patience) of calm: \(unrest)" }
      state.pass(Self.restingTick, &handings)
      var count = 0
      while let move = state.progress.first {
        state.perform(move, &handings)
        count += 1
        if let violation = state.violation { return violation }
        guard count <= Self.moveCountMax else { return "It goes on without end" }
      }
    }
    for (fingerprint, now) in trail { restTimes[fingerprint] = end - now }
    counts.longestRest = max(counts.longestRest, end - quiet.now)
    return end - quiet.now > Self.patience ? "It comes to rest after \(end - quiet.now) alone" : nil
  }

  /// The moves in words, one a line.
  mutating func words(for finding: Finding) -> String {
    var state = Conversation(world, &handings)
    var lines: [String] = []
    for (index, move) in finding.moves.enumerated() {
      lines.append("  \(index + 1). \(state.words(for: move))")
      state.perform(move, &handings)
    }
    return lines.joined(separator: "\n")
  }
}
