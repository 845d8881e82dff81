import StarlingCore
import StarlingTestSupport
import StarlingWire
import Testing

@Suite struct `An encoder that writes batch after batch` {
  /// Writes the batches with one encoder, each of which must be what a fresh one writes.
  private func expectSame(_ batches: [[Change]], seed: Int) throws {
    var encoder = Batch.Encoder()
    for (place, changes) in batches.enumerated() {
      let bytes = encoder.encode(changes, in: changes.indices)
      let (isSame, isRead) = (bytes == Batch.encode(changes), try Batch.decode(bytes) == changes)
      try #require(isSame && isRead, "seed \(seed), batch \(place)")
    }
  }

  private func batches(of changes: [Change], _ dice: inout Dice) -> [[Change]] {
    var (batches, rest) = ([[Change]](), changes[...])
    while !rest.isEmpty {
      batches.append(Array(rest.prefix(dice.roll(1..<6))))
      rest = rest.dropFirst(batches[batches.count - 1].count)
    }
    return batches
  }

  @Test(arguments: 0..<60) func `writes what one that knows nothing writes`(seed: Int) throws {
    var drawing = ChangeDrawing(seed: UInt64(seed))
    var dice = Dice(seed: UInt64(seed))
    try expectSame(batches(of: drawing.changes(150), &dice), seed: seed)
  }

  @Test(arguments: 0..<30) func `does so of changes that name their slots by number`(seed: Int) throws {
    var drawing = GroupDrawing(seed: UInt64(seed))
    for _ in 0..<60 { try drawing.write() }
    // Two streams, whose numbers contradict each other.
    var streams = [(LiveEncoder(), LiveDecoder()), (LiveEncoder(), LiveDecoder())]
    var received: [Change] = []
    for change in drawing.log {
      let stream = drawing.dice.roll(0..<2)
      var payload: [UInt8] = []
      streams[stream].0.encode(change, into: &payload)
      received += try streams[stream].1.decode(payload)
    }
    try expectSame(batches(of: received, &drawing.dice), seed: seed)
  }

  @Test(arguments: 0..<20) func `does so where somebody types in between`(seed: Int) throws {
    var typing = TypingDrawing(seed: UInt64(seed))
    var others = ChangeDrawing(seed: UInt64(seed))
    try expectSame(
      (0..<20).map { $0.isMultiple(of: 3) ? others.changes(3) : typing.changes(1 + $0 * 3) }, seed: seed)
  }

  @Test func `defines an object where a change does, and names it where none does`() throws {
    let change = { (number: UInt64, objects: [ObjectDefinition]) in
      Samples.change(
        number, [.set(.integer(1), replacing: [], clearing: nil)], object: Samples.dune.id, key: "copies",
        objects: objects)
    }
    let both = [Samples.books, Samples.dune]
    try expectSame(
      [both, both, [], both, [Samples.dune], [Samples.books], both].enumerated().map {
        [change(UInt64($0 + 1), $1), change(UInt64($0 + 2), both)]
      }, seed: 0)
  }

  @Test func `keeps no more of keys that never come again than of some`() throws {
    var encoder = Batch.Encoder()
    var most = 0
    for number in 1...60_000 as ClosedRange<UInt64> {
      let change = Samples.change(
        number, [.set(.integer(1), replacing: [], clearing: nil)], key: .name("key \(number)"))
      _ = encoder.encode([change], in: 0..<1)
      most = max(most, encoder.keptCount)
    }
    #expect(most < 40_000)
    let long = String(repeating: "long", count: 10_000)
    for number in 1...200 as ClosedRange<UInt64> {
      let change = Samples.change(
        number, [.set(.integer(1), replacing: [], clearing: nil)], key: .name("\(number)" + long))
      _ = encoder.encode([change], in: 0..<1)
      #expect(number < 100 || encoder.keptCount < 100)
    }
  }
}
