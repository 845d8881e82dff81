import StarlingCore
import Testing

// The rules that merging stands on (Protocol/merge.md). Each closes an execution in which two stores
// with equal versions differed, or in which something acknowledged was lost.

@Suite struct `Rule 1, the causal gate` {
  @Test func `a change merges only as its writer's next`() throws {
    var group = Group(2)
    let first = group.set(0, "a", .integer(1))
    let second = group.set(0, "a", .integer(2))
    #expect(try group.deliver(second, to: 1) == .notYet(missing: [first!.last]))
    #expect(group.documents[1].version.isEmpty)
    #expect(try group.deliver(first, to: 1) == .merged)
    #expect(try group.deliver(second, to: 1) == .merged)
    #expect(try group.deliver(first, to: 1) == .duplicate)
    #expect(group.agrees)
  }

  @Test func `a change merges only with its frontier covered`() throws {
    var group = Group(3)
    let seen = group.set(0, "a", .integer(1))
    try group.deliver(seen, to: 1)
    let answer = group.set(1, "a", .integer(2))
    #expect(answer!.frontier == [seen!.last])
    #expect(try group.deliver(answer, to: 2) == .notYet(missing: [seen!.last]))
    #expect(group.documents[2].visible("a", in: .root) == .absent)
  }

  @Test func `a frontier leaves out the writer's own last dot, and dots that others cover`() throws {
    var group = Group(3)
    let first = group.set(0, "a", .integer(1))
    try group.deliver(first, to: 1)
    let second = group.set(1, "b", .integer(2))
    try group.deliver(first, to: 2)
    try group.deliver(second, to: 2)
    let third = group.set(2, "c", .integer(3))
    let fourth = group.set(2, "c", .integer(4))
    #expect(third!.frontier == [second!.last])
    #expect(fourth!.frontier.isEmpty)
    #expect(group.documents[2].frontier == [fourth!.last])
  }

  @Test func `a write names every entry that it replaces`() throws {
    var group = Group(2)
    let left = group.set(0, "a", .integer(1))
    let right = group.set(1, "a", .integer(2))
    try group.sync()
    let resolution = group.set(0, "a", .integer(3))
    #expect(
      resolution!.operations[0].action
        == .set(.integer(3), replacing: [left!.last, right!.last], clearing: nil))
  }

  @Test func `a clear carries its writer's version, with its own open operations`() throws {
    var group = Group(2)
    let seen = group.set(1, "z", .null)
    try group.deliver(seen, to: 0)
    let change = group.write(0) { document, patch in
      let pages = document.declare(.dictionary, for: "pages", in: .root)
      document.set(.integer(1), for: "k", in: pages, patch: &patch)
      document.remove("pages", in: .root, patch: &patch)
    }
    let version = VersionVector([
      VersionVector.Entry(replica: Group.replica(0), counter: 1),
      VersionVector.Entry(replica: Group.replica(1), counter: 1),
    ])
    #expect(change!.operations[1].action == .remove(replacing: [], clearing: version))
  }

  @Test func `a clear is given only where something beneath is live`() {
    var group = Group(1)
    group.set(0, "a", .integer(1))
    let plain = group.remove(0, "a")
    #expect(plain!.operations[0].action == .remove(replacing: [Dot(Group.replica(0), 1)], clearing: nil))
    group.increment(0, "a", by: 1)
    guard case .set(_, [], .some)? = group.set(0, "a", .integer(2))?.operations[0].action else {
      Issue.record("A counter share was live and is not cleared.")
      return
    }
  }
}

@Suite struct `Rule 2, stamps never decide whether a change merges` {
  @Test func `a far-future stamp merges, wins its own conflict, and is reported`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(1))
    group.now = 10_000_000
    let far = group.set(1, "a", .integer(2))
    group.now = 1_000
    #expect(try group.deliver(far, to: 0) == .merged)
    #expect(group.documents[0].visible("a", in: .root) == .value(.integer(2), by: far!.last))
    #expect(group.documents[0].isFarFuture(far!.stamp, now: 1_000))
    #expect(group.documents[0].latestStamp == far!.stamp)
  }

  @Test func `a far-future stamp drags nobody's clock beyond the bound`() throws {
    var group = Group(2)
    group.now = 10_000_000
    let far = group.set(1, "a", .integer(2))
    group.now = 1_000
    try group.deliver(far, to: 0)
    let next = group.set(0, "b", .integer(3))
    #expect(next!.stamp == Stamp(milliseconds: 61_000))
    let after = group.set(0, "b", .integer(4))
    #expect(after!.stamp > next!.stamp)
    #expect(after!.stamp.milliseconds == 61_001)
  }

  @Test func `even the greatest stamp there is merges`() throws {
    var group = Group(2)
    var change = group.set(1, "a", .integer(2))
    change!.stamp = Stamp(rawValue: .max)
    #expect(try group.deliver(change, to: 0) == .merged)
    let next = group.set(0, "a", .integer(3))
    #expect(next!.stamp < Stamp(rawValue: .max))
    #expect(group.documents[0].visible("a", in: .root) == .value(.integer(3), by: next!.last))
  }

  @Test func `an earlier stamp than the one it replaces takes its place all the same`() throws {
    var group = Group(2)
    group.now = 50_000
    let late = group.set(1, "a", .integer(1))
    try group.deliver(late, to: 0)
    var early = group.set(0, "a", .integer(2))
    early!.stamp = Stamp(milliseconds: 1)
    #expect(try group.deliver(early, to: 1) == .merged)
    #expect(group.documents[1].entries("a", in: .root).map(\.value) == [.integer(2)])
  }
}

@Suite struct `Rule 3, clears` {
  @Test func `a write clears every kind that it saw under the key`() throws {
    var group = Group(2)
    for kind in [Kind.map, .set, .dictionary] {
      let child = group.documents[0].declare(kind, for: "c", in: .root)
      group.set(0, "x", .integer(1), in: child)
    }
    group.increment(0, "c", by: 4)
    group.set(0, "c", .string("flat"))
    try group.sync()
    #expect(group.agrees)
    let snapshot = group.documents[1].snapshot()
    #expect(snapshot.objects.map(\.id) == [.root])
    #expect(snapshot.objects[0].slots.map(\.shares) == [[]])
    #expect(group.documents[1].keys(in: .root) == ["c"])
  }

  @Test func `the winner gives the kind`() throws {
    var group = Group(2)
    group.set(0, "c", .derived(.dictionary))
    let later = group.set(1, "c", .derived(.set))
    try group.sync()
    #expect(group.documents[0].visible("c", in: .root) == .value(.derived(.set), by: later!.last))
    #expect(group.agrees)
  }

  @Test func `removing a derived object clears what the remover saw, and a concurrent edit beneath survives`() throws {
    var group = Group(2)
    let book = group.documents[0].declare(.map, for: "isbn", in: .root)
    group.set(0, "title", .string("Dune"), in: book)
    try group.sync()
    group.documents[1].declare(.map, for: "isbn", in: .root)
    group.remove(0, "isbn")
    group.set(1, "pages", .integer(412), in: book)
    try group.sync()
    #expect(group.agrees)
    #expect(group.documents[0].keys(in: book) == ["pages"])
    #expect(group.documents[0].visible("isbn", in: .root) == .container(.map))
  }

  @Test func `saying that a derived object is present does not empty it`() throws {
    var group = Group(2)
    let book = group.documents[0].declare(.map, for: "isbn", in: .root)
    let tags = group.documents[0].declare(.set, for: "isbn", in: .root)
    group.set(0, "title", .string("Dune"), in: book)
    group.set(0, "sand", .null, in: tags)
    group.set(0, "isbn", .derived(.map))
    try group.sync()
    #expect(group.agrees)
    #expect(group.documents[1].keys(in: book) == ["title"])
    #expect(group.documents[1].keys(in: tags).isEmpty)
  }

  @Test func `an assigned object goes whole, and later edits beneath it are ignored`() throws {
    var group = Group(2)
    var loan = ObjectID.root
    group.write(0) { loan = $0.assignObject(.map, for: "loan", in: .root, patch: &$1) }
    try group.sync()
    let notes = group.documents[1].declare(.dictionary, for: "notes", in: loan)
    group.remove(0, "loan")
    group.set(1, "who", .string("Ada"), in: loan)
    group.set(1, "k", .string("late"), in: notes)
    try group.sync()
    #expect(group.agrees)
    #expect(group.documents[0].visible("loan", in: .root) == .absent)
    #expect(!group.documents[1].isLive(loan))
    #expect(!group.documents[1].isLive(notes))
    #expect(group.patches[1].isEmpty)
    #expect(group.documents[0].snapshot().objects.isEmpty)
  }

  @Test func `an assigned object's id is never used again`() throws {
    var group = Group(2)
    var ids: Set<ObjectID> = []
    for _ in 0..<20 {
      group.write(0) { ids.insert($0.assignObject(.map, for: "loan", in: .root, patch: &$1)) }
      group.remove(0, "loan")
    }
    #expect(ids.count == 20)
    try group.sync()
    #expect(ids.allSatisfy { !group.documents[1].isLive($0) })
  }

  @Test func `concurrent assignments are a conflict, and both are readable`() throws {
    var group = Group(2)
    var ids: [ObjectID] = []
    for place in 0..<2 {
      group.write(place) { document, patch in
        let loan = document.assignObject(.map, for: "loan", in: .root, patch: &patch)
        document.set(.integer(Int64(place)), for: "who", in: loan, patch: &patch)
        ids.append(loan)
      }
    }
    try group.sync()
    #expect(group.agrees)
    #expect(group.documents[0].entries("loan", in: .root).map { ObjectID.assigned(by: $0.dot) } == [ids[1], ids[0]])
    #expect(ids.map { group.documents[0].entries("who", in: $0).map(\.value) } == [[.integer(0)], [.integer(1)]])
    group.set(0, "loan", .null)
    try group.sync()
    #expect(ids.allSatisfy { !group.documents[1].isLive($0) })
  }

  @Test func `defaults are never written`() {
    var group = Group(1)
    let change = group.write(0) { document, _ in
      let book = document.declare(.map, for: "isbn", in: .root)
      document.declare(.set, for: "tags", in: book)
    }
    #expect(change == nil)
    #expect(group.documents[0].snapshot().objects.isEmpty)
    #expect(group.documents[0].keys(in: .root).isEmpty)
  }

  @Test func `writing into an object that does not stand is nothing`() {
    var group = Group(1)
    var loan = ObjectID.root
    group.write(0) { loan = $0.assignObject(.map, for: "loan", in: .root, patch: &$1) }
    group.remove(0, "loan")
    let change = group.write(0) { document, patch in
      document.set(.null, for: "who", in: loan, patch: &patch)
      document.increment("n", in: loan, by: 1, patch: &patch)
      document.remove("who", in: loan, patch: &patch)
      let nowhere = document.assignObject(.map, for: "inner", in: loan, patch: &patch)
      document.set(.null, for: "x", in: nowhere, patch: &patch)
    }
    #expect(change == nil)
    #expect(group.patches[0].isEmpty)
  }
}

@Suite struct `Rule 4, counters` {
  @Test func `increments add up`() throws {
    var group = Group(3)
    for place in 0..<3 {
      for amount in 1...4 { group.increment(place, "n", by: Int64(amount * (place + 1))) }
    }
    try group.sync()
    #expect(group.agrees)
    #expect(group.documents[2].count("n", in: .root) == 60)
    #expect(group.documents[0].visible("n", in: .root) == .count(60))
  }

  @Test func `increments keep the birth of their share`() {
    var group = Group(1)
    let first = group.increment(0, "n", by: 5)
    group.set(0, "other", .null)
    let second = group.increment(0, "n", by: -2)
    #expect(first!.operations[0].action == .increment(5, birth: 1))
    #expect(second!.operations[0].action == .increment(-2, birth: 1))
    #expect(
      group.documents[0].snapshot().objects[0].slots[0].shares == [
        CounterShare(replica: Group.replica(0), birth: 1, last: 3, total: 3, stamp: second!.stamp)
      ])
  }

  @Test func `a clear drops the births it saw, with concurrent increments to them`() throws {
    var group = Group(2)
    group.increment(0, "n", by: 5)
    try group.sync()
    group.remove(1, "n")
    group.increment(0, "n", by: 2)
    try group.sync()
    #expect(group.agrees)
    #expect(group.documents[0].visible("n", in: .root) == .absent)
  }

  @Test func `a share begun before the clear was seen, and not seen by it, survives`() throws {
    var group = Group(2)
    group.increment(0, "n", by: 5)
    try group.sync()
    group.remove(0, "n")
    group.increment(1, "n", by: 7)
    try group.sync()
    #expect(group.agrees)
    #expect(group.documents[0].count("n", in: .root) == 7)
  }

  @Test func `after a clear a writer begins anew`() throws {
    var group = Group(2)
    group.increment(0, "n", by: 5)
    group.remove(0, "n")
    let again = group.increment(0, "n", by: 2)
    #expect(again!.operations[0].action == .increment(2, birth: 3))
    try group.sync()
    #expect(group.documents[1].count("n", in: .root) == 2)
  }

  @Test func `sums wrap`() throws {
    var group = Group(2)
    group.increment(0, "n", by: .max)
    group.increment(0, "n", by: .max)
    group.increment(1, "n", by: .max)
    try group.sync()
    #expect(group.agrees)
    #expect(group.documents[1].count("n", in: .root) == Int64.max &+ Int64.max &+ Int64.max)
  }

  @Test func `of a counter and an entry under one key the later one shows`() throws {
    var group = Group(2)
    let value = group.set(0, "n", .integer(1))
    group.increment(1, "n", by: 2)
    try group.sync()
    #expect(group.documents[0].visible("n", in: .root) == .count(2))
    #expect(group.documents[0].entries("n", in: .root).map(\.dot) == [value!.last])
    group.increment(0, "other", by: 1)
    var later = Group(2)
    later.increment(1, "n", by: 2)
    let shown = later.set(0, "n", .integer(1))
    try later.sync()
    #expect(later.documents[1].visible("n", in: .root) == .value(.integer(1), by: shown!.last))
    #expect(later.documents[1].count("n", in: .root) == 2)
  }

  @Test func `adding nothing is nothing`() {
    var group = Group(1)
    #expect(group.increment(0, "n", by: 0) == nil)
  }
}

@Suite struct `Rule 5, no-ops` {
  @Test func `an equal value is no operation`() {
    var group = Group(1)
    group.set(0, "a", .string("é"))
    #expect(group.set(0, "a", .string("é")) == nil)
    #expect(group.patches[0].isEmpty)
    #expect(group.set(0, "a", .string("e\u{301}")) != nil, "another spelling is another value")
    group.set(0, "d", .double(0))
    #expect(group.set(0, "d", .double(-0.0)) != nil)
    #expect(group.remove(0, "nothing") == nil)
  }

  @Test func `choosing the visible value of a conflict resolves it`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(1))
    group.set(1, "a", .integer(2))
    try group.sync()
    guard case .value(let visible, _) = group.documents[0].visible("a", in: .root) else { fatalError() }
    let resolution = group.set(0, "a", visible)
    #expect(resolution != nil)
    try group.sync()
    #expect(group.agrees)
    #expect(group.documents[1].entries("a", in: .root).count == 1)
  }

  @Test func `an equal value that hides behind a counter is an operation`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(1))
    group.increment(1, "a", by: 2)
    try group.sync()
    #expect(group.set(0, "a", .integer(1)) != nil)
    try group.sync()
    #expect(group.agrees)
    #expect(group.documents[1].count("a", in: .root) == 0)
  }

  @Test func `assigning an object is never a no-op`() {
    var group = Group(1)
    #expect(group.set(0, "a", .object(.map)) != nil)
    #expect(group.set(0, "a", .object(.map)) != nil)
  }

  @Test func `conflicts that change are reported though the visible value stays`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(1))
    let winner = group.set(1, "a", .integer(2))
    try group.deliver(group.log[0], to: 1)
    #expect(
      group.patches[1].entries == [
        Patch.Entry(
          object: .root, key: "a", from: .value(.integer(2), by: winner!.last),
          to: .value(.integer(2), by: winner!.last),
          conflictsChanged: true)
      ])
  }
}

@Suite struct `Rule 6, siblings are never capped` {
  @Test func `five hundred concurrent values are all there, and one write ends them`() throws {
    var reader = Document()
    var patch = Patch()
    for place in 0..<500 {
      var writer = Document()
      writer.begin(as: Group.replica(place), now: UInt64(place % 7))
      writer.set(.integer(Int64(place)), for: "a", in: .root, patch: &patch)
      _ = try reader.merge(writer.commit()!, patch: &patch)
    }
    let entries = reader.entries("a", in: .root)
    #expect(entries.count == 500)
    #expect(zip(entries, entries.dropFirst()).allSatisfy { ($0.stamp, $0.dot) > ($1.stamp, $1.dot) })
    reader.begin(as: Group.replica(1_000), now: 0)
    reader.set(.null, for: "a", in: .root, patch: &patch)
    let change = reader.commit()
    #expect(change!.frontier.count == 500)
    #expect(reader.entries("a", in: .root).count == 1)
    #expect(reader.rowCount.compounds == 0)
    reader.checkInvariants()
  }
}

@Suite struct `Rule 8, stability` {
  @Test func `a version entry never goes by itself`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(1))
    try group.sync()
    group.remove(1, "a")
    for _ in 0..<100 { group.set(1, "b", .integer(Int64(group.now))) }
    try group.sync()
    #expect(group.documents[0].version[Group.replica(0)] == 1)
    #expect(group.documents[0].snapshot().version[Group.replica(0)] == 1)
    #expect(try Document(group.documents[0].snapshot()).version == group.documents[1].version)
  }
}

@Suite struct `Rule 10, state transfer is one cut` {
  @Test func `a state merges in one step and says so in one patch`() throws {
    var group = Group(2)
    for key in ["a", "b", "c"] as [Key] { group.set(0, key, .integer(1)) }
    group.set(1, "d", .integer(2))
    var patch = Patch()
    try group.documents[1].merge(group.documents[0].snapshot(), patch: &patch)
    #expect(patch.entries.map(\.key).sorted() == ["a", "b", "c"])
    #expect(
      group.documents[1].version
        == VersionVector(group.log.map { VersionVector.Entry(replica: $0.replica, counter: $0.lastCounter) }))
    #expect(group.documents[1].frontier == [group.log[2].last, group.log[3].last])
    #expect(group.documents[1].keyCount(in: .root) == 4)
  }

  @Test func `a piece of a state says that the rest was removed`() throws {
    var group = Group(1)
    for key in ["a", "b"] as [Key] { group.set(0, key, .integer(1)) }
    var piece = group.documents[0].snapshot()
    piece.objects[0].slots.removeLast()
    var document = Document()
    var patch = Patch()
    _ = try document.merge(group.log[0], patch: &patch)
    try document.merge(piece, patch: &patch)
    _ = try document.merge(group.log[1], patch: &patch)
    #expect(document.version == group.documents[0].version)
    #expect(document.keys(in: .root) == ["a"], "so states are never merged piece by piece")
  }

  @Test func `a state that is refused alters nothing`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(1))
    group.set(1, "b", .integer(2))
    var snapshot = group.documents[0].snapshot()
    snapshot.objects[0].slots[0].entries[0].dot.counter = 9
    let before = group.documents[1].snapshot()
    var patch = Patch()
    #expect(throws: MergeError.self) { try group.documents[1].merge(snapshot, patch: &patch) }
    #expect(group.documents[1].snapshot() == before)
    #expect(patch.isEmpty)
  }
}
