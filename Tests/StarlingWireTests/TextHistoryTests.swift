import StarlingTestSupport
import StarlingCore
import StarlingWire
import Testing

@Suite struct `What somebody typed in a batch` {
  private func strokeCount(_ parts: [Contribution]) -> Int {
    parts.reduce(0) { if case .history(let history) = $1 { $0 + history.strokes.count } else { $0 } }
  }

  @Test(arguments: 0..<60) func `comes back change by change`(seed: Int) throws {
    var typing = TypingDrawing(seed: UInt64(seed))
    let changes = typing.changes(typing.dice.roll(1..<400))
    let bytes = Batch.encode(changes)
    let isSame = try Batch.decode(bytes) == changes
    try #require(isSame, "seed \(seed)")
    let isRewritten = try Batch.encode(Batch.decode(bytes)) == bytes
    #expect(isRewritten, "seed \(seed)")
  }

  @Test(arguments: 0..<40) func `comes back between other changes`(seed: Int) throws {
    var others = ChangeDrawing(seed: UInt64(seed))
    var typing = TypingDrawing(seed: UInt64(seed))
    var changes: [Change] = []
    for _ in 0..<12 {
      changes += others.changes(others.dice.roll(0..<6))
      changes += typing.changes(typing.dice.roll(0..<30))
      // What breaks a history: a message, something seen, an object defined otherwise.
      guard var change = changes.popLast() else { continue }
      switch others.dice.roll(0..<4) {
      case 0: change.message = "Saved"
      case 1: change.frontier = [Dot(Samples.bob, 3)]
      case 2: change.objects = []
      default: break
      }
      changes.append(change)
    }
    let isSame = try Batch.decode(Batch.encode(changes)) == changes
    try #require(isSame, "seed \(seed)")
  }

  @Test func `is handed on reduced to its strokes`() throws {
    var typing = TypingDrawing(seed: 1)
    let changes = typing.changes(20_000)
    let bytes = Batch.encode(changes)
    let parts = try Batch.parts(of: bytes)
    guard case .history(let history) = parts.first, parts.count == 1 else {
      Issue.record("It is not one history")
      return
    }
    #expect(history.changes == changes)
    #expect(history.lastCounter == changes.last?.lastCounter)
    #expect(history.stamps.count == 20_000)
    #expect(strokeCount(parts) < 4_000)
    // What the strokes remove and insert is what the changes do.
    var removed: Set<Dot> = []
    for operation in changes.flatMap(\.operations) {
      if case (.element(let first), .removeRun(let count)) = (operation.key, operation.action) {
        removed.formUnion((0..<count).map { Dot(first.replica, first.counter + $0) })
      }
    }
    var struck: Set<Dot> = []
    for stroke in history.strokes {
      guard let first = stroke.firstRemoved else { continue }
      struck.formUnion((0..<stroke.itemCount).map { Dot(first.replica, first.counter + $0) })
    }
    #expect(struck == removed)
  }

  @Test func `costs its text, some bytes a stroke and those of its stamps`() throws {
    var typing = TypingDrawing(seed: 2)
    let changes = typing.changes(20_000)
    let bytes = Batch.encode(changes)
    guard case .history(let history) = try Batch.parts(of: bytes).first else { return }
    var stampless = changes
    for place in stampless.indices {
      stampless[place].stamp = Stamp(rawValue: Samples.stamp.rawValue + UInt64(place))
    }
    let spent = Batch.encode(stampless).count - history.text.utf8.count
    #expect(spent < 7 * history.strokes.count + 3 * history.operationCounts.count + 50)
  }

  @Test func `does not unfold from few bytes`() throws {
    let writer = TypingDrawing.writer
    let changes = (0..<10_000 as Range<UInt64>).map { place in
      Change(
        replica: writer, firstCounter: 20_001 + place, stamp: Stamp(rawValue: Samples.stamp.rawValue + place),
        frontier: [], objects: [TypingDrawing.notes],
        operations: [
          Operation(
            object: TypingDrawing.notes.id, key: .element(Dot(writer, 20_000 - place)), action: .removeRun(count: 1))
        ])
    }
    let bytes = Batch.encode(changes)
    #expect(bytes.count * TextHistory.removalsPerStrokeMax > 10_000)
    #expect(bytes.count < 1000)
    let isSame = try Batch.decode(bytes) == changes
    #expect(isSame)
  }
}

@Suite struct `A text in a history` {
  private func history(_ text: String) -> [Change] {
    var counter: UInt64 = 1
    return text.unicodeScalars.map { scalar in
      defer { counter += 1 }
      let anchor = counter == 1 ? Dot.origin : Dot(TypingDrawing.writer, counter - 1)
      return Change(
        replica: TypingDrawing.writer, firstCounter: counter, stamp: Stamp(rawValue: Samples.stamp.rawValue + counter),
        frontier: [], objects: [TypingDrawing.notes],
        operations: [
          Operation(
            object: TypingDrawing.notes.id, key: .element(anchor),
            action: .insert(.text(Scalars(String(scalar))), side: .right))
        ])
    }
  }

  @Test func `says once what it repeats`() throws {
    let words = "The house, the mouse – Grüße, 🪶. "
    let once = Batch.encode(history(words))
    let often = Batch.encode(history(String(repeating: words, count: 100)))
    #expect(often.count < once.count + words.utf8.count * 100 / 30)
    let isSame = try Batch.decode(often) == history(String(repeating: words, count: 100))
    #expect(isSame)
  }

  @Test func `is written change by change where no peer would unpack it`() throws {
    let paste = String(repeating: "The house, the mouse. ", count: 200_000)
    var changes: [Change] = []
    var counter: UInt64 = 1
    for _ in 0..<4 {
      changes.append(
        Change(
          replica: TypingDrawing.writer, firstCounter: counter, stamp: Samples.stamp, frontier: [],
          objects: [TypingDrawing.notes],
          operations: [
            Operation(
              object: TypingDrawing.notes.id, key: .element(.origin),
              action: .insert(.text(Scalars(paste)), side: .right)
            )
          ]))
      counter += UInt64(paste.utf8.count)
    }
    // So the log splits it by its size.
    #expect(Batch.encode(changes).count > 16 << 20)
  }

  @Test(arguments: 0..<60) func `comes back, however it repeats`(seed: Int) throws {
    var dice = Dice(seed: UInt64(seed))
    let pieces = (0..<4).map { _ in dice.text(atMost: 30) + "." }
    var text = ""
    for _ in 0..<dice.roll(1..<80) {
      text += dice.oneIn(8) ? String(repeating: "–", count: dice.roll(1..<200)) : dice.pick(pieces)
    }
    let changes = history(text)
    let isSame = try Batch.decode(Batch.encode(changes)) == changes
    try #require(isSame, "seed \(seed)")
  }
}
