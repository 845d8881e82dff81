import StarlingCore
import Testing

@Suite struct `A patch` {
  private func value(_ value: Int64, _ replica: Int, _ counter: UInt64) -> Visible {
    .value(.integer(value), by: Dot(Group.replica(replica), counter))
  }

  @Test func `speaks of a slot once, from its first value to its last`() {
    var group = Group(1)
    group.write(0) { document, patch in
      for value in 1...5 { document.set(.integer(Int64(value)), for: "a", in: .root, patch: &patch) }
    }
    #expect(
      group.patches[0].entries == [
        Patch.Entry(object: .root, key: "a", from: .absent, to: value(5, 0, 5), conflictsChanged: false)
      ])
  }

  @Test func `says nothing of a slot that is what it was`() {
    var group = Group(1)
    group.set(0, "a", .integer(1))
    group.write(0) { document, patch in
      document.set(.integer(2), for: "a", in: .root, patch: &patch)
      document.set(.integer(1), for: "a", in: .root, patch: &patch)
      document.set(.integer(1), for: "b", in: .root, patch: &patch)
      document.remove("b", in: .root, patch: &patch)
    }
    #expect(group.patches[0].isEmpty)
  }

  @Test func `says nothing of a merge that leaves the visible value alone`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(1))
    try group.sync()
    group.write(0) { document, patch in
      document.set(.integer(2), for: "a", in: .root, patch: &patch)
      document.set(.integer(1), for: "a", in: .root, patch: &patch)
    }
    try group.deliver(group.log[1], to: 1)
    #expect(group.patches[1].isEmpty)
  }

  @Test(arguments: [1, 3, 4, 5, 6, 40])
  func `keeps one entry a slot over many calls`(_ keyCount: Int) throws {
    var writer = Document()
    var reader = Document()
    var (written, read) = (Patch(), Patch())
    for round in 0..<6 {
      for key in 0..<keyCount {
        writer.begin(as: Group.replica(0), now: 1)
        let name = Key.integer(Int64(key))
        if round % 2 == 1, key % 3 == 0 {
          writer.remove(name, in: .root, patch: &written)
        } else {
          writer.set(.integer(Int64(round)), for: name, in: .root, patch: &written)
        }
        if let change = writer.commit() { _ = try reader.merge(change, patch: &read) }
      }
      let shown = (0..<keyCount).filter { reader.contains(.integer(Int64($0)), in: .root) }
      for patch in [written, read] {
        #expect(patch.entries.map(\.key).sorted() == shown.map { Key.integer(Int64($0)) })
        #expect(patch.entries.allSatisfy { $0.from == .absent && $0.to == reader.visible($0.key, in: .root) })
      }
      writer.checkInvariants()
    }
  }

  @Test func `keeps one entry a slot though another patch was filled in between`() {
    var document = Document()
    var (held, other) = (Patch(), Patch())
    document.begin(as: Group.replica(0), now: 1)
    document.set(.integer(1), for: "a", in: .root, patch: &held)
    document.remove("a", in: .root, patch: &other)
    document.set(.integer(2), for: "b", in: .root, patch: &other)
    other = Patch()
    document.set(.integer(3), for: "c", in: .root, patch: &other)
    document.set(.integer(4), for: "a", in: .root, patch: &held)
    document.set(.integer(5), for: "c", in: .root, patch: &held)
    #expect(held.entries.map(\.key) == ["a", "c"])
    #expect(held.entries.map(\.from) == [.absent, value(3, 0, 4)])
    #expect(held.entries.map(\.to) == [value(4, 0, 5), value(5, 0, 6)])
    _ = document.commit()
    document.checkInvariants()
  }

  @Test func `can be emptied and filled again`() {
    var group = Group(1)
    group.write(0) { document, patch in
      for round in 0..<3 {
        for key in 0..<8 { document.set(.integer(Int64(round)), for: .integer(Int64(key)), in: .root, patch: &patch) }
        #expect(patch.entries.count == 8)
        patch.entries.removeAll(keepingCapacity: true)
      }
    }
  }

  @Test func `speaks of the slots above that come and go with what stands below`() {
    var group = Group(1)
    let books = group.documents[0].declare(.dictionary, for: "books", in: .root)
    let book = group.documents[0].declare(.map, for: "isbn", in: books)
    group.set(0, "title", .integer(1), in: book)
    #expect(group.patches[0].entries.map(\.key).sorted() == ["books", "isbn", "title"])
    #expect(
      group.patches[0].entries.filter { $0.key != "title" }.map(\.to) == [.container(.map), .container(.dictionary)])
    group.set(0, "pages", .integer(2), in: book)
    #expect(group.patches[0].entries.map(\.key) == ["pages"])
    group.remove(0, "books")
    #expect(group.patches[0].entries.map(\.key).sorted() == ["books", "isbn", "pages", "title"])
    #expect(group.patches[0].entries.allSatisfy { $0.to == .absent })
  }

  @Test func `names the assigned objects that went, and not the slots below them`() {
    var group = Group(1)
    var ids: [ObjectID] = []
    group.write(0) { document, patch in
      let outer = document.assignObject(.map, for: "outer", in: .root, patch: &patch)
      let inner = document.assignObject(.map, for: "inner", in: outer, patch: &patch)
      document.set(.integer(1), for: "x", in: inner, patch: &patch)
      ids = [outer, inner]
    }
    group.write(0) { document, patch in
      document.set(.integer(2), for: "x", in: ids[1], patch: &patch)
      document.remove("outer", in: .root, patch: &patch)
    }
    #expect(Set(group.patches[0].removedObjects) == Set(ids))
    #expect(group.patches[0].entries.map(\.key) == ["outer"])
    #expect(group.patches[0].entries[0].to == .absent)
  }

  /// The shortest trace of a simulated group in which a reader of the conflicts was not told.
  @Test func `tells that another entry stands below a count`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(2))
    try group.deliver(group.set(1, "a", .integer(4)), to: 0)
    let replacement = group.set(1, "a", .integer(18))
    group.increment(0, "a", by: 1)
    let before = group.documents[0].entries("a", in: .root)
    try group.deliver(replacement, to: 0)
    #expect(group.documents[0].visible("a", in: .root) == .count(1))
    #expect(group.documents[0].entries("a", in: .root).count == 2)
    #expect(group.documents[0].entries("a", in: .root) != before)
    #expect(group.patches[0].entries.map(\.conflictsChanged) == [true])
  }

  @Test func `tells whether the entries beside the visible one changed`() throws {
    var group = Group(3)
    group.set(0, "a", .integer(1))
    #expect(!group.patches[0].entries[0].conflictsChanged)
    group.set(0, "a", .integer(2))
    #expect(!group.patches[0].entries[0].conflictsChanged, "one entry replaced by one")
    let other = group.set(1, "a", .integer(3))
    try group.deliver(other, to: 0)
    #expect(group.patches[0].entries[0].conflictsChanged, "the former entry is a conflict now")
    let third = group.set(2, "a", .integer(4))
    try group.deliver(third, to: 0)
    #expect(group.patches[0].entries[0].conflictsChanged)
    let resolution = group.set(0, "a", .integer(5))
    #expect(group.patches[0].entries[0].conflictsChanged, "the conflicts are gone")
    #expect(resolution!.operations.count == 1)
  }

  /// A reader of a conflict reads the visible entry with its writer and time too, before those beside it.
  @Test func `tells of a conflict where only its visible entry was replaced`() throws {
    var group = Group(3)
    group.set(0, "a", .integer(1))
    let winner = group.set(1, "a", .integer(2))
    try group.deliver(group.log[0], to: 2)
    try group.deliver(winner, to: 2)
    let replacement = group.set(1, "a", .integer(3))
    try group.deliver(replacement, to: 2)
    #expect(
      group.patches[2].entries == [
        Patch.Entry(object: .root, key: "a", from: value(2, 1, 1), to: value(3, 1, 2), conflictsChanged: true)
      ])
  }

  /// The shortest trace of a simulated group in which a reader of the conflicts was not told.
  @Test func `tells of a conflict whose visible entry was replaced by an equal one`() throws {
    var group = Group(3)
    group.set(0, "a", .integer(1))
    let winner = group.set(1, "a", .integer(2))
    let replacement = group.write(1) { document, patch in
      document.remove("a", in: .root, patch: &patch)
      document.set(.integer(2), for: "a", in: .root, patch: &patch)
    }
    try group.deliver(group.log[0], to: 2)
    try group.deliver(winner, to: 2)
    let before = group.documents[2].entries("a", in: .root)
    try group.deliver(replacement, to: 2)
    #expect(group.documents[2].entries("a", in: .root) != before)
    #expect(
      group.patches[2].entries == [
        Patch.Entry(object: .root, key: "a", from: value(2, 1, 1), to: value(2, 1, 3), conflictsChanged: true)
      ])
  }
}
