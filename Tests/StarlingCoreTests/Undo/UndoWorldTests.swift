import StarlingCore
import Testing

/// Every world of a few edits, undos and redos by two replicas, each of which may have heard of everything before
/// it writes: what comes of them must not depend on the order in which the changes are heard of.
private struct UndoWorlds {
  private(set) var worldCount = 0
  private(set) var undoCount = 0
  private(set) var failures: [String] = []
  private let family: Family
  private let length: Int

  init(_ family: Family, length: Int) {
    self.family = family
    self.length = length
  }

  private struct World {
    var desks: [Desk]
    /// Which changes each desk has.
    var seen = [0, 0]
    var changes: [Change] = []
    /// A document for each closed set of changes, by one way.
    var states: [Int: Document] = [0: Document()]
    var story: [String] = []

    /// Under drawn names: it is not always who writes first that has the lower one.
    init() { desks = Group.replicas(2, seed: Group.seed).enumerated().map { Desk($0, as: $1) } }
  }

  mutating func run() { extend(World()) }

  private mutating func extend(_ world: World) {
    guard world.changes.count < length else { return }
    for place in 0..<2 where place == 0 || !world.changes.isEmpty {
      for hears in [false, true] {
        var base = world
        if hears {
          guard hear(place, &base) else { continue }
        }
        for action in 0..<family.edits.count + 2 {
          var next = base
          guard let change = act(action, place, &next) else { continue }
          next.story[next.story.count - 1] = "\(place)\(hears ? " hears and" : ""): " + next.story.last!
          visit(&next, change, by: place)
        }
      }
    }
  }

  /// - Returns: Whether there was anything to hear.
  private func hear(_ place: Int, _ world: inout World) -> Bool {
    let all = 1 << world.changes.count - 1
    guard world.seen[place] != all else { return false }
    for (number, change) in world.changes.enumerated() where world.seen[place] >> number & 1 == 0 {
      try! world.desks[place].hear(change)
    }
    world.seen[place] = all
    return true
  }

  private mutating func act(_ action: Int, _ place: Int, _ world: inout World) -> Change? {
    if action < family.edits.count {
      world.story.append(family.edits[action].name)
      return world.desks[place].edit { family.edits[action].perform(&$0, &$1, place) }
    }
    undoCount += 1
    world.story.append(action == family.edits.count ? "undo" : "redo")
    return action == family.edits.count ? world.desks[place].undo() : world.desks[place].redo()
  }

  private mutating func visit(_ world: inout World, _ change: Change, by place: Int) {
    worldCount += 1
    let seen = world.seen[place]
    let number = world.changes.count
    world.changes.append(change)
    world.seen[place] |= 1 << number
    for set in world.states.keys.sorted() where set & seen == seen {
      world.states[set | 1 << number] = merged(change, into: world.states[set]!)
    }
    let whole = world.states[1 << world.changes.count - 1]!.canonicalSnapshot()
    for (last, change) in world.changes.enumerated() {
      guard let former = world.states[(1 << world.changes.count - 1) & ~(1 << last)] else { continue }
      if merged(change, into: former).canonicalSnapshot() != whole { failures.append("\(world.story)") }
    }
    if world.desks[place].document.canonicalSnapshot() != world.states[world.seen[place]]!.canonicalSnapshot() {
      failures.append("\(world.story): the writer differs")
    }
    extend(world)
  }

  private func merged(_ change: Change, into document: Document) -> Document {
    var (document, patch) = (document, Patch())
    _ = try! document.merge(change, patch: &patch)
    return document
  }
}

@Suite struct `Undoing` {
  @Test(arguments: [
    Family.registers, .counterAndRegister, .assignedInDerived, .derivedInAssigned, .listsThatMove, .listsOfObjects,
    .texts,
    .marks,
  ])
  func `makes changes that lead to one state in every order`(_ family: Family) {
    var worlds = UndoWorlds(family, length: family.edits.count > 4 ? 3 : 4)
    worlds.run()
    print("\(family.name): \(worlds.worldCount) worlds with undo, \(worlds.undoCount) undos and redos tried")
    #expect(worlds.worldCount > 100)
    #expect(
      worlds.failures.isEmpty,
      "\(worlds.failures.count) failures with STARLING_SEED=\(Group.seed), the first: \(worlds.failures.first ?? "")")
  }
}
