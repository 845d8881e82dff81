import StarlingTestSupport
import StarlingCore

/// Draws what one person types: mostly on and on, a word taken back, then somewhere else.
struct TypingDrawing {
  private(set) var counter: UInt64
  private var stamp = Stamp(milliseconds: 1_700_000_000_000)
  var dice: Dice
  /// The item before the caret.
  private var caret = Dot.origin
  /// How many operations go on as the last one did, and how that was.
  private var left = 0
  private var habit = 0

  static let writer = ReplicaID(rawValue: 0x0123_4567_89AB_CDEF)
  static let notes = ObjectDefinition(parent: .root, key: "notes", kind: .text)

  init(seed: UInt64, counter: UInt64 = 0) {
    dice = Dice(seed: seed)
    self.counter = counter
  }

  mutating func changes(_ count: Int) -> [Change] {
    (0..<count).map { _ in change() }
  }

  /// - Parameter operationCount: how many operations; by default mostly one.
  mutating func change(of operationCount: Int? = nil) -> Change {
    switch dice.roll(0..<40) {
    case 0: stamp = Stamp(milliseconds: stamp.milliseconds + UInt64(dice.roll(1..<100_000)))
    case 1: stamp = Stamp(rawValue: stamp.rawValue + UInt64(dice.roll(0..<5)))
    case 2..<15: stamp = Stamp(milliseconds: stamp.milliseconds + 100)
    default: stamp = stamp.successor
    }
    let first = counter + 1
    let operations = (0..<(operationCount ?? (dice.oneIn(12) ? 2 : 1))).map { _ in operation() }
    return Change(
      replica: Self.writer, firstCounter: first, stamp: stamp, frontier: [], objects: [Self.notes],
      operations: operations)
  }

  private mutating func operation() -> Operation {
    if left == 0 {
      left = dice.roll(1..<30)
      habit = dice.roll(0..<6)
      if counter > 10, dice.oneIn(2) { caret = Dot(Self.writer, UInt64(dice.roll(1..<Int(counter)))) }
    }
    left -= 1
    switch habit {
    case 0 where caret.counter > 0:
      defer { caret.counter -= 1 }
      if caret.counter == 1 { left = 0 }
      return removal(from: caret, count: 1)
    case 1 where caret.counter > 0 && caret.counter < counter:
      caret.counter += 1
      return removal(from: caret, count: 1)
    case 2 where caret.counter > 5:
      caret.counter -= 3
      return removal(from: Dot(caret.replica, caret.counter + 1), count: 3)
    default:
      let text = dice.oneIn(25) ? dice.text() + "." : dice.pick(["a", "e", " ", "n", "ß", "–"])
      let side: Side = left > 0 || caret.counter == 0 || dice.oneIn(2) ? .right : .left
      let anchor = caret.counter == 0 ? Dot.origin : caret
      caret = Dot(Self.writer, counter + UInt64(text.unicodeScalars.count))
      counter = caret.counter
      return Operation(
        object: Self.notes.id, key: .element(anchor), action: .insert(.text(Scalars(text)), side: side))
    }
  }

  private mutating func removal(from first: Dot, count: UInt64) -> Operation {
    counter += 1
    return Operation(object: Self.notes.id, key: .element(first), action: .removeRun(count: count))
  }
}
