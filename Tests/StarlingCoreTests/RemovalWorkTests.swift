import StarlingTestSupport
import Testing

@testable import StarlingCore

@Suite struct `What removals look through` {
  private let writer = ReplicaID(rawValue: 1)
  private let stranger = ReplicaID(rawValue: 2)

  /// A document in whose list or text each item is a run of its own, and the change that wrote it.
  private func scattered(_ kind: Kind, _ count: Int) -> (Document, ObjectID) {
    var document = Document()
    var patch = Patch()
    document.begin(as: writer, now: 1)
    let object = document.declare(kind, for: "sequence", in: .root)
    for _ in 0..<count {
      if kind == .text {
        document.insert("a", at: 0, in: object, patch: &patch)
      } else {
        document.insert([.null], at: 0, in: object, patch: &patch)
      }
    }
    _ = document.commit()
    return (document, object)
  }

  private func removals(of object: ObjectID, _ kind: Kind, _ ranges: [(from: UInt64, count: UInt64)]) -> Change {
    Change(
      replica: stranger, firstCounter: 1, stamp: Stamp(rawValue: 1), frontier: [],
      objects: [ObjectDefinition(parent: .root, key: "sequence", kind: kind)],
      operations: ranges.map {
        Operation(object: object, key: .element(Dot(writer, $0.from)), action: .removeRun(count: $0.count))
      })
  }

  @Test(arguments: [Kind.text, .list]) func `is each run once, and some for each removal`(kind: Kind) throws {
    let count = 2000
    var (document, object) = scattered(kind, count)
    var patch = Patch()
    // All of it, again and again, a little less each time.
    let change = removals(
      of: object, kind, (0..<1000).map { ($0 % 5 + 1, UInt64(count) - $0 % 7 - $0 % 5) })
    #expect(try document.merge(change, patch: &patch) == .merged)
    #expect(document.count(in: object) == 0)
    #expect(document.removalLookCount <= count + 34 * change.operations.count)
    #expect(!patch.sequences.isEmpty)
  }

  @Test func `is the same for ranges that overlap at random`() throws {
    for seed in 0..<20 as Range<UInt64> {
      var generator = Dice(seed: seed)
      let count = 400
      var (document, object) = scattered(.text, count)
      let ranges = (0..<60).map { _ in
        let from = UInt64.random(in: 1...UInt64(count), using: &generator)
        return (from: from, count: UInt64.random(in: 1...UInt64(count) - from + 1, using: &generator) / 3 + 1)
      }.filter { $0.from + $0.count <= UInt64(count) + 1 }
      var patch = Patch()
      _ = try document.merge(removals(of: object, .text, ranges), patch: &patch)
      let removed = Set(ranges.flatMap { $0.from..<$0.from + $0.count })
      #expect(document.count(in: object) == count - removed.count, "seed \(seed)")
      #expect(document.removalLookCount <= count + 34 * ranges.count, "seed \(seed)")
    }
  }

  @Test func `leaves no note where it is little`() {
    var (document, object) = scattered(.text, 200)
    var patch = Patch()
    document.begin(as: writer, now: 2)
    for _ in 0..<200 { document.removeItems(0..<1, in: object, patch: &patch) }
    _ = document.commit()
    #expect(document.sequenceHandles.allSatisfy { document.sequences[$0].bare.isEmpty })
  }
}
