import Starling
import StarlingGuard

/// Observes what others write, and says when all of it has come.
final class Reader: Sendable {
  private struct State {
    /// What each tally showed last. An observer sees the last of several writes that come together, which says how many
    /// they were.
    var counts: [Int]
    var sum = 0
    var reachedAt: UInt64 = 0
    /// How many are waited for, if somebody asked.
    var goal: Int?
  }

  private let state: Guarded<State>
  private let observing = Guarded<[ObservationToken]>([])

  init(_ tallies: [Tally]) {
    state = Guarded(State(counts: Array(repeating: 0, count: tallies.count)))
    let tokens = tallies.enumerated().map { place, tally in
      observe(isolation: nil) { [weak self] in self?.take(tally.count, at: place) }
    }
    observing.withLock { $0 = tokens }
  }

  private func take(_ count: Int, at place: Int) {
    change { state in
      guard count != state.counts[place] else { return }
      state.sum += count - state.counts[place]
      state.counts[place] = count
      state.reachedAt = now()
    }
  }

  /// Prints how many writes were seen, and when the last of them was, once they are `count`.
  func wait(for count: Int) { change { $0.goal = count } }

  /// Prints how many there are by now, if somebody still waits.
  func giveUp() { change { if $0.goal != nil { $0.goal = $0.sum } } }

  private func change(_ body: (inout State) -> Void) {
    let reached = state.withLock { state -> (sum: Int, at: UInt64)? in
      body(&state)
      guard let goal = state.goal, state.sum >= goal else { return nil }
      state.goal = nil
      return (state.sum, state.reachedAt)
    }
    if let reached { tell("saw \(reached.sum) \(reached.at)") }
  }
}
