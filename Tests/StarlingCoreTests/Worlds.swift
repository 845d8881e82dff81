import StarlingCore
import StarlingTestSupport
import StarlingWorlds
import Testing

/// What a writer may do in a small world. It acts on what it sees; where that comes to nothing, the
/// world is one with fewer operations, and is enumerated as such.
struct WorldEdit: Sendable {
  var name: String
  var perform: @Sendable (inout Document, inout Patch, _ place: Int) -> Void
}

/// The edits that worlds of one sort are made of.
struct Family: Sendable, CustomTestStringConvertible {
  var name: String
  /// How many operations the largest worlds have.
  var length: Int
  var edits: [WorldEdit]
  /// What all have merged before the world begins.
  var beginning: WorldEdit?
  /// Whether objects move in it.
  var movesObjects = false

  var testDescription: String { name }
}

/// Every world of up to `length` operations by up to three writers.
///
/// A world is built operation by operation; for each, one chooses the writer, the edit, and which of
/// the earlier changes the writer had merged (with all that those rest on). Two worlds that differ
/// only in the names of replicas or in the order in which independent operations are listed are one. Ties break by
/// name, so the names are drawn: it is not always the first writer who has the lowest.
///
/// For every closed set of a world's changes there is one document, built by one way; that all other
/// ways lead to it follows, since the last step of each is tried: every change that may come last, and
/// every pair of states that together make the whole. Smaller sets are worlds of their own.
struct WorldEnumeration {
  private(set) var worldCount = 0
  /// In how many causal orders an observer may hear of the changes, summed over all worlds.
  private(set) var orderingCount = 0
  private(set) var stateMergeCount = 0
  /// Says what differed; empty if nothing ever did.
  private(set) var failures: [String] = []

  let family: Family
  private let replicaCount = 3
  /// By writer.
  let replicas: [ReplicaID]

  /// - Parameter seed: Draws the writers' names, some below and some above that of the writer of the beginning.
  init(_ family: Family, seed: UInt64) {
    self.family = family
    var dice = Dice(seed: seed)
    let beginner = Group.replica(replicaCount)
    let names: [UInt64] = [1, 2, 3, 5, 6, 1 << 32, 1 << 63, .max].filter { $0 != beginner.rawValue }
    replicas = names.shuffled(using: &dice).prefix(replicaCount).map { ReplicaID(rawValue: $0) }
  }

  /// A step of a world: who wrote, which earlier steps they had merged, and the outcome.
  private struct Step {
    var writer: Int
    var seen: Int
    var change: Change
    var edit: Int
  }

  private struct State {
    var document: Document
    var snapshot: Snapshot
    var digest: Digest
    var orderings: Int

    init(_ document: Document, orderings: Int) {
      self.document = document
      snapshot = document.canonicalSnapshot()
      digest = document.digest()
      self.orderings = orderings
    }

    func equals(_ document: Document) -> Bool {
      document.canonicalSnapshot() == snapshot && document.digest() == digest
    }
  }

  /// What all have merged before.
  private var beginning: [Change] = []

  mutating func run() {
    var document = Document()
    document.holdsRemovedObjects = family.movesObjects
    if let edit = family.beginning {
      var patch = Patch()
      document.begin(as: Group.replica(replicaCount), now: 999)
      edit.perform(&document, &patch, 0)
      if let change = document.commit() { beginning = [change] }
    }
    extend([], states: [0: State(document, orderings: 1)], known: Array(repeating: 0, count: replicaCount))
  }

  private mutating func extend(_ steps: [Step], states: [Int: State], known: [Int]) {
    guard steps.count < family.length else { return }
    let place = steps.count
    for writer in 0..<replicaCount where isCanonical(writer, after: steps) {
      for seen in 0..<(1 << place) where isCanonical(seen, by: writer, after: steps, known: known) {
        for edit in family.edits.indices {
          guard let state = states[seen], let (step, document) = write(edit, writer, seen, state, place) else {
            continue
          }
          var known = known
          known[writer] = seen | 1 << place
          visit(steps + [step], states, written: document, known: known)
        }
      }
    }
  }

  private mutating func visit(_ steps: [Step], _ states: [Int: State], written: Document, known: [Int]) {
    let place = steps.count - 1
    let step = steps[place]
    var states = states
    // The writer's own document stands for those who merged what it had; all others hear of the change.
    for seen in states.keys.sorted() where seen & step.seen == step.seen {
      let set = seen | 1 << place
      let document = seen == step.seen ? written : merge(step.change, into: states[seen]!.document, steps)
      let orderings = (0...place).reduce(0) { sum, last in
        guard set >> last & 1 == 1 else { return sum }
        return sum + (last == place ? states[seen]!.orderings : (states[set & ~(1 << last)]?.orderings ?? 0))
      }
      states[set] = State(document, orderings: orderings)
    }
    worldCount += 1
    check(steps, states)
    extend(steps, states: states, known: known)
  }

  /// Tries every last step to the whole world.
  private mutating func check(_ steps: [Step], _ states: [Int: State]) {
    let full = 1 << steps.count - 1
    let whole = states[full]!
    orderingCount += whole.orderings
    for last in steps.indices {
      guard let former = states[full & ~(1 << last)] else { continue }
      let document = merge(steps[last].change, into: former.document, steps)
      if !whole.equals(document) { fail("hearing last of operation \(last) leads elsewhere", steps) }
    }
    for (left, leftState) in states where left != full {
      for (right, rightState) in states where left | right == full && right != full {
        stateMergeCount += 1
        var document = leftState.document
        var patch = Patch()
        do { try document.merge(rightState.document.snapshot(), patch: &patch) } catch { fail("\(error)", steps) }
        if !whole.equals(document) { fail("merging state \(right) into \(left) leads elsewhere", steps) }
      }
    }
    let model = ReferenceModel((beginning + steps.map(\.change)).map { ReferenceModel.Change($0) })
    if model.state() != ReferenceModel.State(whole.snapshot) { fail("the rules say otherwise", steps) }
  }

  // MARK: One of each

  private func isCanonical(_ writer: Int, after steps: [Step]) -> Bool {
    if steps.isEmpty { return writer == 0 }
    return writer < 2 || steps.contains { $0.writer == 1 }
  }

  private func isCanonical(_ seen: Int, by writer: Int, after steps: [Step], known: [Int]) -> Bool {
    guard seen & known[writer] == known[writer] else { return false }
    for (place, step) in steps.enumerated() where seen >> place & 1 == 1 && seen & step.seen != step.seen {
      return false
    }
    // Independent neighbours are listed by their writers.
    guard let previous = steps.last, seen >> (steps.count - 1) & 1 == 0 else { return true }
    return previous.writer < writer
  }

  // MARK: Steps

  private func write(_ edit: Int, _ writer: Int, _ seen: Int, _ state: State, _ place: Int) -> (Step, Document)? {
    var document = state.document
    var patch = Patch()
    document.begin(as: replicas[writer], now: 1_000)
    family.edits[edit].perform(&document, &patch, place)
    guard let change = document.commit() else { return nil }
    return (Step(writer: writer, seen: seen, change: change, edit: edit), document)
  }

  private mutating func merge(_ change: Change, into document: Document, _ steps: [Step]) -> Document {
    var document = document
    var patch = Patch()
    do {
      let outcome = try document.merge(change, patch: &patch)
      if outcome != .merged { fail("a change that may merge did not: \(outcome)", steps) }
    } catch {
      fail("\(error)", steps)
    }
    return document
  }

  private mutating func fail(_ what: String, _ steps: [Step]) {
    let world = steps.map { step in
      "replica \(step.writer), having merged \(String(step.seen, radix: 2)): \(family.edits[step.edit].name)"
    }
    failures.append("\(what)\n  " + world.joined(separator: "\n  "))
  }
}
