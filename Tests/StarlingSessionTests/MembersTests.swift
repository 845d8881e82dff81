import StarlingCore
import StarlingSession
import Testing

@Suite struct `The members of a document` {
  private let ada = StoreID(rawValue: 1)
  private let bob = StoreID(rawValue: 2)
  private let policy = Members.Policy(lifetime: .seconds(100), transientLifetime: .seconds(10), countMax: 3)

  private func version(_ counters: UInt64...) -> VersionVector {
    VersionVector(
      counters.enumerated().map { VersionVector.Entry(replica: ReplicaID(rawValue: UInt64($0) + 1), counter: $1) })
  }

  @Test func `make stable what all of them have, and we`() {
    var members = Members(policy: policy, now: 0)
    #expect(members.stable(durable: version(5, 5), version: version(6, 6), now: 0) == version(5, 5))
    members.acknowledge(ada, version(4, 5), isDurable: true, now: 0)
    members.acknowledge(bob, version(5, 3), isDurable: false, now: 0)
    #expect(members.stable(durable: version(5, 5), version: version(6, 6), now: 0) == version(4, 3))
    members.hear(StoreID(rawValue: 3), isDurable: true, now: 0)
    #expect(members.stable(durable: version(5, 5), version: version(6, 6), now: 0).isEmpty)
    #expect(members.count(having: version(4)) == (durable: 1, inMemory: 1))
  }

  @Test func `count with what they acknowledged once we hold it`() {
    var members = Members(policy: policy, now: 0)
    members.acknowledge(ada, version(2), isDurable: true, now: 0)
    #expect(members.stable(durable: version(3), version: version(3), now: 0) == version(2))
    // It has merged something of the second replica that may stand on what it had not seen removed.
    members.acknowledge(ada, version(3, 1), isDurable: true, now: 0)
    #expect(members.stable(durable: version(3), version: version(3), now: 0) == version(2))
    #expect(members.stable(durable: version(3), version: version(3, 1), now: 0) == version(3))
  }

  @Test func `are given up when they were not heard of for their lifetime`() {
    var members = Members(policy: policy, now: 0)
    members.acknowledge(ada, version(1), isDurable: true, now: 0)
    members.acknowledge(bob, version(2), isDurable: false, now: 0)
    func stable(_ now: UInt64) -> VersionVector { members.stable(durable: version(3), version: version(3), now: now) }
    #expect(stable(10_000) == version(1) && members.stores == [ada, bob])
    #expect(stable(10_001) == version(1) && members.stores == [ada])
    members.hear(ada, isDurable: true, now: 50_000)
    #expect(stable(150_000) == version(1))
    #expect(stable(150_001) == version(3) && members.stores.isEmpty)
    // A clock that is set back gives nobody up.
    members.hear(ada, isDurable: true, now: 50_000)
    #expect(stable(0).isEmpty && members.stores == [ada])
  }

  @Test func `are not given up while they are connected, and a connection alone makes no member`() {
    var members = Members(policy: policy, now: 0)
    members.acknowledge(ada, version(1), isDurable: true, now: 0)
    members.acknowledge(bob, version(2), isDurable: true, now: 0)
    members.stand([ada, StoreID(rawValue: 7)], now: 90_000)
    #expect(members.stable(durable: version(3), version: version(3), now: 150_000) == version(1))
    #expect(members.stores == [ada])
  }

  @Test func `are remembered as long as they keep what they acknowledge`() throws {
    var members = Members(policy: policy, now: 0)
    members.hear(ada, isDurable: false, now: 0)
    #expect(members.takeRemembered(now: 0) == nil)
    members.hear(ada, isDurable: true, now: 1)
    #expect(members.takeRemembered(now: 1)?.map(\.store) == [ada])
    members.hear(ada, isDurable: false, now: 2)
    #expect(members.takeRemembered(now: 2) == [])
  }

  @Test func `are bounded, however many an earlier run was told of`() {
    let remembered = (1...9).map { LogMember(store: StoreID(rawValue: $0), acknowledged: VersionVector(), heardAt: 0) }
    #expect(Members(remembered, policy: policy, now: 0).stores.count == policy.countMax)
  }

  @Test func `are remembered if they are durable, and told again only of news`() throws {
    var members = Members(policy: policy, now: 0)
    #expect(members.takeRemembered(now: 0) == nil)
    members.hear(bob, isDurable: false, now: 0)
    #expect(members.takeRemembered(now: 0) == nil)
    members.acknowledge(ada, version(1), isDurable: true, now: 7)
    let remembered = members.takeRemembered(now: 8)
    let told = try #require(remembered)
    #expect(told == [LogMember(store: ada, acknowledged: version(1), heardAt: 7)])
    members.acknowledge(ada, version(1), isDurable: true, now: 9)
    #expect(members.takeRemembered(now: 10) == nil)
    #expect(members.takeRemembered(now: 4000)?.first?.heardAt == 9)
    #expect(members.takeRemembered(now: 8000) == nil)

    // A run that begins much later did not hear of anybody in between.
    var later = Members(told, policy: policy, now: 1_000_000)
    #expect(later.stable(durable: version(3), version: version(3), now: 1_010_000) == version(1))
    #expect(later.stable(durable: version(3), version: version(3), now: 1_010_001) == version(3))
    #expect(later.takeRemembered(now: 1_010_001) == [])
  }

  @Test func `are waited for no more once they have left for good, if they keep nothing`() {
    var members = Members(policy: policy, now: 0)
    members.hear(ada, isDurable: true, now: 0)
    members.hear(bob, isDurable: false, now: 0)
    members.leave(ada)
    members.leave(bob)
    #expect(members.stores == [ada])
  }

  @Test func `are so many at most`() {
    var members = Members(policy: policy, now: 0)
    for number in 1...9 as ClosedRange<UInt64> {
      members.hear(StoreID(rawValue: number), isDurable: true, now: number)
    }
    #expect(members.stores.map(\.rawValue) == [7, 8, 9])
  }
}
