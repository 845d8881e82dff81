import StarlingCore
import StarlingSession
import Testing

@Suite struct `A budget` {
  private let library = DocumentID("library")!
  private let notes = DocumentID("notes")!

  @Test func `of a day is one key's, and comes back with the next day`() {
    var budgets = Budgets(limits: [.replicaIDs: Budgets.Limit(perKey: 10, perProcess: 15)])
    #expect(budgets.spend(10, of: .replicaIDs, by: "ada", now: .zero) == .granted)
    let own = Budgets.Overdraft(.replicaIDs, limit: 10, isOfProcess: false)
    #expect(budgets.spend(1, of: .replicaIDs, by: "ada", now: .seconds(86_399)) == .refused(own))
    #expect("\(own)" == "the budget of replica ids that a key begins to write under is 10 a day")
    #expect(budgets.spend(5, of: .replicaIDs, by: "bob", now: .seconds(1)) == .granted)
    let all = Budgets.Overdraft(.replicaIDs, limit: 15, isOfProcess: true)
    #expect(budgets.spend(1, of: .replicaIDs, by: "bob", now: .seconds(2)) == .refused(all))
    #expect("\(all)".hasSuffix("is 15 a day for all keys together"))
    #expect(budgets.spend(10, of: .replicaIDs, by: "ada", now: .seconds(86_400)) == .granted)
  }

  @Test func `that does not suffice for all of it is left alone`() {
    var budgets = Budgets(limits: [.replicaIDs: Budgets.Limit(perKey: 10, perProcess: 10)])
    guard case .refused = budgets.spend(11, of: .replicaIDs, by: "ada", now: .zero) else {
      Issue.record("11 of 10 were granted")
      return
    }
    #expect(budgets.spend(10, of: .replicaIDs, by: "ada", now: .zero) == .granted)
  }

  @Test func `of what is held is taken by document, and given back`() {
    var budgets = Budgets(limits: [.heldBytes: Budgets.Limit(perKey: 100, perProcess: 150)])
    budgets.hold(60, of: .heldBytes, by: "ada", in: library)
    budgets.hold(30, of: .heldBytes, by: "ada", in: notes)
    #expect(budgets.capacity(for: .heldBytes, by: "ada", in: library) == 70)
    #expect(budgets.mayHold(11, of: .heldBytes, by: "ada") != .granted)
    #expect(budgets.mayHold(10, of: .heldBytes, by: "ada") == .granted)
    // The others have what all may have together, less that.
    #expect(budgets.capacity(for: .heldBytes, by: "bob", in: library) == 60)
    budgets.hold(0, of: .heldBytes, by: "ada", in: library)
    #expect(budgets.level(of: .heldBytes, by: "ada") == 30)
    #expect(budgets.documents(using: .heldBytes, by: "ada") == [notes])
    budgets.hold(0, of: .heldBytes, by: "ada", in: notes)
    #expect(budgets.holders(of: .heldBytes).isEmpty)
  }

  @Test func `without a limit is never passed`() {
    var budgets = Budgets(limits: [:])
    #expect(budgets.spend(.max, of: .loggedBytes, by: "ada", now: .zero) == .granted)
    #expect(budgets.mayHold(.max, of: .documents, by: "ada") == .granted)
    #expect(budgets.capacity(for: .heldBytes, by: "ada", in: library) == nil)
  }

  @Test func `that is charged afterwards refuses what follows`() {
    var budgets = Budgets(limits: [.loggedBytes: Budgets.Limit(perKey: 10, perProcess: .max)])
    budgets.charge(12, of: .loggedBytes, to: "ada", now: .zero)
    #expect(budgets.spend(1, of: .loggedBytes, by: "ada", now: .zero) != .granted)
    #expect(budgets.spend(1, of: .loggedBytes, by: "bob", now: .zero) == .granted)
  }
}
