package import StarlingModel
import StarlingTestSupport

/// One who holds and writes whatever comes along.
package final class Keeper {
  package let root: Thing
  private let undo: ReplicatedUndoManager
  /// Of what is done next: what was done before has no part in it.
  private var dice = Dice(seed: 0)
  private let seed: UInt64
  private var number: UInt64 = 0
  private var things: [Thing] = []
  private var texts: [ReplicatedText] = []
  private var lists: [ReplicatedArray<Thing>] = []
  private var dictionaries: [ReplicatedDictionary<String, Thing>] = []

  package init(_ root: Thing, _ space: ModelSpace, seed: UInt64) {
    self.root = root
    self.seed = seed
    undo = space.undoManager(typingPause: nil)
  }

  private func pick<Element>(_ all: [Element]) -> Element? { all.isEmpty ? nil : all[dice.roll(all.count)] }
  private func pickThing() -> Thing { dice.oneIn(4) ? root : pick(things) ?? root }

  /// Does something or other.
  package func act(_ step: Int) {
    number += 1
    dice = Dice(seed: seed &* 1_000_003 &+ number)
    switch dice.roll(10) {
    case 0...2: hold(pickThing())
    case 3: drop()
    case 4, 5: writeHeld(step)
    case 6: if dice.oneIn(2) { _ = try? dice.oneIn(2) ? undo.undo() : undo.redo() }
    case 7: transact(step)
    default: write(pickThing(), step)
    }
  }

  private func transact(_ step: Int) {
    struct Back: Error {}
    try? withTransaction {
      for _ in 0...dice.roll(4) { write(pickThing(), step) }
      if dice.oneIn(2) { hold(pickThing()) }
      if dice.oneIn(2) { throw Back() }
    }
  }

  // MARK: Holding

  private func hold(_ thing: Thing) {
    switch dice.roll(8) {
    case 0: pick(thing.list.map { $0 }).map { things.append($0) }
    case 1: pick(thing.dictionary.keys).flatMap { thing.dictionary[$0] }.map { things.append($0) }
    case 2: thing.child.map { things.append($0) }
    case 3: pick(thing.models).map { things.append($0) }
    case 4: thing.nested.list.first.map { things.append($0) }
    case 5: texts.append(dice.oneIn(2) ? thing.text : thing.nested.text)
    case 6: lists.append(dice.oneIn(2) ? thing.list : thing.nested.list)
    default: dictionaries.append(thing.dictionary)
    }
  }

  private func drop() {
    if things.count > 6 { things.remove(at: dice.roll(things.count)) }
    if texts.count > 4 { texts.remove(at: dice.roll(texts.count)) }
    if lists.count > 4 { lists.remove(at: dice.roll(lists.count)) }
    if dictionaries.count > 4 { dictionaries.remove(at: dice.roll(dictionaries.count)) }
  }

  // MARK: Writing

  private func writeHeld(_ step: Int) {
    switch dice.roll(3) {
    case 0: pick(texts).map { write($0, step) }
    case 1: pick(lists).map { write($0, step) }
    default: pick(dictionaries).map { write($0, step) }
    }
  }

  private func write(_ text: ReplicatedText, _ step: Int) {
    let place = dice.roll(text.count + 1)
    if dice.oneIn(3) { return text.remove(place..<min(text.count, place + dice.roll(4))) }
    text.insert("\(step % 10)", at: place)
  }

  private func write(_ list: ReplicatedArray<Thing>, _ step: Int) {
    guard list.count > 0, list.count < 5 || dice.oneIn(2) else { return list.append(made(step)) }
    let place = dice.roll(list.count)
    switch dice.roll(4) {
    case 0: list.remove(at: place)
    case 1: list.move(from: place, to: dice.roll(list.count))
    case 2: list.insert(movable() ?? made(step), at: place)
    default: list.insert(made(step), at: place)
    }
  }

  private func write(_ dictionary: ReplicatedDictionary<String, Thing>, _ step: Int) {
    let name = "\(dice.roll(3))"
    switch dice.roll(4) {
    case 0: dictionary[name] = nil
    case 1: dictionary[name] = made(step)
    case 2: dictionary[name] = movable() ?? made(step)
    default: things.append(dictionary.model(for: name))
    }
  }

  private func write(_ thing: Thing, _ step: Int) {
    switch dice.roll(10) {
    case 0: thing.name = "\(step)"
    case 1: write(thing.text, step)
    case 2: write(thing.list, step)
    case 3: write(thing.dictionary, step)
    case 4: thing.child = dice.oneIn(3) ? nil : dice.oneIn(2) ? made(step) : movable()
    case 5: thing.plain.insert(step, at: dice.roll(thing.plain.count + 1))
    case 6: if !thing.plain.isEmpty { thing.plain.remove(at: dice.roll(thing.plain.count)) }
    case 7: thing.models = Array(thing.models.reversed().prefix(3)) + (dice.oneIn(2) ? [made(step)] : [])
    case 8: if dice.oneIn(3) { thing.nested = Nested() } else { write(thing.nested.text, step) }
    default: write(thing.nested.list, step)
    }
  }

  private func movable() -> Thing? { pick(things.filter { $0 !== root }) }

  private func made(_ step: Int) -> Thing {
    let thing = Thing()
    thing.name = "new \(step)"
    if dice.oneIn(2) { thing.text.append("text") }
    if dice.oneIn(3) { thing.list.append(Thing()) }
    if dice.oneIn(3) { thing.dictionary.model(for: "0").name = "in \(step)" }
    if dice.oneIn(5) { thing.child = movable() }
    return thing
  }
}

/// A model that holds whatever a model can.
@Replicated package final class Thing: Sendable {
  package init() {}

  package var name = ""
  package var text = ReplicatedText()
  package var list: ReplicatedArray<Thing> = []
  package var dictionary: ReplicatedDictionary<String, Thing> = [:]
  package var child: Thing?
  package var plain: [Int] = []
  package var models: [Thing] = []
  package var nested = Nested()

  /// All that is in it.
  package var shown: String { shown(within: 40) }

  private func shown(within depth: Int) -> String {
    if depth == 0 { return "without end" }
    func all(_ things: some Sequence<Thing>) -> String {
      things.map { $0.shown(within: depth - 1) }.joined(separator: " ")
    }
    let entries = dictionary.map { "\($0): \($1.shown(within: depth - 1))" }.joined(separator: " ")
    let (child, nested) = (child?.shown(within: depth - 1) ?? "", "'\(nested.text)' [\(all(nested.list))]")
    return "(\(name) '\(text)' [\(all(list))] {\(entries)} <\(child)> \(plain) [\(all(models))] (\(nested)))"
  }
}

@Replicated package final class Nested: Sendable {
  package init() {}

  package var text = ReplicatedText()
  package var list: ReplicatedArray<Thing> = []
}
