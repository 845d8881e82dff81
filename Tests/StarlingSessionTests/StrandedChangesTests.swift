import StarlingCore
import Testing

@testable import StarlingSession

@Suite struct `Changes that no daemon has` {
  private static let (ada, bob) = (ReplicaID(rawValue: 1), ReplicaID(rawValue: 2))

  private func at(_ counters: UInt64...) -> VersionVector {
    VersionVector(zip([Self.ada, Self.bob], counters).map { VersionVector.Entry(replica: $0, counter: $1) })
  }

  private typealias Review = (second: Int, lacking: VersionVector, said: Int)

  /// The moments, in seconds, at which something is told, and those at which daemons are asked where they stand.
  private func found(_ reviews: [Review]) -> (told: [Int], asked: [Int]) {
    var changes = StrandedChanges()
    var (told, asked): ([Int], [Int]) = ([], [])
    for review in reviews {
      switch changes.review(review.lacking, saidAt: .seconds(review.said), now: .seconds(review.second)) {
      case .nothing: break
      case .ask: asked.append(review.second)
      case .news: told.append(review.second)
      }
    }
    return (told, asked)
  }

  /// Where daemons say at each moment what they hold.
  private func told(_ reviews: [(second: Int, lacking: VersionVector)]) -> [Int] {
    found(reviews.map { ($0.second, $0.lacking, $0.second) }).told
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

  @Test func `are told of only once the daemons have said again where they stand`() {
    let reviews: [Review] = [(1, at(3), 0), (31, at(3), 0), (32, at(3), 30), (33, at(3), 33), (64, at(3), 33)]
    #expect(found(reviews) == ([33], [31, 32]))
    #expect(found([(1, at(3), 0), (31, at(3), 0), (33, at(), 33), (90, at(), 33)]) == ([], [31]))
  }
}
