import StarlingEngine
import StarlingGuard

/// What happens to each frame: lost, late, doubled, or stopped by a cut.
final class SimulatedNetworkFaults: Sendable {
  private struct State {
    var faults: Faults
    var generator: SeededGenerator
    var cuts: [Int: Cut] = [:]
    var nextCut = 0
  }

  private struct Cut {
    var from: Set<String>
    var to: Set<String>
    var isOneWay: Bool

    func stops(_ passage: MemoryNetwork.Passage) -> Bool {
      from.contains(passage.from) && to.contains(passage.to)
        || !isOneWay && from.contains(passage.to) && to.contains(passage.from)
    }
  }

  private let state: Guarded<State>
  private let trace: Trace

  init(faults: Faults, generator: SeededGenerator, trace: Trace) {
    state = Guarded(State(faults: faults, generator: generator))
    self.trace = trace
  }

  /// The delays of the copies that arrive.
  func decide(_ passage: MemoryNetwork.Passage, now: Duration) -> [Duration] {
    let copies = state.withLock { state -> [Duration] in
      if state.cuts.values.contains(where: { $0.stops(passage) }) { return [] }
      if state.generator.chance(state.faults.loss) { return [] }
      let first = state.generator.duration(in: state.faults.delay)
      guard state.generator.chance(state.faults.duplication) else { return [first] }
      return [first, state.generator.duration(in: state.faults.delay)]
    }
    if passage.byteCount > 0 { trace.frame(passage, copies: copies, at: now) }
    return copies
  }

  /// Whether a frame that arrives now is to be replaced, and by what.
  func corruption() -> [UInt8]? {
    state.withLock { state in
      guard state.generator.chance(state.faults.corruption) else { return nil }
      let count = Int.random(in: 0...40, using: &state.generator)
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &state.generator) }
    }
  }

  /// Cuts the ways from some to others; returns the number under which it heals.
  func cut(from: Set<String>, to: Set<String>, isOneWay: Bool) -> Int {
    state.withLock { state in
      defer { state.nextCut += 1 }
      state.cuts[state.nextCut] = Cut(from: from, to: to, isOneWay: isOneWay)
      return state.nextCut
    }
  }

  func heal(_ number: Int) {
    state.withLock { $0.cuts[number] = nil }
  }

  /// Every frame arrives, once, in time.
  func calm() {
    state.withLock { state in
      state.cuts = [:]
      state.faults = .none
    }
  }
}
