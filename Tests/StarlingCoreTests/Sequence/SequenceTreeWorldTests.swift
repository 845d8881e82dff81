import StarlingTestSupport
import Testing

@testable import StarlingCore

/// Every world of up to `length` edits by up to three replicas, each of which had heard of any closed
/// set of the earlier ones: an item or two written at every index, or an item removed.
///
/// For every closed set of a world's edits there is one sequence tree, built in one order; that all others lead
/// to it follows, since every edit that may come last is tried, and smaller sets are worlds of their own.
struct SequenceWorlds {
  private(set) var worldCount = 0
  private(set) var failures: [String] = []
  let length: Int
  /// By writer.
  private let names: [UInt32]

  private struct Step {
    var writer: Int
    var seen: Int
    var edit: SequenceTreeEdit
    var name: String
  }

  private struct State {
    var tree: SequenceTree
    var reference: ReferenceSequence
  }

  /// - Parameter seed: Draws the writers' names. Ties break by them, and it is not always the first that has the
  ///   lowest.
  init(length: Int, seed: UInt64) {
    self.length = length
    var dice = Dice(seed: seed)
    names = ([0, 1, 2] as [UInt32]).shuffled(using: &dice)
  }

  mutating func run() {
    extend([], [0: State(tree: SequenceTree(holdsText: true), reference: ReferenceSequence())], known: [0, 0, 0])
  }

  private mutating func extend(_ steps: [Step], _ states: [Int: State], known: [Int]) {
    guard steps.count < length, failures.isEmpty else { return }
    for writer in 0..<3 where writer == 0 || steps.contains(where: { $0.writer == writer - 1 }) {
      for seen in 0..<(1 << steps.count) where seen & known[writer] == known[writer] {
        guard let state = states[seen], isCanonical(seen, by: writer, after: steps) else { continue }
        var known = known
        known[writer] = seen | 1 << steps.count
        for (edit, name) in edits(by: writer, on: state.tree, at: steps.count) {
          visit(steps + [Step(writer: writer, seen: seen, edit: edit, name: name)], states, known)
        }
      }
    }
  }

  /// Independent neighbours are listed by their writers.
  private func isCanonical(_ seen: Int, by writer: Int, after steps: [Step]) -> Bool {
    guard let last = steps.last, seen >> (steps.count - 1) & 1 == 0 else { return true }
    return last.writer < writer
  }

  private func edits(by writer: Int, on tree: SequenceTree, at step: Int) -> [(SequenceTreeEdit, String)] {
    var tree = tree
    var edits: [(SequenceTreeEdit, String)] = []
    for index in 0...tree.count {
      // Runs to be split come early.
      for count in 1...(step < 2 ? 2 : 1) {
        var writer = Writer(names[writer], tree)
        writer.counter = UInt64(step * 2)
        edits.append((writer.write(count == 1 ? "a" : "bc", at: index), "\(count) at \(index)"))
      }
    }
    for index in 0..<tree.count { edits.append((.remove(Array(tree.runs(in: index..<index + 1))), "remove \(index)")) }
    return edits
  }

  private mutating func visit(_ steps: [Step], _ former: [Int: State], _ known: [Int]) {
    worldCount += 1
    let (bit, step) = (1 << (steps.count - 1), steps[steps.count - 1])
    var states = former
    for (seen, state) in former where seen & step.seen == step.seen {
      var state = state
      state.tree.apply(step.edit)
      if seen | bit == bit * 2 - 1 {
        state.reference.apply(step.edit)
        state.reference.settle()
        check(state, steps)
      } else if steps.count < length {
        state.reference.apply(step.edit)
      }
      states[seen | bit] = state
    }
    let whole = bit * 2 - 1
    let runs = states[whole]!.tree.storedRuns
    for last in steps.indices {
      guard var state = states[whole & ~(1 << last)] else { continue }
      state.tree.apply(steps[last].edit)
      if state.tree.storedRuns != runs { fail("hearing last of edit \(last) leads elsewhere", steps) }
    }
    extend(steps, states, known: known)
  }

  private mutating func check(_ state: State, _ steps: [Step]) {
    var tree = state.tree
    let reference = state.reference
    tree.checkInvariants()
    if tree.storedRuns != reference.runs { fail("the tree has another order", steps) }
    if tree.canonicalRuns() != reference.canonicalRuns(keeping: []) { fail("the canonical runs differ", steps) }
    if tree.string != reference.text { fail("the text is \(tree.string), not \(reference.text)", steps) }
    for index in 0...tree.count where tree.place(forInsertAt: index) != reference.place(forInsertAt: index) {
      fail("the rule places an insertion at \(index) elsewhere", steps)
    }
    var text = tree.string
    let rebuilt = text.withUTF8 {
      try? SequenceTree(holdsText: true, runs: tree.storedRuns, text: $0, isBefore: ReferenceSequence.isBefore)
    }
    rebuilt?.checkInvariants()
    if rebuilt?.storedRuns != tree.storedRuns { fail("its runs do not build it", steps) }
  }

  private mutating func fail(_ what: String, _ steps: [Step]) {
    let world = steps.map { "replica \($0.writer), having heard \(String($0.seen, radix: 2)): \($0.name)" }
    failures.append("\(what)\n  " + world.joined(separator: "\n  "))
  }
}

@Suite struct `Every small world of edits` {
  @Test func `has one order, whatever the order of hearing`() {
    var worlds = SequenceWorlds(length: 4, seed: Group.seed)
    worlds.run()
    #expect(worlds.failures.isEmpty, "with STARLING_SEED=\(Group.seed): \(worlds.failures.first ?? "")")
    print("\(worlds.worldCount) worlds of edits; STARLING_SEED=\(Group.seed)")
  }
}
