import StarlingCore
import Testing

/// One was away for so long that the other no longer waits for it, and has let go of what the mark rests on.
@Suite struct `A mark by one that was away` {
  /// The last scalar is what nothing is typed behind, so that it is let go of.
  @Test(arguments: [0..<5, 5..<6])
  func `brings back what its ends rest on, when states merge`(_ range: Range<Int>) throws {
    var (away, here) = (Desk(0), Desk(1))
    try here.hear(away.type("abcdef", at: 0))
    away.mark(range, "bold", .bool(true))
    here.removeItems(5..<6, in: Desk.text)
    #expect(here.document.collectTombstones(stable: here.document.version) == 1)
    let (theirs, ours) = (away.document.snapshot(), here.document.snapshot())
    var patch = Patch()
    try here.document.merge(theirs, patch: &patch)
    try away.document.merge(ours, patch: &patch)
    for desk in [away, here] {
      desk.document.checkInvariants()
      #expect(desk.scene.contains { $0.contains("over 0..<5") } == (range == 0..<5), "\(desk.scene)")
    }
    #expect(away.document.canonicalSnapshot() == here.document.canonicalSnapshot())
  }
}
