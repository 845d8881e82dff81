@testable import StarlingSession

/// Tries everything that may happen in a world, depth first: each state is gone on from once.
///
/// From every state what is bound to happen (everything on its way arrives, the log answers, whoever crashed starts)
/// leads to states in which all are quiet; those are states of the exploration too, and so is what comes of them once
/// the time goes on, as often as the world lets it. It is therefore enough to see that those come to rest which are
/// quiet with no time left: every other state comes to rest by way of one of them.
struct Exploration {
  struct Counts {
    var states = 0
    var transitions = 0
    var depth = 0
    /// States that were left to come to rest, and the longest time that one took.
    var rests = 0
    var longestRest = Duration.zero
  }

  private struct Step {
    let state: Conversation
    let moves: [Conversation.Move]
    var next = 0
  }

  /// Nothing takes so many moves without the time going on.
  private static let depthMax = 5000
  /// In virtual time all must be idle so soon: before an answer that nobody takes is given up and asked for again.
  private static let patience = Duration.seconds(15)
  private static let restingTick = Duration.milliseconds(200)

  let world: ConversationWorld
  private(set) var counts = Counts()
  private(set) var reflected = ReflectedHash()

  init(_ world: ConversationWorld) { self.world = world }

  /// - Returns: what went wrong, and by which moves; nil for nothing.
  mutating func run() -> (violation: String, trace: [Conversation.Move])? {
    var visited: Set<Int> = []
    var trail: [Step] = []
    func failure(_ violation: String) -> (String, [Conversation.Move]) {
      (violation, trail.map { $0.moves[$0.next - 1] })
    }
    let first = Conversation(world, &reflected)
    if let violation = first.violation { return (violation, []) }
    visited.insert(first.fingerprint)
    trail.append(Step(state: first, moves: first.progress + first.chances))
    while let step = trail.last {
      guard step.next < step.moves.count else {
        trail.removeLast()
        continue
      }
      let move = step.moves[step.next]
      var state = step.state
      state.perform(move, &reflected)
      counts.transitions += 1
      trail[trail.count - 1].next += 1
      if let violation = state.violation { return failure(violation) }
      guard visited.insert(state.fingerprint).inserted else { continue }
      let progress = state.progress
      if progress.isEmpty, state.budget.ticks == 0, let unrest = rest(state) { return failure(unrest) }
      trail.append(Step(state: state, moves: progress + state.chances))
      counts.depth = max(counts.depth, trail.count - 1)
      guard trail.count <= Self.depthMax else { return failure("It goes on without end") }
    }
    counts.states = visited.count
    return nil
  }

  /// Leaves it alone until all are idle.
  ///
  /// - Returns: what keeps them from it.
  private mutating func rest(_ quiet: Conversation) -> String? {
    var state = quiet
    var unrest = state.unrest()
    counts.rests += 1
    while let reason = unrest {
      guard state.now - quiet.now < Self.patience else { return "After \(Self.patience) of calm: \(reason)" }
      state.pass(Self.restingTick, &reflected)
      var count = 0
      while let move = state.progress.first {
        state.perform(move, &reflected)
        count += 1
        if let violation = state.violation { return violation }
        guard count <= Self.depthMax else { return "It goes on without end" }
      }
      unrest = state.unrest()
    }
    counts.longestRest = max(counts.longestRest, state.now - quiet.now)
    return nil
  }

  /// Makes the moves that can be made, and leaves the rest of them out.
  ///
  /// - Returns: what went wrong.
  private mutating func repeating(_ trace: [Conversation.Move]) -> String? {
    var state = Conversation(world, &reflected)
    for move in trace {
      state.make(move, &reflected)
      if let violation = state.violation { return violation }
    }
    state.budget.ticks = 0
    while let move = state.progress.first {
      state.perform(move, &reflected)
      if let violation = state.violation { return violation }
    }
    return rest(state)
  }

  /// The same with as few moves as still go wrong, each left out in turn.
  mutating func reduced(_ trace: [Conversation.Move]) -> [Conversation.Move] {
    var trace = trace
    var index = trace.count
    while index > 0 {
      index -= 1
      var shorter = trace
      shorter.remove(at: index)
      if repeating(shorter) != nil { trace = shorter }
    }
    return trace
  }
}
