import StarlingCore
import StarlingWire
import Testing

@Suite struct `Changes that are lent as they are read` {
  private struct Refusal: Error {}

  @Test(arguments: 0..<20) func `are those that decoding gives, for one who keeps them too`(seed: Int) throws {
    var drawing = ChangeDrawing(seed: UInt64(seed))
    var encoder = LiveEncoder()
    var decoder = LiveDecoder()
    var (written, kept): ([Change], [Change]) = ([], [])
    for _ in 0..<40 {
      let changes = drawing.changes(drawing.dice.roll(1..<6))
      written += changes
      var payload: [UInt8] = []
      for change in changes { encoder.encode(change, into: &payload) }
      try decoder.forEachChange(of: payload) { kept.append(copy $0) }
    }
    let isSameInStream = kept == written
    #expect(isSameInStream, "seed \(seed)")

    kept = []
    try Batch.forEachChange(of: Batch.encode(written)) { kept.append(copy $0) }
    let isSameInBatch = kept == written
    #expect(isSameInBatch, "seed \(seed)")
  }

  @Test func `come one by one out of a history`() throws {
    var drawing = TypingDrawing(seed: 1)
    let typing = drawing.changes(60)
    var kept: [Change] = []
    try Batch.forEachChange(of: Batch.encode(typing)) { kept.append(copy $0) }
    #expect(kept == typing)
  }

  @Test func `end where the bytes are refused`() throws {
    var counters: [UInt64] = []
    var decoder = LiveDecoder()
    #expect(throws: WireError.self) {
      try decoder.forEachChange(of: Array(threeChanges().dropLast())) { counters.append($0.firstCounter) }
    }
    #expect(counters == [1, 2])
    expectBroken(&decoder)
  }

  @Test func `end where they are not taken`() throws {
    var counters: [UInt64] = []
    func take(_ change: borrowing Change) throws {
      counters.append(change.firstCounter)
      if change.firstCounter == 2 { throw Refusal() }
    }
    var decoder = LiveDecoder()
    #expect(throws: Refusal.self) { try decoder.forEachChange(of: threeChanges(), take) }
    #expect(counters == [1, 2])
    expectBroken(&decoder)

    counters = []
    let changes = (1...3).map { Samples.change($0, [.increment(1, birth: $0)]) }
    #expect(throws: Refusal.self) { try Batch.forEachChange(of: Batch.encode(changes), take) }
    #expect(counters == [1, 2])
  }

  private func threeChanges() -> [UInt8] {
    var encoder = LiveEncoder()
    var payload: [UInt8] = []
    for number in 1...3 as ClosedRange<UInt64> {
      encoder.encode(Samples.change(number, [.set(.string("Dune"), replacing: [], clearing: nil)]), into: &payload)
    }
    return payload
  }

  private func expectBroken(_ decoder: inout LiveDecoder) {
    #expect { try decoder.decode([]) } throws: { ($0 as? WireError)?.code == .brokenStream }
  }
}
