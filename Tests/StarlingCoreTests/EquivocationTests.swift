import StarlingCore
import StarlingTestSupport
import Testing

/// Two replicas to which one writer gave two contents under the same dots.
private struct SplitGroup {
  var documents = [Document(), Document()]
  private(set) var clock: UInt64 = 1_000
  static let liar = ReplicaID(rawValue: 0xBAD)

  /// Writes one change as the liar, differently for each of the two.
  ///
  /// - Parameter pause: how much later the second is stamped.
  mutating func lie(_ bodies: [(inout Document, inout Patch) -> Void], apart pause: UInt64 = 0) {
    for (place, body) in bodies.enumerated() {
      clock += place > 0 ? pause : 0
      write(as: Self.liar, at: place, body)
    }
    clock += 1
  }

  /// Writes one honest change at a replica, and merges it at the other one.
  mutating func write(_ place: Int, _ body: (inout Document, inout Patch) -> Void) throws {
    let change = write(as: ReplicaID(rawValue: UInt64(place + 1)), at: place, body)
    clock += 1
    guard let change else { return }
    var patch = Patch()
    #expect(try documents[1 - place].merge(change, patch: &patch) == .merged)
  }

  @discardableResult
  private mutating func write(
    as replica: ReplicaID, at place: Int, _ body: (inout Document, inout Patch) -> Void
  ) -> Change? {
    var patch = Patch()
    documents[place].begin(as: replica, now: clock)
    body(&documents[place], &patch)
    return documents[place].commit()
  }

  var equivocations: [Equivocation] {
    documents[0].canonicalSnapshot().equivocations(with: documents[1].canonicalSnapshot())
  }
}

@Suite struct `Two states of one version` {
  @Test func `contradict each other at the dot with two values`() throws {
    var group = SplitGroup()
    group.lie([
      { $0.set(.string("a"), for: "title", in: .root, patch: &$1) },
      { $0.set(.string("b"), for: "title", in: .root, patch: &$1) },
    ])
    try group.write(0) { $0.set(.integer(3), for: "copies", in: .root, patch: &$1) }
    #expect(group.documents[0].version == group.documents[1].version)
    #expect(group.documents[0].digest() != group.documents[1].digest())
    #expect(group.equivocations == [Equivocation(Dot(SplitGroup.liar, 1))])
  }

  @Test func `contradict each other at a dot that stands at two places`() throws {
    var group = SplitGroup()
    group.lie([
      { $0.set(.integer(1), for: "left", in: .root, patch: &$1) },
      { $0.set(.integer(1), for: "right", in: .root, patch: &$1) },
    ])
    #expect(group.equivocations == [Equivocation(Dot(SplitGroup.liar, 1))])
  }

  @Test func `contradict each other at a scalar, an anchor, a mark and a share`() throws {
    let text = ObjectID.derived(parent: .root, key: "blurb", kind: .text)
    var group = SplitGroup()
    group.lie([
      {
        _ = $0.declare(.text, for: "blurb", in: .root); $0.insert("x", at: 0, in: text, patch: &$1)
      },
      {
        _ = $0.declare(.text, for: "blurb", in: .root); $0.insert("y", at: 0, in: text, patch: &$1)
      },
    ])
    #expect(group.equivocations == [Equivocation(Dot(SplitGroup.liar, 1))])

    group = SplitGroup()
    group.lie([
      { $0.increment("n", in: .root, by: 1, patch: &$1) }, { $0.increment("n", in: .root, by: 2, patch: &$1) },
    ])
    #expect(group.equivocations == [Equivocation(Dot(SplitGroup.liar, 1))])
  }

  @Test func `do not contradict each other where one has removed what the other holds`() throws {
    var group = SplitGroup()
    try group.write(0) { $0.set(.integer(1), for: "a", in: .root, patch: &$1) }
    try group.write(1) { $0.set(.integer(2), for: "b", in: .root, patch: &$1) }
    group.lie([{ $0.remove("a", in: .root, patch: &$1) }, { $0.remove("b", in: .root, patch: &$1) }])
    #expect(group.documents[0].digest() != group.documents[1].digest())
    #expect(group.equivocations.isEmpty)
  }

  @Test(arguments: 0..<300) func `are one after one took the place of the other, and the patch tells what changed`(
    seed: UInt64
  ) throws {
    var dice = Dice(seed: seed)
    var group = SplitGroup()
    let text = ObjectID.derived(parent: .root, key: "text", kind: .text)
    let list = ObjectID.derived(parent: .root, key: "list", kind: .list)
    for place in 0..<2 {
      _ = group.documents[place].declare(.text, for: "text", in: .root)
      _ = group.documents[place].declare(.list, for: "list", in: .root)
    }
    func edit(_ document: inout Document, _ patch: inout Patch, _ dice: inout Dice) {
      let key = Key.integer(Int64.random(in: 0..<4, using: &dice))
      switch Int.random(in: 0..<9, using: &dice) {
      case 0, 1: document.set(.integer(Int64.random(in: 0..<9, using: &dice)), for: key, in: .root, patch: &patch)
      case 2: document.remove(key, in: .root, patch: &patch)
      case 3: document.increment(key, in: .root, by: Int64.random(in: 1..<5, using: &dice), patch: &patch)
      case 4:
        let child = document.assignObject(.map, for: key, in: .root, patch: &patch)
        document.set(.bool(true), for: "inner", in: child, patch: &patch)
      case 5, 6:
        let place = Int.random(in: 0...document.count(in: text), using: &dice)
        document.insert(String("abcdef".randomElement(using: &dice)!), at: place, in: text, patch: &patch)
      case 7:
        let place = Int.random(in: 0...document.count(in: list), using: &dice)
        document.insert([.integer(Int64.random(in: 0..<9, using: &dice))], at: place, in: list, patch: &patch)
      default:
        let place = Int.random(in: 0...document.count(in: list), using: &dice)
        _ = document.insert([.object(.map)], at: place, in: list, patch: &patch)
      }
    }
    // The liar writes first: whatever it writes later, an honest change might stand on.
    group.lie([{ edit(&$0, &$1, &dice) }, { edit(&$0, &$1, &dice) }])
    let former = group.documents[0]
    guard former.version == group.documents[1].version else { return }
    var patch = Patch()
    group.documents[0].replace(with: group.documents[1], patch: &patch)
    group.documents[0].checkInvariants()
    #expect(group.documents[0].canonicalSnapshot() == group.documents[1].canonicalSnapshot())
    #expect(group.documents[0].digest() == group.documents[1].digest())
    for entry in patch.entries {
      #expect(entry.from == former.visible(entry.key, in: entry.object))
      #expect(entry.to == group.documents[1].visible(entry.key, in: entry.object))
    }
    for edits in patch.sequences {
      let change = edits.edits.reduce(former.count(in: edits.object)) { count, edit in
        switch edit {
        case .insert(_, let inserted): count + inserted
        case .remove(_, let removed): count - removed
        case .move, .mark: count
        }
      }
      #expect(change == group.documents[0].count(in: edits.object))
    }
    // Both go on, and stay one.
    for place in [0, 1, 0] { try group.write(place) { edit(&$0, &$1, &dice) } }
    #expect(group.documents[0].digest() == group.documents[1].digest())
  }

  @Test func `keep what honest writers put beside the lie`() throws {
    let text = ObjectID.derived(parent: .root, key: "blurb", kind: .text)
    var group = SplitGroup()
    for place in 0..<2 { _ = group.documents[place].declare(.text, for: "blurb", in: .root) }
    try group.write(0) { $0.insert("honest", at: 0, in: text, patch: &$1) }
    group.lie([{ $0.insert("X", at: 0, in: text, patch: &$1) }, { $0.insert("Y", at: 6, in: text, patch: &$1) }])
    try group.write(1) { $0.set(.integer(7), for: "copies", in: .root, patch: &$1) }
    var patch = Patch()
    group.documents[0].replace(with: group.documents[1], patch: &patch)
    #expect(group.documents[0].text(in: text) == "honestY")
    #expect(group.documents[0].visible("copies", in: .root) == group.documents[1].visible("copies", in: .root))
    #expect(patch.sequences.map(\.object) == [text])
  }
}

@Suite struct `Two replicas that settle` {
  /// Each takes the other's state, as both were before.
  private func settle(_ group: inout SplitGroup, _ authorities: [Document.Authority] = [.neither, .neither]) throws
    -> [Settlement]
  {
    let former = group.documents
    return try (0..<2).map { place in
      var patch = Patch()
      return try group.documents[place].settle(
        with: former[1 - place], authority: authorities[place], patch: &patch)
    }
  }

  @Test func `come to hold one state, and name the dot that was used twice`() throws {
    var group = SplitGroup()
    group.lie([
      { $0.set(.string("a"), for: "title", in: .root, patch: &$1) },
      { $0.set(.string("b"), for: "title", in: .root, patch: &$1) },
    ])
    let settled = try settle(&group)
    #expect(Set(settled.map(\.outcome)) == [.kept, .replaced])
    #expect(settled.allSatisfy { $0.equivocations == [Equivocation(Dot(SplitGroup.liar, 1))] })
    #expect(group.documents[0].digest() == group.documents[1].digest())
    // They go on as one.
    try group.write(0) { $0.set(.integer(1), for: "copies", in: .root, patch: &$1) }
    try group.write(1) { $0.set(.string("c"), for: "title", in: .root, patch: &$1) }
    #expect(group.documents[0].digest() == group.documents[1].digest())
  }

  @Test(arguments: [0, 1]) func `are one where the state that goes was stamped later`(later: Int) throws {
    for authority in [[Document.Authority.neither, .neither], [.this, .other], [.other, .this]] {
      var group = SplitGroup()
      let titles = later == 1 ? ["a", "b"] : ["b", "a"]
      group.lie(
        titles.map { title in { $0.set(.string(title), for: "title", in: .root, patch: &$1) } }, apart: 1000)
      _ = try settle(&group, authority)
      #expect(group.documents[0].digest() == group.documents[1].digest())
      #expect(group.documents[0].latestStamp == group.documents[1].latestStamp)
      // Nothing is left to settle, and nobody's next change is stamped before its last.
      let settled = try settle(&group, authority)
      #expect(settled.allSatisfy { $0.outcome == .equal })
      for place in 0..<2 { try group.write(place) { $0.set(.integer(1), for: "copies", in: .root, patch: &$1) } }
      #expect(group.documents[0].digest() == group.documents[1].digest())
    }
  }

  @Test func `tell of a conflict that ends though the value stays`() throws {
    var documents = [Document(), Document()]
    var patch = Patch()
    func write(_ replica: UInt64, _ place: Int) -> Change? {
      documents[place].begin(as: ReplicaID(rawValue: replica), now: 1_000)
      documents[place].set(.bool(false), for: "a", in: .root, patch: &patch)
      return documents[place].commit()
    }
    let changes = [write(1, 0), write(2, 1)].compactMap { $0 }
    #expect(try documents[0].merge(changes[1], patch: &patch) == .merged)
    #expect(documents[0].entries("a", in: .root).count == 2)
    var told = Patch()
    documents[0].giveWay(to: documents[1], patch: &told)
    #expect(told.entries.map(\.key) == ["a"])
    #expect(told.entries.allSatisfy { $0.conflictsChanged && $0.to == documents[0].visible("a", in: .root) })
    // A replica that holds just what it held is told of nothing.
    var untold = Patch()
    documents[0].giveWay(to: documents[1], patch: &untold)
    #expect(untold.entries.isEmpty)
  }

  @Test func `hold what the relay holds where one of them is a relay`() throws {
    for place in 0..<2 {
      var group = SplitGroup()
      group.lie([
        { $0.set(.string("a"), for: "title", in: .root, patch: &$1) },
        { $0.set(.string("b"), for: "title", in: .root, patch: &$1) },
      ])
      let wanted = group.documents[place].digest()
      _ = try settle(&group, place == 0 ? [.this, .other] : [.other, .this])
      #expect(group.documents.allSatisfy { $0.digest() == wanted })
    }
  }

  @Test func `are told of no dot where the lie left no trace`() throws {
    var group = SplitGroup()
    try group.write(0) { $0.set(.integer(1), for: "a", in: .root, patch: &$1) }
    try group.write(1) { $0.set(.integer(2), for: "b", in: .root, patch: &$1) }
    group.lie([{ $0.remove("a", in: .root, patch: &$1) }, { $0.remove("b", in: .root, patch: &$1) }])
    let settled = try settle(&group)
    #expect(settled.allSatisfy { $0.equivocations.isEmpty })
    #expect(group.documents[0].digest() == group.documents[1].digest())
  }

  @Test func `are equal at once where they hold the same`() throws {
    var group = SplitGroup()
    try group.write(0) { $0.set(.integer(1), for: "a", in: .root, patch: &$1) }
    #expect(try settle(&group).allSatisfy { $0 == Settlement(.equal) })
  }
}
