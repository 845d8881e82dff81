import StarlingCore
import Testing

@Suite struct `A copy of a document` {
  // Around the sizes at which rows begin another piece of memory.
  @Test(arguments: [1, 3, 4, 5, 8, 511, 512, 513, 1025])
  func `is a document of its own`(_ count: Int) {
    var group = Group(1)
    group.write(0) { document, patch in
      for number in 0..<count {
        document.set(.string("value \(number)"), for: .integer(Int64(number)), in: .root, patch: &patch)
      }
    }
    let before = group.documents[0].snapshot()

    var copy = group.documents[0]
    var patch = Patch()
    copy.begin(as: Group.replica(1), now: group.now)
    copy.set(.string("written in the copy"), for: .integer(0), in: .root, patch: &patch)
    copy.set(.string("new in the copy"), for: "copy", in: .root, patch: &patch)
    copy.remove(.integer(Int64(count - 1)), in: .root, patch: &patch)
    _ = copy.commit()
    copy.checkInvariants()
    #expect(group.documents[0].snapshot() == before)

    let after = copy.snapshot()
    group.set(0, .integer(0), .string("written in the original"))
    group.set(0, "original", .string("new in the original"))
    #expect(copy.snapshot() == after)
    #expect(group.documents[0].snapshot() != before)
  }
}
