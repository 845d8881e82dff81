import StarlingCore
import Testing

/// An item may go once all members have merged what removed it (Protocol/merge.md, "Tombstone collection").
@Suite struct `What was removed` {
  private static let text = ObjectID.derived(parent: .root, key: "text", kind: .text)
  private static let list = ObjectID.derived(parent: .root, key: "list", kind: .list)

  /// “c” and “b” of “abc” are removed by two changes, which come as one history.
  @Test(arguments: [true, false])
  func `stays until the last of a history's removals is stable`(isWhole: Bool) throws {
    var group = Group(1)
    let typed = group.write(0) { document, patch in
      document.declare(.text, for: "text", in: .root)
      document.insert("abc", at: 0, in: Self.text, patch: &patch)
    }
    var changes = [try #require(typed)]
    for index in [2, 1] {
      let removed = group.write(0) { $0.removeItems(index..<index + 1, in: Self.text, patch: &$1) }
      changes.append(try #require(removed))
    }
    var (gate, document, patch, received) = (CausalGate(), Document(), Patch(), CausalGate.Received())
    if !isWhole {
      _ = try document.merge(changes[0], patch: &patch)
      changes.removeFirst()
    }
    let history = try #require(changes.withBorrowed { TextHistory(prefixOf: $0, in: $0.indices) })
    #expect(history.strokes.count == (isWhole ? 2 : 1))
    #expect(try gate.receive(.history(history), into: &document, patch: &patch, &received))
    #expect(document.version == group.documents[0].version)
    var stable = document.version
    stable[Group.replica(0)] -= 1
    #expect(document.collectTombstones(stable: stable) == 0)
    #expect(document.collectTombstones(stable: document.version) == 2)
  }

  @Test func `goes with the places at which a moved element stood before`() throws {
    func itemCount(afterMoves count: Int) -> Int {
      var group = Group(1)
      group.write(0) { document, patch in
        document.declare(.list, for: "list", in: .root)
        _ = document.insert([.integer(1), .integer(2)], at: 0, in: Self.list, patch: &patch)
      }
      for number in 0..<count {
        group.write(0) { $0.move(from: number % 2, to: 1 - number % 2, in: Self.list, patch: &$1) }
      }
      _ = group.documents[0].collectTombstones(stable: group.documents[0].version)
      return group.documents[0].rowCount.items
    }
    #expect(itemCount(afterMoves: 9) == itemCount(afterMoves: 1))
  }
}
