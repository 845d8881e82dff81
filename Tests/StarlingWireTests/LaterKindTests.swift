import StarlingCore
import StarlingWire
import Testing

/// What a later version of the protocol writes, on its way through this one.
@Suite struct `An object of a later kind` {
  @Test func `passes through changes and snapshots untouched`() throws {
    var patch = Patch()
    var later = Document()
    for change in AcceptedVectors.laterKinds { _ = try later.merge(change, patch: &patch) }
    // Live, through a program of this version, and on as a state.
    var here = Document()
    for change in try Batch.decode(Batch.encode(AcceptedVectors.laterKinds)) {
      _ = try here.merge(change, patch: &patch)
    }
    here.begin(as: Samples.bob, now: 1_800_000_000_000)
    here.set(.string("Dune"), for: "title", in: .root, patch: &patch)
    let committed = here.commit()
    _ = try later.merge(try #require(committed), patch: &patch)
    let snapshot = try SnapshotCoding.decode(SnapshotCoding.encode(here.snapshot()))
    #expect(snapshot == later.snapshot())
    var third = Document()
    try third.merge(snapshot, patch: &patch)
    #expect(third.digest() == later.digest())
    let shelf = ObjectID.derived(parent: .root, key: "shelf", kind: .later5)
    #expect(third.visible("title", in: shelf) == .value(.integer(1), by: Dot(Samples.ada, 2)))
    #expect(
      third.visible("legs", in: .assigned(by: Dot(Samples.ada, 3))) == .value(.integer(4), by: Dot(Samples.ada, 4)))
    #expect(third.visible("shelf", in: .root) == .value(.derived(.later5), by: Dot(Samples.ada, 1)))
  }

  @Test func `goes, with what is in it, when this version writes over it`() throws {
    var patch = Patch()
    var here = Document()
    for change in AcceptedVectors.laterKinds { _ = try here.merge(change, patch: &patch) }
    here.begin(as: Samples.bob, now: 1_800_000_000_000)
    here.set(.string("none"), for: "chair", in: .root, patch: &patch)
    here.remove("shelf", in: .root, patch: &patch)
    _ = here.commit()
    #expect(here.keys(in: .root) == ["chair"])
    #expect(here.keys(in: .derived(parent: .root, key: "shelf", kind: .later5)).isEmpty)
    #expect(!here.isLive(.assigned(by: Dot(Samples.ada, 3))))
  }
}
