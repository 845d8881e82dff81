import StarlingTestSupport
import Foundation
import StarlingCore
import Testing

/// Edits of all kinds, drawn from a seed, in a few containers of the root and in objects below them.
private struct Drawing {
  private var generator: Dice

  init(seed: UInt64) { generator = Dice(seed: seed) }

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  private mutating func range(_ count: Int) -> Range<Int> {
    let start = number(0..<count + 1)
    return start..<min(count, start + number(1..<4))
  }

  /// The root or some object up to two steps down.
  private mutating func object(_ document: inout Document) -> ObjectID {
    var object = ObjectID.root
    for _ in 0..<number(0..<3) {
      let key = Key.integer(Int64(number(0..<3)))
      if case .value(.object(.map), let dot) = document.visible(key, in: object) {
        object = .assigned(by: dot)
      } else if number(0..<3) == 0 {
        object = document.declare(.map, for: key, in: object)
      }
    }
    return object
  }

  mutating func act(_ document: inout Document, _ patch: inout Patch) {
    let object = object(&document)
    // Below the last two nothing is derived, beside the others nothing is counted: a counter that is undone whole
    // goes only where it stands by itself.
    let key = Key.integer(Int64(number(0..<5)))
    let counter = Key.integer(Int64(number(3..<5)))
    switch number(0..<16) {
    case 0..<2: document.set(.integer(Int64(number(0..<5))), for: key, in: object, patch: &patch)
    case 2: document.assignObject(.map, for: key, in: object, patch: &patch)
    case 3: document.set(.derived(.map), for: .integer(0), in: object, patch: &patch)
    case 4: document.remove(key, in: object, patch: &patch)
    case 5: document.increment(counter, in: object, by: Int64(number(-2..<3)), patch: &patch)
    case 6:
      guard case .value(.object, let dot) = document.visible(key, in: .root) else { return }
      document.set(.reference(.assigned(by: dot)), for: .name("to"), in: .root, patch: &patch)
    case 7..<11: editList(document.declare(.list, for: "list", in: object), &document, &patch)
    case 11..<15: editText(document.declare(.text, for: "text", in: object), &document, &patch)
    default: document.remove(number(0..<2) == 0 ? "list" : "text", in: object, patch: &patch)
    }
  }

  private mutating func editList(_ list: ObjectID, _ document: inout Document, _ patch: inout Patch) {
    let count = document.count(in: list)
    switch number(0..<8) {
    case 0..<2: document.insert([.integer(1), .integer(2)], at: number(0..<count + 1), in: list, patch: &patch)
    case 2: document.insert([.object(.map)], at: number(0..<count + 1), in: list, patch: &patch)
    case 3: document.removeItems(range(count), in: list, patch: &patch)
    case 4 where count > 0: document.move(from: number(0..<count), to: number(0..<count), in: list, patch: &patch)
    case 5..<8 where count > 0:
      let key = Key.element(document.element(at: number(0..<count), in: list)!)
      let isCounted = document.count(key, in: list) != 0
      let isText = document.isLive(.derived(parent: list, key: key, kind: .text))
      switch number(0..<4) {
      case 0: document.set(.integer(7), for: key, in: list, patch: &patch)
      case 1 where !isText:
        // An object in an element cannot be written over itself.
        if case .value(.integer, _) = document.visible(key, in: list) {
          document.increment(key, in: list, by: 2, patch: &patch)
        }
      case 2 where !isCounted: editText(document.declare(.text, for: key, in: list), &document, &patch)
      default:
        guard case .value(.object, let dot) = document.visible(key, in: list) else { return }
        document.set(.integer(3), for: "in", in: .assigned(by: dot), patch: &patch)
      }
    default: break
    }
  }

  private mutating func editText(_ text: ObjectID, _ document: inout Document, _ patch: inout Patch) {
    let count = document.count(in: text)
    switch number(0..<8) {
    case 0..<3: document.insert(["a", "bé", "cde"][number(0..<3)], at: number(0..<count + 1), in: text, patch: &patch)
    case 3..<5: document.removeItems(range(count), in: text, patch: &patch)
    default:
      let range = range(count)
      let values = [Value.bool(true), .integer(1), .null]
      document.mark(
        range, number(0..<2) == 0 ? "bold" : "font", value: values[number(0..<3)], expandsLeft: number(0..<2) == 0,
        expandsRight: number(0..<2) == 0, in: text, patch: &patch)
    }
  }
}

/// `STARLING_UNDO_SEED=17` draws that world alone, `STARLING_UNDO_WORLDS=2000` so many.
@Suite struct `Undoing all of one's own steps` {
  private static let seeds: ClosedRange<UInt64> =
    number("STARLING_UNDO_SEED").map { $0...$0 } ?? 1...(number("STARLING_UNDO_WORLDS") ?? 300)

  private static func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init)
  }

  @Test func `shows what was there before, and doing them again what was there after`() throws {
    var stepCount = 0
    for seed in Self.seeds {
      var drawing = Drawing(seed: seed)
      var desk = Desk()
      var other = Desk(1)
      var scenes = [desk.scene]
      for _ in 0..<drawing.number(1..<14) {
        let change = desk.edit { document, patch in
          for _ in 0..<drawing.number(1..<3) { drawing.act(&document, &patch) }
        }
        if let change {
          scenes.append(desk.scene)
          try other.hear(change)
        }
        // What all have merged is collected now and then.
        if drawing.number(0..<5) == 0 { desk.document.collectTombstones(stable: desk.document.version) }
      }
      stepCount += scenes.count - 1
      var place = scenes.count - 1
      // Down and up a few times, in the end all the way.
      for turn in [drawing.number(0..<scenes.count), drawing.number(0..<scenes.count), 0, scenes.count - 1, 0] {
        while place != turn {
          try other.hear(turn < place ? desk.undo() : desk.redo())
          place += turn < place ? -1 : 1
          guard desk.scene == scenes[place] else {
            Issue.record(
              "seed \(seed), step \(place) of \(scenes.count - 1): \(desk.scene) instead of \(scenes[place])")
            return
          }
        }
      }
      #expect(other.document.canonicalSnapshot() == desk.document.canonicalSnapshot(), "seed \(seed)")
    }
    print("Undone and done again: \(stepCount) steps of \(Self.seeds.count) worlds")
  }
}
