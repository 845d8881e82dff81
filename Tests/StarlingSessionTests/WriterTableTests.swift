import StarlingCore
import StarlingSession
import StarlingWire
import Testing

@Suite struct `The table of writers` {
  private let id = ReplicaID(rawValue: 7)

  private func claim(
    _ table: inout WriterTable, _ name: String, hasWritten: Bool = true, isTold: Bool = true, at now: Duration = .zero
  ) -> WriterTable.Claim {
    table.judge(id, claimedBy: name, hasWritten: hasWritten, isTold: isTold, now: now)
  }

  @Test func `gives an id that has not written to the first that does`() {
    var table = WriterTable()
    #expect(claim(&table, "ada", hasWritten: false) == .free)
    #expect(table.bind(id, to: "ada", now: 5) == WriterBinding(replica: id, name: "ada", boundAt: 5))
    #expect(claim(&table, "ada") == .own)
    #expect(claim(&table, "bob") == .foreign)
    #expect(claim(&table, "bob", hasWritten: false) == .foreign)
  }

  @Test func `waits for relays about an id that has written and that nobody has named`() {
    var table = WriterTable()
    #expect(claim(&table, "ada", isTold: false) == .foreign)
    #expect(claim(&table, "ada", at: .seconds(10)) == .undecided)
    #expect(claim(&table, "ada", at: .seconds(10.9)) == .undecided)
    #expect(claim(&table, "ada", at: .seconds(11)) == .foreign)
    table.hear(WriterBinding(replica: id, name: "ada", boundAt: 1))
    #expect(claim(&table, "ada", at: .seconds(12)) == .own)
    #expect(table.endClaim(to: id) == true)
    #expect(table.endClaim(to: id) == false)
  }

  @Test func `keeps a bounded number of claims`() {
    var table = WriterTable(policy: WriterTable.Policy(claimCountMax: 2))
    for number in 0..<100 as Range<UInt64> {
      let claim = table.judge(
        ReplicaID(rawValue: number), claimedBy: "eve", hasWritten: true, isTold: true, now: .zero)
      #expect(claim == .undecided)
    }
  }

  @Test func `comes to the same in every order`() {
    let bindings = [("ada", 5), ("bob", 5), ("cid", 6), ("dan", 9)].map {
      WriterBinding(replica: id, name: $0.0, boundAt: $0.1)
    }
    for order in permutations(bindings) {
      var table = WriterTable()
      for binding in order { table.hear(binding) }
      #expect(table[id] == bindings[0], "\(order)")
      #expect(WriterTable(order)[id] == bindings[0])
    }
  }

  @Test func `says who has lost an id`() {
    var table = WriterTable()
    let (ada, bob) = (
      WriterBinding(replica: id, name: "ada", boundAt: 5), WriterBinding(replica: id, name: "bob", boundAt: 6)
    )
    #expect(table.hear(bob) == .new)
    #expect(table.hear(bob) == .known)
    #expect(table.hear(ada) == .contested(loser: "bob"))
    #expect(table.hear(bob) == .contested(loser: "bob"))
    // The same name earlier is no contest, and is told on.
    #expect(table.hear(WriterBinding(replica: id, name: "ada", boundAt: 4)) == .new)
    #expect(table.hear(ada) == .known)
  }

  @Test func `tells each relay what it has not heard, in pieces`() throws {
    var table = WriterTable()
    #expect(table.news(after: 0) == nil)
    let count = UInt64(WriterBinding.countMax) + 1
    for number in 0..<count { _ = table.bind(ReplicaID(rawValue: count - number), to: "ada", now: 1) }
    let first = try #require(table.news(after: 0))
    #expect(first.bindings.count == WriterBinding.countMax)
    #expect(first.bindings.map(\.replica.rawValue) == (2...count).map { $0 })
    let second = try #require(table.news(after: first.end))
    #expect(second.bindings.map(\.replica.rawValue) == [1])
    #expect(table.news(after: second.end) == nil)
    // What changes is told again.
    table.hear(WriterBinding(replica: ReplicaID(rawValue: 9), name: "bob", boundAt: 0))
    #expect(table.news(after: second.end)?.bindings.map(\.name) == ["bob"])
  }

  private func permutations<Item>(_ items: [Item]) -> [[Item]] {
    guard let first = items.first else { return [[]] }
    return permutations(Array(items.dropFirst())).flatMap { rest in
      (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
  }
}
