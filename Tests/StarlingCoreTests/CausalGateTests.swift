import StarlingTestSupport
import StarlingCore
import Testing

@Suite struct `A causal gate` {
  /// A history of `count` changes by three replicas that hear of each other now and then.
  private func history(_ count: Int) throws -> Group {
    var group = Group(3)
    for step in 0..<count {
      let place = step % 3
      if step % 4 == 3 {
        try group.documents[place].merge(group.documents[(place + 1) % 3].snapshot(), patch: &group.patches[place])
      }
      group.set(place, .integer(Int64(step % 5)), .integer(Int64(step)))
    }
    return group
  }

  @Test func `merges what comes in any order`() throws {
    let group = try history(60)
    var generator = Dice(seed: 4)
    for _ in 0..<40 {
      var (gate, document, patch) = (CausalGate(), Document(), Patch())
      var merged: [Change] = []
      for change in group.log.shuffled(using: &generator) {
        let received = try gate.receive(change, into: &document, patch: &patch)
        #expect(received.refusals.isEmpty)
        #expect(received.merged.isEmpty == !received.missing.isEmpty)
        merged += received.merged
      }
      #expect(gate.isEmpty)
      #expect(merged.count == 60)
      var again = Document()
      for change in merged { _ = try again.merge(change, patch: &patch) }
      #expect(again.snapshot() == document.snapshot())
    }
  }

  @Test func `makes of changes that come together what it makes of them one by one`() throws {
    let group = try history(60)
    var generator = Dice(seed: 5)
    for round in 0..<40 {
      // Those of the first rounds come in order, as they mostly do; of the others also some twice.
      let coming = round < 5 ? group.log : (group.log + group.log.prefix(20)).shuffled(using: &generator)
      var (gate, document, patch) = (CausalGate(), Document(), Patch())
      var (gateOfOnes, documentOfOnes, patchOfOnes) = (CausalGate(), Document(), Patch())
      var rest = coming[...]
      while !rest.isEmpty {
        let run = Array(rest.prefix(Int.random(in: 1...9, using: &generator)))
        rest = rest.dropFirst(run.count)
        var (together, inTurn) = (CausalGate.Received(), CausalGate.Received())
        try gate.receive(run, into: &document, patch: &patch, &together)
        for change in run { try gateOfOnes.receive(change, into: &documentOfOnes, patch: &patchOfOnes, &inTurn) }
        #expect(together == inTurn, "round \(round)")
      }
      #expect(gate.count == gateOfOnes.count)
      #expect(patch.entries == patchOfOnes.entries)
      #expect(document.snapshot() == documentOfOnes.snapshot())
    }
  }

  @Test func `keeps what merged before a change that nobody may merge`() throws {
    var group = Group(1)
    var changes = (0..<4).map { group.set(0, "a", .integer($0))! }
    changes[2].operations = []
    var (gate, document, patch, received) = (CausalGate(), Document(), Patch(), CausalGate.Received())
    #expect(throws: MergeError.self) { try gate.receive(changes, into: &document, patch: &patch, &received) }
    #expect(received.merged == Array(changes[..<2]))
    #expect(document.version[changes[0].replica] == changes[1].lastCounter)
  }

  @Test func `says what is missing`() throws {
    var group = Group(2)
    let changes = (0..<3).map { group.set(0, "a", .integer($0))! }
    var (gate, document, patch) = (CausalGate(), Document(), Patch())
    let early = try gate.receive(changes[2], into: &document, patch: &patch)
    #expect(early.missing == [changes[1].last])
    #expect(gate.count == 1)
    let first = try gate.receive(changes[0], into: &document, patch: &patch)
    #expect(first.merged == [changes[0]])
    #expect(first.missing.isEmpty)
    let rest = try gate.receive(changes[1], into: &document, patch: &patch)
    #expect(rest.merged == [changes[1], changes[2]])
    #expect(gate.isEmpty)
  }

  @Test func `says all that is missing, of every writer`() throws {
    var group = Group(3)
    let seen = (0..<2).map { group.set($0, "a", .integer(Int64($0)))! }
    for change in seen { try group.deliver(change, to: 2) }
    let last = group.set(2, "a", .integer(2))!
    var (gate, document, patch) = (CausalGate(), Document(), Patch())
    let received = try gate.receive(last, into: &document, patch: &patch)
    #expect(Set(received.missing) == Set(seen.map(\.last)))
  }

  @Test func `drops duplicates`() throws {
    var group = Group(2)
    let changes = (0..<2).map { group.set(0, "a", .integer($0))! }
    var (gate, document, patch) = (CausalGate(), Document(), Patch())
    for _ in 0..<5 { _ = try gate.receive(changes[1], into: &document, patch: &patch) }
    #expect(gate.count == 1)
    let received = try gate.receive(changes[0], into: &document, patch: &patch)
    #expect(received.merged.count == 2)
    let again = try gate.receive(changes[0], into: &document, patch: &patch)
    #expect(again == CausalGate.Received())
  }

  @Test func `collects what a state brought within reach`() throws {
    let group = try history(30)
    var behind = Document()
    var (gate, document, patch) = (CausalGate(), Document(), Patch())
    for change in group.log.prefix(20) { _ = try behind.merge(change, patch: &patch) }
    for change in group.log.dropFirst(10) { _ = try gate.receive(change, into: &document, patch: &patch) }
    try document.merge(behind.snapshot(), patch: &patch)
    let released = gate.release(into: &document, patch: &patch)
    #expect(Set(released.merged) == Set(group.log.dropFirst(20)))
    #expect(
      document.snapshot().version
        == VersionVector(group.log.map { VersionVector.Entry(replica: $0.replica, counter: $0.lastCounter) }))
    #expect(gate.isEmpty)
  }

  @Test func `holds no more than it may, and drops the oldest`() throws {
    var group = Group(1)
    let changes = (0..<10).map { group.set(0, "a", .integer($0))! }
    var (gate, document, patch) = (CausalGate(changeCountMax: 4), Document(), Patch())
    for change in changes.dropFirst() { _ = try gate.receive(change, into: &document, patch: &patch) }
    #expect(gate.count == 4)
    for change in changes.prefix(6) { _ = try gate.receive(change, into: &document, patch: &patch) }
    #expect(document.version == group.documents[0].version)
    #expect(gate.isEmpty)
  }

  @Test func `holds no more operations than it may`() throws {
    var group = Group(1)
    let changes = (0..<6 as Range<Int64>).map { round in
      group.write(0) { document, patch in
        for key in 0..<5 { document.set(.integer(round), for: .integer(Int64(key)), in: .root, patch: &patch) }
      }!
    }
    var (gate, document, patch) = (CausalGate(operationCountMax: 12), Document(), Patch())
    for change in changes.dropFirst() { _ = try gate.receive(change, into: &document, patch: &patch) }
    #expect(gate.count == 2)
    var tight = CausalGate(operationCountMax: 4)
    _ = try tight.receive(changes[1], into: &document, patch: &patch)
    #expect(tight.isEmpty, "a change that alone is too large is not held")
  }

  @Test func `drops what nobody holds any more, and keeps what somebody does`() throws {
    var group = Group(2)
    let own = (0..<4).map { group.set(0, "a", .integer($0))! }
    let other = (0..<3).map { group.set(1, "b", .integer($0))! }
    var (gate, document, patch) = (CausalGate(), Document(), Patch())
    gate.bringer = CausalGate.Bringer(name: "ada", byteCountMax: 1 << 20)
    for change in own.dropFirst() + other.dropFirst() { _ = try gate.receive(change, into: &document, patch: &patch) }
    let (ada, bob) = (own[0].replica, other[0].replica)
    func at(_ counters: UInt64...) -> VersionVector {
      VersionVector(zip([ada, bob], counters).map { VersionVector.Entry(replica: $0, counter: $1) })
    }
    gate.dropUnclaimed(beyond: at(3))
    #expect(gate.count == 5, "who sent it may not have said so yet")
    gate.dropUnclaimed(beyond: at(3, 3))
    gate.dropUnclaimed(beyond: at(3))
    #expect(gate.count == 4, "bob's were held in between")
    gate.dropUnclaimed(beyond: at(3))
    #expect(gate.count == 2)
    _ = try gate.receive(own[0], into: &document, patch: &patch)
    #expect(document.version == at(3))
    #expect(gate.isEmpty && gate.byteCount == 0 && gate.byteCount(of: "ada") == 0)
    // They come again with the next answer.
    for change in other { _ = try gate.receive(change, into: &document, patch: &patch) }
    _ = try gate.receive(own[3], into: &document, patch: &patch)
    #expect(document.version == at(4, 3))
  }

  @Test func `stays small however much passes through it`() throws {
    var group = Group(1)
    var (gate, document, patch) = (CausalGate(), Document(), Patch())
    for round in 0..<2_000 {
      let pair = [group.set(0, "a", .integer(Int64(2 * round)))!, group.set(0, "a", .integer(Int64(2 * round + 1)))!]
      for change in pair.reversed() { _ = try gate.receive(change, into: &document, patch: &patch) }
    }
    #expect(gate.isEmpty)
    #expect(gate.retainedCount < 100)
    #expect(document.version == group.documents[0].version)
  }

  @Test func `reports a held change that nobody may merge, and goes on`() throws {
    var group = Group(1)
    var changes = (0..<3).map { group.set(0, "a", .integer($0))! }
    changes[1].operations[0].action = .set(.null, replacing: [Dot(Group.replica(7), 7)], clearing: nil)
    var (gate, document, patch) = (CausalGate(), Document(), Patch())
    _ = try gate.receive(changes[2], into: &document, patch: &patch)
    _ = try gate.receive(changes[1], into: &document, patch: &patch)
    let received = try gate.receive(changes[0], into: &document, patch: &patch)
    #expect(received.merged == [changes[0]])
    #expect(received.refusals.map(\.code) == [.unseenDot])
    #expect(gate.count == 1)
  }
}
