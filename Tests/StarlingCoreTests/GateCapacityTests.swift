import StarlingCore
import Testing

@Suite struct `What waits at the gate` {
  private func change(_ replica: UInt64, _ counter: UInt64, byteCount: Int) -> Change {
    Change(
      replica: ReplicaID(rawValue: replica), firstCounter: counter, stamp: Stamp(rawValue: 1), frontier: [],
      objects: [],
      operations: [
        Operation(
          object: .root, key: "title",
          action: .set(.bytes([UInt8](repeating: 1, count: byteCount)), replacing: [], clearing: nil))
      ])
  }

  private func receive(_ change: Change, at gate: inout CausalGate, into document: inout Document) throws
    -> CausalGate.Received
  {
    var patch = Patch()
    return try gate.receive(change, into: &document, patch: &patch)
  }

  @Test func `takes no more bytes than it may, and the oldest goes first`() throws {
    var gate = CausalGate(byteCountMax: 5000)
    var document = Document()
    for counter in 2...10 as ClosedRange<UInt64> {
      #expect(try receive(change(1, counter, byteCount: 1000), at: &gate, into: &document).unheldCount == 0)
    }
    #expect(gate.count == 3 && gate.byteCount <= 5000)
  }

  @Test func `is bounded for each who brings it, whose room comes back`() throws {
    var gate = CausalGate()
    var document = Document()
    gate.bringer = CausalGate.Bringer(name: "ada", byteCountMax: 3000)
    var unheldCount = 0
    for counter in 2...10 as ClosedRange<UInt64> {
      unheldCount += try receive(change(1, counter, byteCount: 1000), at: &gate, into: &document).unheldCount
    }
    #expect(unheldCount == 7 && gate.count == 2)
    gate.bringer = nil
    _ = try receive(change(2, 2, byteCount: 9000), at: &gate, into: &document)
    #expect(gate.count == 3 && gate.byteCount(of: "ada") < 3000)
    // What both stood on comes, and nothing waits any more.
    #expect(try receive(change(1, 1, byteCount: 1), at: &gate, into: &document).merged.count == 3)
    #expect(gate.byteCount(of: "ada") == 0 && gate.bringers.isEmpty && gate.count == 1)
    _ = try receive(change(2, 1, byteCount: 1), at: &gate, into: &document)
    #expect(gate.byteCount == 0)
  }
}
