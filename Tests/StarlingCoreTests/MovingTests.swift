import StarlingCore
import Testing

/// Named traces of objects that move between parents (Protocol/merge.md, "Moving between parents").
@Suite struct `An object that moves` {
  private static let to = ObjectID.derived(parent: .root, key: "to", kind: .list)
  private static let from = ObjectID.derived(parent: .root, key: "from", kind: .list)
  private static let pages = ObjectID.derived(parent: .root, key: "pages", kind: .dictionary)

  /// Replicas that all have two objects, under `a` and `b` of the root, with a title each.
  private func beginning(_ count: Int = 3) throws -> (group: Group, a: ObjectID, b: ObjectID) {
    var group = Group(count)
    for place in group.documents.indices { group.documents[place].holdsRemovedObjects = true }
    var (a, b) = (ObjectID.root, ObjectID.root)
    group.write(0) { document, patch in
      a = document.assignObject(.map, for: "a", in: .root, patch: &patch)
      b = document.assignObject(.map, for: "b", in: .root, patch: &patch)
      document.set(.string("A"), for: "title", in: a, patch: &patch)
      document.set(.string("B"), for: "title", in: b, patch: &patch)
    }
    try group.sync()
    return (group, a, b)
  }

  private func place(
    _ object: ObjectID, _ key: Key, in holder: ObjectID, _ document: inout Document, _ patch: inout Patch
  ) {
    do {
      try document.place(object, for: key, in: holder, patch: &patch)
    } catch {
      Issue.record(error)
    }
  }

  @Test func `is not told as gone where its removal and a move that had not seen it come at once`() throws {
    var (group, a, _) = try beginning(3)
    let removal = try #require(group.write(0) { $0.remove("a", in: .root, patch: &$1) })
    let move = try #require(group.write(1) { place(a, "moved", in: .root, &$0, &$1) })
    for changes in [[removal, move], [move, removal]] {
      var reader = group.documents[2]
      var patch = Patch()
      for change in changes { _ = try reader.merge(change, patch: &patch) }
      #expect(reader.isLive(a) && patch.removedObjects.isEmpty)
      #expect(Set(patch.entries.map(\.key)) == ["a", "moved"])
    }
  }

  @Test func `tells what changed in it while it was gone, where all of that comes at once`() throws {
    var (group, a, _) = try beginning(3)
    group.write(1) { document, patch in
      document.set(.integer(1), for: "kept", in: a, patch: &patch)
      document.set(.integer(1), for: "cleared", in: a, patch: &patch)
      document.set(.integer(1), for: "same", in: a, patch: &patch)
    }
    try group.sync()
    let removal = group.write(0) { $0.remove("a", in: .root, patch: &$1) }
    let writes = [
      group.write(1) { $0.set(.integer(2), for: "kept", in: a, patch: &$1) },
      group.write(1) { $0.set(.integer(3), for: "kept", in: a, patch: &$1) },
      group.write(1) { $0.remove("cleared", in: a, patch: &$1) },
      group.write(1) { $0.set(.integer(2), for: "same", in: a, patch: &$1) },
      group.write(1) { place(a, "moved", in: .root, &$0, &$1) },
      group.write(1) { $0.set(.integer(4), for: "kept", in: a, patch: &$1) },
      group.write(1) { $0.set(.integer(1), for: "same", in: a, patch: &$1) },
    ]
    var reader = group.documents[2]
    var patch = Patch()
    for change in [removal] + writes { _ = try reader.merge(#require(change), patch: &patch) }
    #expect(reader.isLive(a) && patch.removedObjects.isEmpty)
    let told = patch.entries.filter { $0.object == a }
    #expect(Set(told.map(\.key)) == ["kept", "cleared"])
    for entry in told { #expect(entry.from.integer == 1 && entry.to.integer == (entry.key == "kept" ? 4 : nil)) }
  }

  private func append(_ object: ObjectID, to key: Key, _ document: inout Document, _ patch: inout Patch) {
    let list = document.declare(.list, for: key, in: .root)
    do {
      try document.place(object, at: document.count(in: list), in: list, patch: &patch)
    } catch {
      Issue.record(error)
    }
  }

  private func agree(_ group: Group) {
    for document in group.documents { #expect(document.digest() == group.documents[0].digest()) }
  }

  @Test func `stands where the last of two movers put it, and once`() throws {
    var (group, a, _) = try beginning()
    group.write(0) { place(a, "x", in: .root, &$0, &$1) }
    group.write(1) { place(a, "y", in: .root, &$0, &$1) }
    try group.sync()
    agree(group)
    for document in group.documents {
      #expect(document.place(of: a)?.key == "y")
      #expect(document.visible("a", in: .root) == .absent)
      #expect(document.visible("x", in: .root) == .absent)
      #expect(document.visible("y", in: .root) == .value(.object(.map), by: a.dot!))
      #expect(document.conflictingPlaces(of: a).map(\.key) == ["x"])
    }
  }

  @Test func `leaves an element that somebody else gave another value, also where that comes with a state`() throws {
    var (group, a, _) = try beginning(2)
    group.write(0) { append(a, to: "from", &$0, &$1) }
    try group.sync()
    let element = try #require(group.documents[1].elements(in: Self.from).first)
    group.set(1, .element(element), .string("else"), in: Self.from)
    group.write(0) { place(a, "w", in: .root, &$0, &$1) }
    var patch = Patch()
    try group.documents[0].merge(group.documents[1].snapshot(), patch: &patch)
    try group.sync()
    agree(group)
    for document in group.documents {
      #expect(document.elements(in: Self.from) == [element])
      #expect(document.place(of: a)?.key == "w")
    }
  }

  @Test func `keeps what others write to it at the same time`() throws {
    var (group, a, _) = try beginning()
    group.write(0) { append(a, to: "to", &$0, &$1) }
    group.set(1, "title", .string("edited"), in: a)
    try group.sync()
    agree(group)
    #expect(group.documents[2].elements(in: Self.to).count == 1)
    #expect(group.documents[2].visible("title", in: a) == .value(.string("edited"), by: group.log.last!.last))
  }

  @Test func `makes no circle with one that moves into it at the same time`() throws {
    var (group, a, b) = try beginning()
    group.write(0) { place(a, "in", in: b, &$0, &$1) }
    group.write(1) { place(b, "in", in: a, &$0, &$1) }
    try group.sync()
    agree(group)
    for document in group.documents {
      #expect(document.ancestors(of: a).last == .root && document.ancestors(of: b).last == .root)
      // The later move stands; the other object stays where it was.
      #expect(document.parent(of: b) == .root || document.parent(of: a) == .root)
      #expect(Set([document.parent(of: a), document.parent(of: b)]).count == 2)
    }
  }

  @Test func `makes no circle with two others`() throws {
    var (group, a, b) = try beginning()
    var c = ObjectID.root
    group.write(2) { c = $0.assignObject(.map, for: "c", in: .root, patch: &$1) }
    try group.sync()
    group.write(0) { place(a, "in", in: b, &$0, &$1) }
    group.write(1) { place(b, "in", in: c, &$0, &$1) }
    group.write(2) { place(c, "in", in: a, &$0, &$1) }
    try group.sync()
    agree(group)
    for object in [a, b, c] { #expect(group.documents[1].ancestors(of: object).last == .root) }
  }

  @Test func `stands where it was put although somebody removed it who had not seen that`() throws {
    var (group, a, _) = try beginning()
    group.write(0) { place(a, "x", in: .root, &$0, &$1) }
    let removal = group.remove(1, "a")
    #expect(!group.documents[1].isLive(a))
    // The third hears of the removal first.
    try group.deliver(removal, to: 2)
    try group.sync()
    agree(group)
    #expect(group.documents[2].place(of: a)?.key == "x")
    guard case .value(.string("A"), _) = group.documents[2].visible("title", in: a) else {
      Issue.record("what it held is lost")
      return
    }
  }

  @Test func `goes, wherever it was before, when somebody who saw it removes it`() throws {
    var (group, a, _) = try beginning()
    group.write(0) { place(a, "x", in: .root, &$0, &$1) }
    try group.sync()
    group.remove(1, "x")
    try group.sync()
    agree(group)
    for document in group.documents { #expect(!document.isLive(a) && document.keys(in: .root) == ["b"]) }
  }

  @Test func `falls back to where it was when what it moved into was removed at the same time`() throws {
    var (group, a, b) = try beginning()
    group.write(0) { place(a, "in", in: b, &$0, &$1) }
    group.remove(1, "b")
    try group.sync()
    agree(group)
    for document in group.documents { #expect(document.place(of: a)?.key == "a") }
  }

  @Test func `survives the removal of what it moved out of`() throws {
    var (group, a, b) = try beginning()
    group.write(0) { place(a, "in", in: b, &$0, &$1) }
    try group.sync()
    group.write(0) { place(a, "out", in: .root, &$0, &$1) }
    group.remove(1, "b")
    try group.sync()
    agree(group)
    for document in group.documents { #expect(document.place(of: a)?.key == "out" && !document.isLive(b)) }
  }

  @Test func `survives a clear that had not seen it move out of what was cleared`() throws {
    var (group, a, _) = try beginning()
    group.write(0) { append(a, to: "from", &$0, &$1) }
    try group.sync()
    group.write(0) { append(a, to: "to", &$0, &$1) }
    group.remove(1, "from")
    try group.sync()
    agree(group)
    for document in group.documents { #expect(document.parent(of: a) == Self.to) }
  }

  @Test func `goes from a list over a dictionary to a property`() throws {
    var (group, a, b) = try beginning()
    group.write(0) { append(a, to: "from", &$0, &$1) }
    try group.sync()
    group.write(1) { place(a, "k", in: $0.declare(.dictionary, for: "pages", in: .root), &$0, &$1) }
    try group.sync()
    #expect(group.documents[2].elements(in: Self.from).isEmpty)
    #expect(group.documents[2].parent(of: a) == Self.pages)
    group.write(2) { place(a, "owner", in: b, &$0, &$1) }
    try group.sync()
    agree(group)
    #expect(group.documents[0].ancestors(of: a) == [b, .root])
  }

  @Test func `is not moved into itself, nor once it is gone`() throws {
    var (group, a, b) = try beginning()
    group.write(0) { place(b, "in", in: a, &$0, &$1) }
    group.write(0) { document, patch in
      #expect(throws: MoveError.self) { try document.place(a, for: "in", in: b, patch: &patch) }
      #expect(throws: MoveError.self) { try document.place(a, for: "in", in: a, patch: &patch) }
    }
    group.remove(0, "a")
    group.write(0) { document, patch in
      do throws(MoveError) {
        try document.place(a, for: "again", in: .root, patch: &patch)
        Issue.record("it stands")
      } catch {
        #expect(error.code == .objectIsGone)
      }
    }
  }

  @Test func `is moved by one change that takes it away first, and removed if that puts it nowhere`() throws {
    var (group, a, b) = try beginning()
    group.write(0) { document, patch in
      document.setAside(a, patch: &patch)
      #expect(document.visible("a", in: .root) == .absent)
      append(a, to: "to", &document, &patch)
      document.setAside(b, patch: &patch)
    }
    try group.sync()
    agree(group)
    for document in group.documents { #expect(document.parent(of: a) == Self.to && !document.isLive(b)) }
  }

  @Test func `comes with a state to a replica that collected it`() throws {
    var (group, a, _) = try beginning()
    let move = group.write(0) { place(a, "x", in: .root, &$0, &$1) }
    group.remove(1, "a")
    // The second takes the first for lost.
    #expect(group.documents[1].collectTombstones(stable: group.documents[1].version) > 0)
    guard case .lacksAnchors = try group.deliver(move, to: 1) else {
      Issue.record("it merged")
      return
    }
    var patch = Patch()
    try group.documents[1].merge(group.documents[0].snapshot(), patch: &patch)
    try group.sync()
    agree(group)
    #expect(group.documents[1].place(of: a)?.key == "x")
    guard case .value(.string("A"), _) = group.documents[1].visible("title", in: a) else {
      Issue.record("what it held is lost")
      return
    }
  }

  @Test func `goes back where it was when its move is undone, and forth when that is undone`() throws {
    var (group, a, _) = try beginning(2)
    var history = UndoHistory()
    var patch = Patch()
    func write(_ body: (inout Document, inout UndoHistory) -> Void, recording: Bool = false) {
      group.documents[0].begin(as: Group.replica(0), now: group.now, recording: recording)
      body(&group.documents[0], &history)
      if let change = group.documents[0].commit() { _ = try? group.documents[1].merge(change, patch: &patch) }
      if recording { history.add(group.documents[0].takeRecording()) }
    }
    write({ document, _ in append(a, to: "to", &document, &patch) }, recording: true)
    #expect(group.documents[1].parent(of: a) == Self.to)
    write { document, history in _ = history.undo(in: &document, patch: &patch) }
    #expect(group.documents[1].place(of: a)?.key == "a")
    write { document, history in _ = history.redo(in: &document, patch: &patch) }
    #expect(group.documents[1].parent(of: a) == Self.to)
    agree(group)
  }

  @Test func `costs nothing where no object moved`() throws {
    var group = Group(1)
    group.write(0) { document, patch in
      let a = document.assignObject(.map, for: "a", in: .root, patch: &patch)
      document.set(.string("A"), for: "title", in: a, patch: &patch)
    }
    group.remove(0, "a")
    // What is removed is not held before anything was moved, unless somebody asks for it.
    #expect(!group.documents[0].holdsRemovedObjects && group.documents[0].canonicalSnapshot().objects.isEmpty)
    #expect(group.documents[0].snapshot().objects.isEmpty)
  }
}

extension Visible {
  fileprivate var integer: Int64? { if case .value(.integer(let number), _) = self { number } else { nil } }
}
