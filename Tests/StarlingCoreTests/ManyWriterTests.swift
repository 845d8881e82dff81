import StarlingCore
import StarlingTestSupport
import Testing

@Suite struct `A document of many writers` {
  /// So many replicas that write once each, in one slot or each in its own, without knowing of each other.
  private static func changes(_ count: Int, in oneSlot: Bool) -> [Change] {
    (1...UInt64(count)).map { number in
      let key: Key = oneSlot ? "title" : .integer(Int64(number))
      let set = Action.set(.integer(1), replacing: [], clearing: nil)
      return Change(
        replica: ReplicaID(rawValue: number &* 0x9E37_79B9_7F4A_7C15), firstCounter: 1, stamp: Stamp(rawValue: number),
        frontier: [], objects: [], operations: [Operation(object: .root, key: key, action: set)])
    }
  }

  private static func mergeTime(_ count: Int, in oneSlot: Bool) throws -> Duration {
    let changes = changes(count, in: oneSlot)
    var document = Document()
    var patch = Patch()
    return try threadTime {
      for change in changes { _ = try document.merge(change, patch: &patch) }
    }
  }

  /// Twice as many take about twice as long, where the square would be four times.
  @Test(arguments: [true, false])
  func `merges each of twice as many in the same time`(inOneSlot: Bool) throws {
    let few = try Self.mergeTime(500, in: inOneSlot)
    let many = try Self.mergeTime(2000, in: inOneSlot)
    #expect(many < few * 8, "500 took \(few), 2,000 took \(many)")
  }
}

@Suite struct `A version beside another` {
  private func version(_ replicas: [UInt64]) -> VersionVector {
    VersionVector(replicas.map { VersionVector.Entry(replica: ReplicaID(rawValue: $0), counter: 3) })
  }

  @Test func `keeps what that names, and so many strangers`() {
    let known = version([2, 4, 6])
    let claimed = version([1, 2, 3, 4, 5, 7])
    #expect(claimed.strangerCount(to: known) == 4)
    #expect(claimed.keepingStrangers(to: known, atMost: 2) == version([1, 2, 3, 4]))
    #expect(claimed.keepingStrangers(to: known, atMost: 0) == version([2, 4]))
    #expect(claimed.keepingStrangers(to: known, atMost: 4) == claimed)
    #expect(claimed.keepingStrangers(to: VersionVector(), atMost: 1) == version([1]))
    #expect(known.strangerCount(to: known) == 0)
  }
}
