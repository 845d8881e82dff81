import StarlingCore
import StarlingSession
import Testing

@Suite struct `What a store wrote itself` {
  private let ada = ReplicaID(rawValue: 1)
  private let bob = ReplicaID(rawValue: 2)

  private func version(_ adas: UInt64, _ bobs: UInt64) -> VersionVector {
    VersionVector([VersionVector.Entry(replica: ada, counter: adas), VersionVector.Entry(replica: bob, counter: bobs)])
  }

  @Test func `is acknowledged as far as a durable store says, and no further than it was written`() {
    var own = OwnWrites()
    #expect(own.note(ada) && !own.note(ada))
    own.acknowledge(version(3, 9), held: version(5, 9))
    #expect(own.acknowledged == [ada: 3])
    own.acknowledge(version(2, 0), held: version(5, 9))
    #expect(own.acknowledged == [ada: 3])
    own.acknowledge(version(.max, 0), held: version(5, 9))
    #expect(own.acknowledged == [ada: 5])
  }

  @Test func `is known to a later run, also where nothing was acknowledged`() {
    var own = OwnWrites()
    _ = own.note(ada)
    _ = own.note(bob)
    own.acknowledge(version(0, 7), held: version(1, 9))
    #expect(OwnWrites(own.remembered) == own)
    let greatest = UInt64(Int64.max)
    own.acknowledge(version(.max, 0), held: version(greatest, 9))
    #expect(own.remembered[ada] == greatest)
  }

  /// All small worlds of two writers; the first is ours.
  @Test func `bridges to the log start exactly where all that is lacking was kept`() {
    let counters = 0...3 as ClosedRange<UInt64>
    for acknowledged in counters {
      var own = OwnWrites()
      _ = own.note(ada)
      own.acknowledge(version(acknowledged, 0), held: version(3, 0))
      for (adas, bobs) in counters.flatMap({ first in counters.map { (first, $0) } }) {
        for (adasLogStart, bobsLogStart) in counters.flatMap({ first in counters.map { (first, $0) } }) {
          // Of ours the log has what is beyond the acknowledged, of the other's nothing.
          let lackedOfAda = adas < adasLogStart ? Set((adas + 1)...adasLogStart) : []
          let keptOfAda = Set(counters.filter { $0 > acknowledged })
          let isBridged = lackedOfAda.isSubset(of: keptOfAda) && bobs >= bobsLogStart
          #expect(own.bridge(from: version(adas, bobs), to: version(adasLogStart, bobsLogStart)) == isBridged)
        }
      }
    }
  }
}
