import StarlingTestSupport
import StarlingCore

/// Draws operations on sequences as people write them: mostly where the one before left off.
struct SequenceDrawing {
  private var items: [ObjectID: [Dot]] = [:]
  private var latest: (object: ObjectID, item: Dot)?

  /// One that was inserted into `object`, or any.
  func item(in object: ObjectID, _ dice: inout Dice) -> Dot {
    guard let known = items[object], !dice.oneIn(10) else { return dice.dot() }
    return dice.pick(known)
  }

  mutating func operation(_ dot: Dot, in object: ObjectID, _ dice: inout Dice) -> Operation {
    if let latest, !dice.oneIn(4) { return operation(dot, at: latest.item, in: latest.object, &dice) }
    return operation(dot, at: item(in: object, &dice), in: object, &dice)
  }

  private mutating func operation(
    _ dot: Dot, at item: Dot, in object: ObjectID, _ dice: inout Dice
  ) -> Operation {
    switch dice.roll(0..<10) {
    case 0..<5:
      let content = dice.content()
      let anchor = dice.oneIn(4) ? edge(in: object, &dice) : Edge(.right, of: item)
      let last = Dot(dot.replica, dot.counter + UInt64(content.count) - 1)
      items[object, default: []] += [dot, last]
      latest = (object, last)
      return Operation(object: object, key: .element(anchor.item), action: .insert(content, side: anchor.side))
    case 5..<8:
      let count = dice.oneIn(2) ? 1 : UInt64(dice.roll(1..<6))
      // Backwards, forwards, anywhere.
      let first = [item.counter - min(item.counter - 1, count - 1), item.counter + 1, item.counter][dice.roll(0..<3)]
      latest = (object, Dot(item.replica, max(1, first - 1)))
      return Operation(object: object, key: .element(Dot(item.replica, first)), action: .removeRun(count: count))
    case 8:
      let replaced = dice.oneIn(2) ? [item] : dice.dots()
      return Operation(
        object: object, key: .element(item), action: .move(to: edge(in: object, &dice), replacing: replaced))
    default:
      let mark = MarkOperation(
        start: edge(in: object, &dice), end: edge(in: object, &dice), rank: dice.spread(), value: dice.value(),
        replacing: dice.dots())
      return Operation(object: object, key: dice.key(), action: .mark(mark))
    }
  }

  private func edge(in object: ObjectID, _ dice: inout Dice) -> Edge {
    Edge(dice.oneIn(2) ? .left : .right, of: dice.oneIn(5) ? .origin : item(in: object, &dice))
  }
}

extension Dice {
  mutating func content() -> Content {
    if oneIn(3) { return .values((0..<roll(1..<7)).map { _ in value() }) }
    return .text(Scalars(oneIn(2) ? pick(["a", "b", " ", "ß", "–", "🪶"]) : text() + "."))
  }
}
