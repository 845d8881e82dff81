import StarlingCore
import StarlingTestSupport

/// A few replicas and what they do, drawn from a seed: a list of steps, each of which means something whatever the ones
/// before it did, so that a world is still one when steps are left out (`Shrinking.swift`).
///
/// ```
///   seed ──► draw ──► steps ──► run ──► fault? ──► shrink ──► the shortest trace
/// ```
package struct World {
  /// What a replica does to its document. The numbers choose among what it sees.
  package struct Act: Hashable {
    package enum Verb: CaseIterable {
      case type, removeText, mark, unmark, insert, insertObject, removeElements, move, setElement, countElement
      case set, present, assign, clear, count
      /// What is done to objects that move (`Act+Moving.swift`).
      case newObject, place, setAside, removeObject, editObject

      static let moving: [Verb] = [.newObject, .place, .setAside, .removeObject, .editObject]
      static let unmoving = allCases.filter { !moving.contains($0) }
    }

    package var verb: Verb
    package var place: Int
    package var a: Int
    package var b: Int
  }

  package enum Step: Hashable {
    /// One change. The clock says so many milliseconds, which are often the same at several replicas.
    case write(Int, clock: UInt64, [Act])
    case undo(Int, clock: UInt64)
    case redo(Int, clock: UInt64)
    /// Merges one of the changes that it may merge next.
    case hear(Int, pick: Int)
    /// Merges the changes that another one has, in some causal order.
    case catchUp(Int, from: Int, pick: Int)
    /// Merges another one's state.
    case takeState(Int, from: Int)
    /// Collects what all have, as far as they have told, but for those that it does not know of.
    case collect(Int, ignoring: Set<Int>)
  }

  package var seed: UInt64
  package var replicas: [UInt64]
  package var steps: [Step]
  /// Whether replicas hold removed objects for those who may move them.
  package var movesObjects = false

  /// Draws the world of a seed.
  package init(seed: UInt64) {
    self.seed = seed
    var dice = Dice(seed: seed)
    let theme = Theme.allCases[dice.roll(Theme.allCases.count)]
    let count = 2 + dice.roll(theme.collectsAtOnce ? 2 : 3)
    replicas = (0..<count).map { _ in dice.next() | 1 }
    steps = []
    // A replica that only passes on; one that is away and comes back late; one that the others do not know as a member,
    // as a client behind a relay, which may be the one that is away.
    let relay = count > 2 && dice.oneIn(4) ? count - 1 : nil
    let stranger = theme == .forgottenMarks || dice.oneIn(9) ? dice.roll(count) : nil
    let away = stranger != nil && dice.oneIn(2) ? stranger : dice.oneIn(4) ? dice.roll(count) : nil
    let verbs = theme == .any ? (0..<2 + dice.roll(5)).map { _ in dice.pick(Act.Verb.unmoving) } : theme.verbs
    // Worlds with few places in them find more of what goes wrong in one.
    let places = (0..<(theme == .any ? 1 + dice.roll(2) : 1)).map { _ in dice.roll(4) }
    // So do acts that repeat their numbers: what one marks is what another one unmarks, and what it moves is removed.
    let numbers = (0..<2).map { _ in (a: dice.oneIn(2) ? dice.roll(4) : dice.roll(64), b: dice.roll(64)) }
    func act(_ verbs: [Act.Verb], at place: Int) -> Act {
      let number = dice.oneIn(theme == .any ? 2 : 4) ? (a: dice.roll(64), b: dice.roll(64)) : dice.pick(numbers)
      return Act(verb: dice.pick(verbs), place: place, a: number.a, b: number.b)
    }
    func collection(at place: Int) -> Step {
      .collect(place, ignoring: stranger == nil || stranger == place ? [] : [stranger!])
    }
    if !dice.oneIn(4) {
      // Something that all have, so that what they do next is done to the same.
      let base = theme == .any ? [.type, .insert] : theme.base
      steps.append(.write(0, clock: UInt64(dice.roll(6)), base.map { act([$0], at: places[0]) }))
      for place in 1..<count { steps.append(.catchUp(place, from: 0, pick: 0)) }
    }
    for _ in 0..<5 + dice.roll(12) {
      let place = dice.roll(count)
      let from = (place + 1 + dice.roll(count - 1)) % count
      switch dice.roll(20) {
      case 0..<9:
        guard place != relay else { continue }
        let acts = (0..<1 + (dice.oneIn(4) ? 1 : 0)).map { _ in act(verbs, at: dice.pick(places)) }
        let clock = UInt64(dice.roll(6))
        steps.append(.write(place, clock: clock, acts))
        if acts.count == 1, [.count, .countElement].contains(acts[0].verb), dice.oneIn(2) {
          steps.append(.undo(place, clock: clock))
        }
        guard theme.collectsAtOnce, dice.oneIn(2) else { continue }
        // Another one hears of it at once, and either of them collects what that makes stable.
        if from != away {
          steps.append(
            dice.oneIn(3) ? .takeState(from, from: place) : .catchUp(from, from: place, pick: dice.roll(64)))
        }
        steps.append(collection(at: dice.oneIn(2) ? from : place))
      case 9..<12 where place != away: steps.append(.hear(place, pick: dice.roll(64)))
      case 12..<15 where place != away: steps.append(.catchUp(place, from: from, pick: dice.roll(64)))
      case 15 where place != away: steps.append(.takeState(place, from: from))
      case 16 where place != relay: steps.append(.undo(place, clock: UInt64(dice.roll(6))))
      case 17 where place != relay && theme == .any: steps.append(.redo(place, clock: UInt64(dice.roll(6))))
      case 17...19: steps.append(collection(at: place))
      default: continue
      }
    }
  }

  /// What a world is mostly about: what goes wrong between two sorts of act is rare among all of them.
  private enum Theme: CaseIterable {
    case any
    case marksAndClears
    case movesAndRemovals
    case forgottenMarks
    case counters

    /// What all begin with.
    var base: [Act.Verb] {
      switch self {
      case .any: []
      case .marksAndClears: [.type, .type]
      case .movesAndRemovals: [.insert, .insert]
      case .forgottenMarks: [.type, .type]
      case .counters: [.insert, .type]
      }
    }

    var verbs: [Act.Verb] {
      switch self {
      case .any: []
      case .marksAndClears: [.type, .mark, .mark, .unmark, .clear, .clear, .removeText]
      case .movesAndRemovals: [.insert, .insert, .move, .move, .removeElements, .removeElements, .clear]
      case .forgottenMarks: [.mark, .mark, .mark, .unmark, .unmark, .unmark, .type, .removeText]
      case .counters: [.count, .count, .countElement, .set, .clear, .type, .setElement]
      }
    }

    /// Whether what goes wrong does so between two collections, while others write.
    var collectsAtOnce: Bool { self == .movesAndRemovals || self == .forgottenMarks }
  }

  /// Whether replicas collect what somebody unknown to them may need.
  package var hasStaleMembership: Bool {
    steps.contains {
      if case .collect(_, let ignored) = $0 { !ignored.isEmpty } else { false }
    }
  }
}
