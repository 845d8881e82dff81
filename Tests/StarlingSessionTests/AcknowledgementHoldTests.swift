import StarlingCore
import StarlingSession
import Testing

@Suite struct `What a store acknowledges` {
  private let own = ReplicaID(rawValue: 1)
  private let other = ReplicaID(rawValue: 2)

  private func version(_ own: UInt64, _ other: UInt64) -> VersionVector {
    VersionVector(
      [(self.own, own), (self.other, other)].filter { $0.1 > 0 }.map {
        VersionVector.Entry(replica: $0.0, counter: $0.1)
      })
  }

  @Test func `is what is durable`() {
    var hold = AcknowledgementHold()
    #expect(hold.acknowledgeable(of: version(3, 4)) == version(3, 4))
    hold.transactionEnded(Dot(own, 4))
    #expect(hold.acknowledgeable(of: version(3, 4)) == version(3, 4))
  }

  @Test func `leaves out what merged beside a transaction until its change is durable`() {
    var hold = AcknowledgementHold()
    hold.mergesBesideTransaction(version(3, 4))
    hold.mergesBesideTransaction(version(3, 5))
    #expect(hold.acknowledgeable(of: version(2, 3)) == version(2, 3))
    #expect(hold.acknowledgeable(of: version(3, 6)) == version(3, 4))
    hold.transactionEnded(Dot(own, 5))
    #expect(hold.acknowledgeable(of: version(4, 6)) == version(3, 4))
    #expect(hold.acknowledgeable(of: version(5, 6)) == version(5, 6))
  }

  @Test func `is all of it once a transaction ends that wrote nothing`() {
    var hold = AcknowledgementHold()
    hold.mergesBesideTransaction(version(3, 4))
    hold.transactionEnded(nil)
    #expect(hold.acknowledgeable(of: version(3, 6)) == version(3, 6))
  }

  @Test func `goes on however one transaction follows the other`() {
    var hold = AcknowledgementHold()
    for round in 1...100 as ClosedRange<UInt64> {
      hold.mergesBesideTransaction(version(round - 1, round - 1))
      hold.transactionEnded(round % 3 == 0 ? nil : Dot(own, round))
      hold.mergesBesideTransaction(version(round, round))
      // The log is always some behind.
      guard round > 10 else { continue }
      let acknowledged = hold.acknowledgeable(of: version(round - 5, round))
      #expect(acknowledged.covers(version(round - 10, round - 10)) || round < 20)
      #expect(!acknowledged.covers(version(0, round)))
      hold.transactionEnded(nil)
    }
    #expect(hold.acknowledgeable(of: version(100, 100)) == version(100, 100))
  }

  @Test func `never goes back`() {
    var hold = AcknowledgementHold()
    var former = VersionVector()
    for round in 1...50 as ClosedRange<UInt64> {
      if round % 2 == 0 { hold.mergesBesideTransaction(version(round, round)) }
      if round % 3 == 0 { hold.transactionEnded(round % 5 == 0 ? nil : Dot(own, round + 1)) }
      let acknowledged = hold.acknowledgeable(of: version(round, round))
      #expect(acknowledged.covers(former))
      former = acknowledged
    }
  }
}
