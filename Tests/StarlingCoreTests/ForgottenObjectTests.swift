import StarlingCore
import Testing

/// Named traces of objects that were removed and forgotten by some, and moved by somebody who had been given up for
/// lost (Protocol/merge.md, "Orphans", "Incomplete objects").
@Suite struct `An object that some forgot` {
  private let a: ObjectID

  /// Replicas that all have an object under `a` of the root, which has a title and a text. Nobody knows of the replica
  /// 1.
  private var group: Group

  init() throws {
    group = Group(3)
    for place in group.documents.indices { group.documents[place].holdsRemovedObjects = true }
    var a = ObjectID.root
    group.write(0) { document, patch in
      a = document.assignObject(.map, for: "a", in: .root, patch: &patch)
      document.set(.string("A"), for: "title", in: a, patch: &patch)
      document.insert("xyz", at: 0, in: document.declare(.text, for: "text", in: a), patch: &patch)
      document.insert(
        [.integer(1), .integer(2)], at: 0, in: document.declare(.list, for: "list", in: a), patch: &patch)
    }
    self.a = a
    try group.sync()
  }

  private mutating func forgets(_ place: Int) {
    let stable = group.documents[place].version
    #expect(group.documents[place].collectTombstones(stable: stable) > 0)
    #expect(group.documents[place].orphanCount == 0)
    group.documents[place].checkInvariants()
  }

  private mutating func merges(_ place: Int, stateOf other: Int) throws {
    group.patches[place] = Patch()
    // As it comes over the wire or from a store.
    let state = try Document(group.documents[other].snapshot()).snapshot()
    try group.documents[place].merge(state, patch: &group.patches[place])
    group.documents[place].checkInvariants()
  }

  /// Everybody merges the state of everybody else, as those do whose digests differ.
  private mutating func exchange() throws {
    for place in group.documents.indices {
      for other in group.documents.indices where other != place { try merges(place, stateOf: other) }
    }
  }

  private func expectAgreement() {
    let agrees = group.agrees
    #expect(agrees)
  }

  private func expectAgreement(_ title: Visible, text: String = "xyz", list: Int = 2) throws {
    expectAgreement()
    for document in group.documents {
      #expect(document.visible("title", in: a) == title)
      #expect(document.text(in: .derived(parent: a, key: "text", kind: .text)) == text)
      #expect(document.count(in: .derived(parent: a, key: "list", kind: .list)) == list)
      #expect(try Document(document.snapshot()).digest() == document.digest())
    }
  }

  // MARK: What began in it

  @Test(arguments: [false, true])
  mutating func `keeps what one that began in it was given before it moved out`(_ isInList: Bool) throws {
    group.remove(0, "a")
    try group.deliver(group.log.last, to: 2)
    forgets(0)
    var c = ObjectID.root
    group.write(1) { [a] document, patch in
      if isInList {
        let list = document.declare(.list, for: "list", in: a)
        guard let element = document.insert([.object(.map)], at: 0, in: list, patch: &patch) else { return }
        c = .assigned(by: element)
      } else {
        c = document.assignObject(.map, for: "c", in: a, patch: &patch)
      }
      document.set(.string("C"), for: "title", in: c, patch: &patch)
      put(c, "out", &document, &patch)
    }
    try group.sync()
    expectAgreement()
    for document in group.documents {
      #expect(document.place(of: c)?.key == "out" && !document.isLive(a))
      guard case .value(.string("C"), _) = document.visible("title", in: c) else {
        Issue.record("what it was given is lost")
        return
      }
    }
  }

  @Test mutating func `needs no state for one that began in it and moved out later`() throws {
    group.remove(0, "a")
    forgets(0)
    var c = ObjectID.root
    let birth = group.write(1) { [a] document, patch in
      c = document.assignObject(.map, for: "c", in: a, patch: &patch)
      document.set(.string("C"), for: "title", in: c, patch: &patch)
    }
    let move = group.write(1) { put(c, "out", &$0, &$1) }
    try group.deliver(birth, to: 0)
    guard case .merged = try group.deliver(move, to: 0) else {
      Issue.record("it waits for a state")
      return
    }
    try group.sync()
    expectAgreement()
  }

  @Test mutating func `has let one go that is written to by somebody who still sees that in it`() throws {
    var c = ObjectID.root
    group.write(0) { [a] in c = $0.assignObject(.map, for: "c", in: a, patch: &$1) }
    try group.sync()
    group.write(0) { put(c, "a", &$0, &$1) }
    forgets(0)
    let edit = group.set(1, "title", .string("C"), in: c)
    try merges(0, stateOf: 1)
    #expect(group.documents[0].visible("title", in: c) == .value(.string("C"), by: edit!.last))
    try group.sync()
    expectAgreement()
  }

  // MARK: What stands in an orphan

  /// Its removal is known to all, that of what it was moved into is not: who does not know of that may move it
  /// elsewhere.
  @Test mutating func `is not forgotten while it stands in one that is not`() throws {
    var b = ObjectID.root
    group.write(0) { b = $0.assignObject(.map, for: "b", in: .root, patch: &$1) }
    try group.sync()
    let removal = group.remove(0, "a")
    group.remove(0, "b")
    let move = group.write(2) { [a] in put(a, "inner", in: b, &$0, &$1) }
    try group.deliver(move, to: 0)
    try group.deliver(removal, to: 1)
    try group.deliver(move, to: 1)
    try group.deliver(removal, to: 2)
    group.documents[0].collectTombstones(stable: group.documents[2].version)
    group.documents[0].checkInvariants()
    group.write(2) { put(b, "out", &$0, &$1) }
    try group.sync()
    try expectAgreement(.value(.string("A"), by: Dot(Group.replica(0), 2)))
    for document in group.documents { #expect(document.parent(of: a) == b) }
    // Nothing of either is left once all know that both went.
    group.remove(2, "out")
    try group.sync()
    for place in group.documents.indices { forgets(place) }
  }

  // MARK: What came back

  @Test mutating func `comes back without what was removed in it, once all know as much`() throws {
    group.write(0) { [a] document, patch in
      document.remove("title", in: a, patch: &patch)
      document.removeItems(0..<2, in: .derived(parent: a, key: "text", kind: .text), patch: &patch)
      document.removeItems(0..<1, in: .derived(parent: a, key: "list", kind: .list), patch: &patch)
      document.remove("a", in: .root, patch: &patch)
    }
    forgets(0)
    group.write(1) { [a] in put(a, "out", &$0, &$1) }
    try merges(0, stateOf: 1)
    #expect(group.documents[0].incompleteObjects == [a])
    try group.sync()
    try exchange()
    try expectAgreement(.absent, text: "z", list: 1)
    #expect(group.documents.allSatisfy { $0.incompleteObjects.isEmpty })
  }

  @Test mutating func `comes back with the text of one that stands in it, once all know as much`() throws {
    var b = ObjectID.root
    group.write(0) { [a] document, patch in
      b = document.assignObject(.map, for: "b", in: a, patch: &patch)
      document.insert("abc", at: 0, in: document.declare(.text, for: "text", in: b), patch: &patch)
    }
    try group.sync()
    group.write(0) { [a] document, patch in
      document.removeItems(0..<1, in: .derived(parent: b, key: "text", kind: .text), patch: &patch)
      document.removeItems(0..<1, in: .derived(parent: a, key: "text", kind: .text), patch: &patch)
      document.remove("a", in: .root, patch: &patch)
    }
    forgets(0)
    group.write(1) { [a] in put(a, "out", &$0, &$1) }
    try merges(0, stateOf: 1)
    #expect(group.documents[0].incompleteObjects == [a, b].sorted())
    try group.sync()
    let text = ObjectID.derived(parent: b, key: "text", kind: .text)
    #expect(group.documents[0].text(in: text) == "abc")
    try merges(0, stateOf: 1)
    let told = group.patches[0].sequences.filter { $0.object == text }.flatMap(\.edits)
    #expect(told == [.remove(at: 0, count: 3), .insert(at: 0, count: 2)])
    try exchange()
    try expectAgreement(.value(.string("A"), by: Dot(Group.replica(0), 2)), text: "yz")
    for document in group.documents { #expect(document.text(in: text) == "bc") }
  }

  @Test mutating func `comes back with what was written in it and forgotten, once all know as much`() throws {
    group.write(0) { [a] document, patch in
      document.set(.string("edited"), for: "title", in: a, patch: &patch)
      document.insert("ab", at: 1, in: document.declare(.text, for: "text", in: a), patch: &patch)
      document.move(from: 0, to: 1, in: .derived(parent: a, key: "list", kind: .list), patch: &patch)
    }
    group.remove(0, "a")
    forgets(0)
    group.write(1) { [a] in put(a, "out", &$0, &$1) }
    try merges(0, stateOf: 1)
    try group.sync()
    try exchange()
    let edit = Dot(Group.replica(0), 8)
    try expectAgreement(.value(.string("edited"), by: edit), text: "xabyz")
  }

  @Test mutating func `takes nothing from a replica that knows all of it where it came back with less`() throws {
    let edit = group.set(2, "title", .string("edited"), in: a)
    try group.deliver(edit, to: 0)
    let removal = group.remove(0, "a")
    forgets(0)
    let move = group.write(1) { [a] in put(a, "out", &$0, &$1) }
    try merges(0, stateOf: 1)
    try group.deliver(removal, to: 2)
    try group.deliver(move, to: 2)
    // A third hears of something else with the state that lacks the edit.
    group.set(0, "else", .integer(1))
    try merges(2, stateOf: 0)
    try group.sync()
    try exchange()
    try expectAgreement(.value(.string("edited"), by: edit!.last))
  }

  @Test mutating func `is the same to all who have nobody left that knows all of it`() throws {
    group.set(0, "title", .string("edited"), in: a)
    group.remove(0, "a")
    forgets(0)
    group.set(1, "other", .integer(1), in: a)
    group.write(1) { [a] in put(a, "out", &$0, &$1) }
    // Neither ever hears what the other wrote, but by state.
    try merges(0, stateOf: 1)
    group.set(1, "more", .integer(2), in: a)
    try merges(1, stateOf: 0)
    try merges(2, stateOf: 0)
    try exchange()
    try exchange()
    expectAgreement()
    #expect(group.documents.allSatisfy { $0.incompleteObjects == [a] && $0.isLive(a) })
  }

  @Test mutating func `settles to the same on both sides of one version`() throws {
    group.remove(0, "title", in: a)
    group.remove(0, "a")
    forgets(0)
    group.write(1) { [a] in put(a, "out", &$0, &$1) }
    try merges(0, stateOf: 1)
    try group.sync()
    let (mine, theirs) = (group.documents[0], group.documents[1])
    #expect(mine.version == theirs.version)
    var patch = Patch()
    let settlement = try group.documents[0].settle(with: theirs, authority: .neither, patch: &patch)
    #expect(settlement.outcome == .equal)
    #expect(group.documents[0].digest() == theirs.digest())
    #expect(patch.entries.contains { $0.object == a && $0.key == "title" && $0.to == .absent })
  }
}

private func put(
  _ object: ObjectID, _ key: Key, in holder: ObjectID = .root, _ document: inout Document, _ patch: inout Patch
) {
  do {
    try document.place(object, for: key, in: holder, patch: &patch)
  } catch {
    Issue.record(error)
  }
}
