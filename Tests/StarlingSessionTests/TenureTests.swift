import StarlingCore
import StarlingSession
import StarlingWire
import Testing

@Suite struct `A replica id on loan` {
  private let lessor = StoreID(rawValue: 1)
  private let other = StoreID(rawValue: 2)
  private let loan = Message.Loan(replica: ReplicaID(rawValue: 10), number: 3, counter: 5)

  private func holding() -> Tenure {
    var tenure = Tenure()
    _ = tenure.meet(lessor, hasWritten: false, now: .zero)
    _ = tenure.receive(.granted(loan), from: lessor)
    tenure.tookUp()
    return tenure
  }

  @Test func `is asked for, taken up and given back with how far it got`() {
    var tenure = Tenure()
    #expect(tenure.meet(lessor, hasWritten: false, now: .zero) == .say(.ask, to: lessor))
    #expect(tenure.isAwaited)
    #expect(tenure.receive(.granted(loan), from: lessor) == .takeUp(loan))
    #expect(tenure.isAwaited && tenure.held == nil)
    // What the id wrote is still on its way here.
    #expect(tenure.tick(now: .milliseconds(10)) == .takeUp(loan))
    tenure.tookUp()
    #expect(!tenure.isAwaited && tenure.held?.loan == loan)
    let version = Version([Version.Entry(replica: loan.replica, counter: 8)])
    let returned = Message.Loan(replica: loan.replica, number: 3, counter: 8)
    #expect(tenure.close(version: version) == .say(.giveBack(returned), to: lessor))
    #expect(tenure.returningTo == lessor)
    #expect(tenure.receive(.returned(returned), from: lessor) == .nothing)
    #expect(tenure.returningTo == nil)
  }

  @Test func `is not asked for where something is written already`() {
    var tenure = Tenure()
    #expect(tenure.meet(lessor, hasWritten: true, now: .zero) == .nothing)
    #expect(tenure.meet(lessor, hasWritten: false, now: .zero) == .nothing)
  }

  @Test func `is done without where no answer comes, or nothing is lent`() {
    var silent = Tenure()
    _ = silent.meet(lessor, hasWritten: false, now: .zero)
    #expect(silent.tick(now: .milliseconds(499)) == .nothing)
    #expect(silent.tick(now: .milliseconds(500)) == .say(.ask, to: lessor))
    #expect(silent.tick(now: .seconds(10)) == .nothing)
    #expect(!silent.isAwaited)
    // An answer that comes all the same is not used.
    #expect(silent.receive(.granted(loan), from: lessor) == .say(.giveBack(loan), to: lessor))
    var refused = Tenure()
    _ = refused.meet(lessor, hasWritten: false, now: .zero)
    #expect(refused.receive(.nothing, from: lessor) == .nothing)
    #expect(!refused.isAwaited)
  }

  @Test func `goes back unused where something was written meanwhile, or what it wrote does not come`() {
    var early = Tenure()
    _ = early.meet(lessor, hasWritten: false, now: .zero)
    _ = early.receive(.granted(loan), from: lessor)
    #expect(early.mayNotTakeUp() == .say(.giveBack(loan), to: lessor))
    #expect(!early.isAwaited)
    var late = Tenure()
    _ = late.meet(lessor, hasWritten: false, now: .zero)
    _ = late.receive(.granted(loan), from: lessor)
    #expect(late.tick(now: .seconds(10)) == .say(.giveBack(loan), to: lessor))
    var leaving = Tenure()
    _ = leaving.meet(lessor, hasWritten: false, now: .zero)
    _ = leaving.receive(.granted(loan), from: lessor)
    #expect(leaving.close(version: Version()) == .say(.giveBack(loan), to: lessor))
  }

  @Test func `is claimed again on another connection, and ends where it was lent anew`() {
    var tenure = holding()
    #expect(tenure.meet(lessor, hasWritten: true, now: .seconds(9)) == .say(.goOn(loan), to: lessor))
    #expect(tenure.meet(other, hasWritten: true, now: .seconds(9)) == .nothing)
    #expect(tenure.receive(.granted(loan), from: lessor) == .nothing)
    #expect(tenure.receive(.over(loan), from: other) == .nothing)
    let next = Message.Loan(replica: loan.replica, number: 4, counter: 5)
    #expect(tenure.receive(.over(next), from: lessor) == .writeAsOneself)
    #expect(tenure.held == nil)
    #expect(tenure.close(version: Version()) == .nothing)
  }

  @Test func `is its holder's for good where the lessor knows nothing of it`() {
    var tenure = holding()
    #expect(tenure.receive(.nothing, from: lessor) == .keepForGood)
    #expect(tenure.held == nil)
    #expect(tenure.close(version: Version()) == .nothing)
  }

  @Test func `is not given back once somebody else wrote under it`() {
    var tenure = holding()
    tenure.lose()
    #expect(tenure.close(version: Version()) == .nothing)
  }
}
