import StarlingTestSupport
import StarlingCore
import StarlingWire
import Testing

@Suite struct `A snapshot` {
  @Test(arguments: 0..<200) func `gives back what was put in`(seed: Int) throws {
    var dice = Dice(seed: UInt64(seed))
    let snapshot = dice.snapshot()
    let bytes = SnapshotCoding.encode(snapshot)
    let isSame = try SnapshotCoding.decode(bytes) == snapshot
    try #require(isSame, "seed \(seed)")
  }
}
