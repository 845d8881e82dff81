import StarlingCore
import StarlingTestSupport
import Testing

@Suite struct `A cut of a document` {
  /// A map of 10,240 slots, twenty full pieces.
  private static func shelf() -> Document {
    var document = Document()
    var patch = Patch()
    document.begin(as: Group.replica(0), now: 1)
    for number in 0..<10_240 {
      document.set(.integer(Int64(number)), for: .integer(Int64(number)), in: .root, patch: &patch)
    }
    _ = document.commit()
    return document
  }

  private static func write(_ document: inout Document, _ body: (inout Document, inout Patch) -> Void) {
    var patch = Patch()
    document.begin(as: Group.replica(0), now: 2)
    body(&document, &patch)
    _ = document.commit()
  }

  @Test func `copies nothing, and an index never`() {
    let document = Self.shelf()
    let cut = document.cut()
    #expect(cut.copiedPieceCount(in: document) == 0)
    #expect(cut.sharedBucketCount == 0)
  }

  @Test func `has a write copy the rows around it, and those alone`() {
    var document = Self.shelf()
    let cut = document.cut()
    Self.write(&document) { $0.set(.integer(-1), for: .integer(5), in: .root, patch: &$1) }
    // Its slot's, and its object's.
    #expect(cut.copiedPieceCount(in: document) == 2)
    // The same piece of slots again, and another one.
    Self.write(&document) { document, patch in
      document.set(.integer(-1), for: .integer(6), in: .root, patch: &patch)
      document.set(.integer(-1), for: .integer(6000), in: .root, patch: &patch)
    }
    #expect(cut.copiedPieceCount(in: document) == 3)
    // The row, its key, its neighbours, the object, and pieces that hold what is new.
    Self.write(&document) { document, patch in
      document.remove(.integer(3000), in: .root, patch: &patch)
      document.set(.string("new"), for: "new", in: .root, patch: &patch)
    }
    #expect(cut.copiedPieceCount(in: document) <= 12)
    document.checkInvariants()
  }

  @Test(arguments: 0..<40) func `stays as it was while its document is written on`(seed: UInt64) throws {
    var world = RandomWorld(seed: seed, replicaCount: 2)
    for _ in 0..<25 { try world.step() }
    let expectations = world.documents.map { Expectation($0) }
    for _ in 0..<25 { try world.step() }
    for expectation in expectations { expectation.check("seed \(seed)") }
  }

  @Test(arguments: 0..<40) func `of lists and texts stays as it was too`(seed: UInt64) throws {
    var world = SequenceWorld(seed: seed, replicaCount: 2, isThorough: false)
    for _ in 0..<30 { try world.step() }
    let expectations = world.documents.map { Expectation($0) }
    for _ in 0..<30 { try world.step() }
    for expectation in expectations { expectation.check("seed \(seed)") }
  }

  private struct Expectation {
    let cut: DocumentCut
    let snapshot: Snapshot
    let digest: Digest

    init(_ document: Document) {
      (cut, snapshot, digest) = (document.cut(), document.snapshot(), document.digest())
    }

    func check(_ hint: String) {
      #expect(cut.version == snapshot.version, "\(hint)")
      #expect(cut.snapshot() == snapshot, "\(hint)")
      #expect(cut.digest() == digest, "\(hint)")
    }
  }
}
