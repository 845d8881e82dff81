import StarlingCore
import StarlingSession
import StarlingWire
import Testing

@Suite struct `A leased replica id` {
  private let grantor = StoreID(rawValue: 1)
  private let other = StoreID(rawValue: 2)
  private let grant = Message.LeaseGrant(replica: ReplicaID(rawValue: 10), number: 3, counter: 5)

  private func holding() -> LeaseClient {
    var leaseClient = LeaseClient()
    _ = leaseClient.meet(grantor, hasWritten: false, now: .zero)
    _ = leaseClient.receive(.granted(grant), from: grantor)
    leaseClient.tookUp()
    return leaseClient
  }

  @Test func `is asked for, taken up and given back with how far it got`() {
    var leaseClient = LeaseClient()
    #expect(leaseClient.meet(grantor, hasWritten: false, now: .zero) == .say(.ask, to: grantor))
    #expect(leaseClient.isAwaited)
    #expect(leaseClient.receive(.granted(grant), from: grantor) == .takeUp(grant))
    #expect(leaseClient.isAwaited && leaseClient.held == nil)
    // What the id wrote is still on its way here.
    #expect(leaseClient.tick(now: .milliseconds(10)) == .takeUp(grant))
    leaseClient.tookUp()
    #expect(!leaseClient.isAwaited && leaseClient.held?.grant == grant)
    let version = VersionVector([VersionVector.Entry(replica: grant.replica, counter: 8)])
    let returned = Message.LeaseGrant(replica: grant.replica, number: 3, counter: 8)
    #expect(leaseClient.close(version: version) == .say(.giveBack(returned), to: grantor))
    #expect(leaseClient.returningTo == grantor)
    #expect(leaseClient.receive(.returned(returned), from: grantor) == .nothing)
    #expect(leaseClient.returningTo == nil)
  }

  @Test func `is not asked for where something is written already`() {
    var leaseClient = LeaseClient()
    #expect(leaseClient.meet(grantor, hasWritten: true, now: .zero) == .nothing)
    #expect(leaseClient.meet(grantor, hasWritten: false, now: .zero) == .nothing)
  }

  @Test func `is done without where no answer comes, or nothing is leased`() {
    var silent = LeaseClient()
    _ = silent.meet(grantor, hasWritten: false, now: .zero)
    #expect(silent.tick(now: .milliseconds(499)) == .nothing)
    #expect(silent.tick(now: .milliseconds(500)) == .say(.ask, to: grantor))
    #expect(silent.tick(now: .seconds(10)) == .nothing)
    #expect(!silent.isAwaited)
    // An answer that comes all the same is not used.
    #expect(silent.receive(.granted(grant), from: grantor) == .say(.giveBack(grant), to: grantor))
    var refused = LeaseClient()
    _ = refused.meet(grantor, hasWritten: false, now: .zero)
    #expect(refused.receive(.nothing, from: grantor) == .nothing)
    #expect(!refused.isAwaited)
  }

  @Test func `goes back unused where something was written since, or what it wrote does not come`() {
    var early = LeaseClient()
    _ = early.meet(grantor, hasWritten: false, now: .zero)
    _ = early.receive(.granted(grant), from: grantor)
    #expect(early.mayNotTakeUp() == .say(.giveBack(grant), to: grantor))
    #expect(!early.isAwaited)
    var late = LeaseClient()
    _ = late.meet(grantor, hasWritten: false, now: .zero)
    _ = late.receive(.granted(grant), from: grantor)
    #expect(late.tick(now: .seconds(10)) == .say(.giveBack(grant), to: grantor))
    var leaving = LeaseClient()
    _ = leaving.meet(grantor, hasWritten: false, now: .zero)
    _ = leaving.receive(.granted(grant), from: grantor)
    #expect(leaving.close(version: VersionVector()) == .say(.giveBack(grant), to: grantor))
  }

  @Test func `is claimed again on another connection, and ends where it was leased again`() {
    var leaseClient = holding()
    #expect(leaseClient.meet(grantor, hasWritten: true, now: .seconds(9)) == .say(.goOn(grant), to: grantor))
    #expect(leaseClient.meet(other, hasWritten: true, now: .seconds(9)) == .nothing)
    #expect(leaseClient.receive(.granted(grant), from: grantor) == .nothing)
    #expect(leaseClient.receive(.over(grant), from: other) == .nothing)
    let next = Message.LeaseGrant(replica: grant.replica, number: 4, counter: 5)
    #expect(leaseClient.receive(.over(next), from: grantor) == .writeAsOneself)
    #expect(leaseClient.held == nil)
    #expect(leaseClient.close(version: VersionVector()) == .nothing)
  }

  @Test func `is its holder's for good where the grantor knows nothing of it`() {
    var leaseClient = holding()
    #expect(leaseClient.receive(.nothing, from: grantor) == .keepForGood)
    #expect(leaseClient.held == nil)
    #expect(leaseClient.close(version: VersionVector()) == .nothing)
  }

  @Test func `is not given back once somebody else wrote under it`() {
    var leaseClient = holding()
    leaseClient.lose()
    #expect(leaseClient.close(version: VersionVector()) == .nothing)
  }
}
