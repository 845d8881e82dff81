@testable import StarlingWorlds

extension FuzzedDecoder {
  /// Bytes as what a few replicas do to one document: edits of every kind, undo, changes and states that come in any
  /// order, tombstones that are collected. The laws are those of the drawn worlds (`Tests/Worlds`): all reach what a
  /// model that follows Protocol/merge.md literally says, equal digests at equal versions.
  static let document = FuzzedDecoder(name: "document", byteCountPerByte: 1 << 16, refusesNothing: true) { bytes in
    let world = World(reading: bytes)
    if let finding = world.finding() { throw Broken("\(finding)") }
    return !world.steps.isEmpty
  }
}

extension World {
  private static let stepCountMax = 20

  /// ```
  ///   head: how many replicas and which, whether objects move, who is no member │ a step │ a step │ ...
  ///   step: what, and who │ clock │ numbers ...
  /// ```
  init(reading bytes: [UInt8]) {
    self.init(seed: 0)
    var input = InputReader(bytes)
    let head = input.next()
    let count = 2 + head & 1
    // Ties break by name: any of them may have the lowest.
    let names: [UInt64] = [3, 1 << 40, 5, .max, 1]
    replicas = (0..<count).map { names[($0 + head >> 1 & 7) % names.count] }
    movesObjects = head & 16 != 0
    let stranger = head & 32 != 0 ? (head >> 6) % count : nil
    let verbs = movesObjects ? Act.Verb.allCases : Act.Verb.unmoving
    seed = UInt64(head)
    steps = []
    while !input.isAtEnd, steps.count < Self.stepCountMax {
      let choice = input.next()
      let place = choice / 16 % count
      let from = (place + 1 + choice / 64 % (count - 1)) % count
      switch choice % 16 {
      case 0..<7:
        let clock = UInt64(input.next() % 6)
        let acts = (0...(choice % 16) / 5).map { _ in
          Act(
            verb: verbs[input.next() % verbs.count], place: input.next() % 6, a: input.next() % 64, b: input.next() % 64
          )
        }
        steps.append(.write(place, clock: clock, acts))
      case 7, 8: steps.append(.hear(place, pick: input.next() % 64))
      case 9, 10: steps.append(.catchUp(place, from: from, pick: input.next() % 64))
      case 11: steps.append(.takeState(place, from: from))
      case 12: steps.append(.undo(place, clock: UInt64(input.next() % 6)))
      case 13: steps.append(.redo(place, clock: UInt64(input.next() % 6)))
      default: steps.append(.collect(place, ignoring: stranger.map { $0 == place ? [] : [$0] } ?? []))
      }
    }
  }
}
