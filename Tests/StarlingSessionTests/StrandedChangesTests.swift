import StarlingCore
import Testing

@testable import StarlingSession

@Suite struct `Changes that no daemon has` {
  private static let (ada, bob) = (ReplicaID(rawValue: 1), ReplicaID(rawValue: 2))

  private func at(_ counters: UInt64...) -> VersionVector {
    VersionVector(zip([Self.ada, Self.bob], counters).map { VersionVector.Entry(replica: $0, counter: $1) })
  }

  /// The moments, in seconds, at which something is told.
  private func told(_ reviews: [(second: Int, lacking: VersionVector)]) -> [Int] {
    var changes = StrandedChanges()
    return reviews.filter { changes.review($0.lacking, now: .seconds($0.second)) }.map(\.second)
  }

  @Test func `are told of once, after a daemon had the time to hear of them`() {
    #expect(told([1, 30, 31, 90].map { ($0, at(3)) }) == [31])
  }

  @Test func `wait as long again where more comes, and no longer where a daemon has heard of some`() {
    let (one, both, other) = (at(3), at(3, 2), at(0, 2))
    #expect(told([(1, one), (20, both), (40, both), (49, other), (50, other), (51, other)]) == [50])
  }

  @Test func `are forgotten once a daemon has them`() {
    #expect(told([(1, at(3)), (20, at()), (40, at(3)), (69, at(3)), (70, at(3))]) == [70])
  }
}
