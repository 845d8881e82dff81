import StarlingCore
import Testing

@Suite struct `A change` {
  @Test func `is nothing if nothing was written`() {
    var group = Group(1)
    #expect(group.write(0) { _, _ in } == nil)
    #expect(group.documents[0].version.isEmpty)
    #expect(group.documents[0].latestStamp == Stamp(rawValue: 0))
  }

  @Test func `closes with the outermost commit and holds what was written within`() {
    var document = Document()
    var patch = Patch()
    document.begin(as: Group.replica(0), now: 5)
    document.set(.integer(1), for: "a", in: .root, patch: &patch)
    document.begin(as: Group.replica(0), now: 6)
    document.set(.integer(2), for: "b", in: .root, patch: &patch)
    #expect(document.commit(message: "inner") == nil)
    #expect(document.isWriting)
    #expect(document.version.isEmpty)
    #expect(document.visible("b", in: .root) == .value(.integer(2), by: Dot(Group.replica(0), 2)))
    let change = document.commit(message: "outer")
    #expect(!document.isWriting)
    #expect(change!.operations.map(\.key) == ["a", "b"])
    #expect(change!.message == "outer")
    #expect(change!.stamp == Stamp(milliseconds: 5))
    #expect(document.version == VersionVector([VersionVector.Entry(replica: Group.replica(0), counter: 2)]))
  }

  @Test func `lists the derived objects it touches, each once and after its parent`() {
    var group = Group(1)
    let books = group.documents[0].declare(.dictionary, for: "books", in: .root)
    let first = group.documents[0].declare(.map, for: "1", in: books)
    let second = group.documents[0].declare(.map, for: "2", in: books)
    let one = group.set(0, "title", .null, in: first)
    #expect(one!.objects.map(\.id) == [books, first])
    let both = group.write(0) { document, patch in
      document.set(.bool(true), for: "title", in: second, patch: &patch)
      document.set(.bool(true), for: "title", in: first, patch: &patch)
      document.set(.bool(false), for: "title", in: second, patch: &patch)
      document.set(.bool(false), for: "plain", in: .root, patch: &patch)
    }
    #expect(both!.objects.map(\.id) == [books, second, first])
    let outer = group.documents[0].declare(.map, for: "outer", in: .root)
    let inner = group.documents[0].declare(.map, for: "inner", in: outer)
    let deep = group.write(0) { document, patch in
      document.set(.null, for: "title", in: first, patch: &patch)
      document.set(.null, for: "title", in: inner, patch: &patch)
    }
    #expect(deep!.objects.map(\.id) == [books, first, outer, inner])
    let upwards = group.write(0) { document, patch in
      document.set(.integer(1), for: "title", in: inner, patch: &patch)
      document.set(.integer(1), for: "title", in: outer, patch: &patch)
      document.set(.integer(1), for: "title", in: second, patch: &patch)
      document.set(.integer(2), for: "title", in: outer, patch: &patch)
    }
    #expect(upwards!.objects.map(\.id) == [outer, inner, books, second])
    #expect(group.set(0, "plain", .null)!.objects.isEmpty)
  }

  @Test func `lists once what went and came back`() throws {
    var group = Group(2)
    let books = ObjectID.derived(parent: .root, key: "books", kind: .dictionary)
    let change = group.write(0) { document, patch in
      for _ in 0..<3 {
        document.declare(.dictionary, for: "books", in: .root)
        document.set(.null, for: "x", in: books, patch: &patch)
        document.remove("books", in: .root, patch: &patch)
        document.undeclare(books)
        patch = Patch()
        document.set(.null, for: "y", in: .root, patch: &patch)
        document.remove("y", in: .root, patch: &patch)
      }
    }
    #expect(change!.objects.map(\.id) == [books])
    try group.sync()
    #expect(group.agrees)
  }

  @Test func `lists once what its first object stood in, though both went and came back`() throws {
    var group = Group(2)
    let books = ObjectID.derived(parent: .root, key: "books", kind: .dictionary)
    let first = ObjectID.derived(parent: books, key: "1", kind: .map)
    let change = group.write(0) { document, patch in
      for _ in 0..<3 {
        document.declare(.dictionary, for: "books", in: .root)
        document.declare(.map, for: "1", in: books)
        document.set(.null, for: "x", in: first, patch: &patch)
        document.remove("books", in: .root, patch: &patch)
        document.undeclare(first)
        document.undeclare(books)
        patch = Patch()
        document.set(.null, for: "y", in: .root, patch: &patch)
        document.remove("y", in: .root, patch: &patch)
      }
      document.declare(.dictionary, for: "books", in: .root)
      document.set(.null, for: "z", in: books, patch: &patch)
    }
    #expect(change!.objects.map(\.id) == [books, first])
    try group.sync()
    #expect(group.agrees)
  }

  @Test func `below an assigned object defines only what is derived below it`() {
    var group = Group(1)
    let books = group.documents[0].declare(.dictionary, for: "books", in: .root)
    var loan = ObjectID.root
    group.write(0) { loan = $0.assignObject(.map, for: "loan", in: books, patch: &$1) }
    #expect(group.set(0, "who", .null, in: loan)!.objects.isEmpty)
    let notes = group.documents[0].declare(.dictionary, for: "notes", in: loan)
    #expect(group.set(0, "k", .null, in: notes)!.objects.map(\.id) == [notes])
  }

  @Test func `may merge while another is open here, and the open one joins after it`() throws {
    var group = Group(2)
    group.set(1, "a", .integer(1))
    var patch = Patch()
    group.documents[0].begin(as: Group.replica(0), now: 9_000)
    group.documents[0].set(.integer(2), for: "a", in: .root, patch: &patch)
    _ = try group.documents[0].merge(group.log[0], patch: &patch)
    try group.documents[0].merge(group.documents[1].snapshot(), patch: &patch)
    let change = group.documents[0].commit()
    #expect(change!.frontier == [group.log[0].last])
    #expect(group.documents[0].entries("a", in: .root).count == 2)
    try group.deliver(change, to: 1)
    #expect(group.agrees)
  }

  @Test func `under the name that has a change open here is refused`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(1))
    let state = group.documents[0].snapshot()
    var patch = Patch()
    group.documents[1].begin(as: Group.replica(0), now: 0)
    #expect(throws: MergeError.self) { try group.documents[1].merge(group.log[0], patch: &patch) }
    #expect(throws: MergeError.self) { try group.documents[1].merge(state, patch: &patch) }
    #expect(group.documents[1].commit() == nil)
    #expect(try group.documents[1].merge(group.log[0], patch: &patch) == .merged)
  }
}

@Suite struct `Reading` {
  @Test func `keys are those under which anything stands`() {
    var group = Group(1)
    group.set(0, "a", .null)
    group.increment(0, .integer(7), by: 1)
    let child = group.documents[0].declare(.map, for: .bytes([1]), in: .root)
    group.documents[0].declare(.map, for: "declared only", in: .root)
    group.set(0, "x", .null, in: child)
    let document = group.documents[0]
    #expect(document.keys(in: .root).sorted() == ["a", .integer(7), .bytes([1])])
    #expect(document.keyCount(in: .root) == 3)
    #expect(document.contains(.bytes([1]), in: .root))
    #expect(!document.contains("declared only", in: .root))
    #expect(document.keys(in: ObjectID(high: 1, low: 2)).isEmpty)
    #expect(document.keyCount(in: ObjectID(high: 1, low: 2)) == 0)
  }

  @Test func `what is held far below makes every slot above present, and goes with it`() {
    var group = Group(1)
    var object = ObjectID.root
    var path: [(ObjectID, Key)] = []
    for depth in 0..<ChangeLimits.nestingDepthMax {
      path.append((object, .integer(Int64(depth))))
      object = group.documents[0].declare(.map, for: .integer(Int64(depth)), in: object)
    }
    group.set(0, "x", .null, in: object)
    #expect(path.allSatisfy { group.documents[0].visible($0.1, in: $0.0) == .container(.map) })
    let change = group.remove(0, "x", in: object)
    #expect(change!.objects.count == ChangeLimits.nestingDepthMax)
    #expect(path.allSatisfy { !group.documents[0].contains($0.1, in: $0.0) })
    #expect(group.documents[0].keyCount(in: .root) == 0)
  }

  @Test func `a key is its bytes`() {
    var group = Group(1)
    group.set(0, "é", .integer(1))
    group.set(0, "e\u{301}", .integer(2))
    #expect(group.documents[0].keyCount(in: .root) == 2)
  }
}

@Suite struct `A declared object` {
  @Test func `stays known until it is undeclared`() {
    var document = Document()
    let book = document.declare(.map, for: "isbn", in: .root)
    #expect(document.declare(.map, for: "isbn", in: .root) == book)
    #expect(document.isLive(book))
    #expect(document.rowCount.objects == 2)
    document.undeclare(book)
    #expect(!document.isLive(book))
    #expect(document.rowCount == Document().rowCount)
    document.undeclare(book)
    document.undeclare(.root)
    document.checkInvariants()
  }

  @Test func `that holds something stands though it is undeclared`() {
    var group = Group(1)
    let book = group.documents[0].declare(.map, for: "isbn", in: .root)
    group.set(0, "title", .null, in: book)
    group.documents[0].undeclare(book)
    #expect(group.documents[0].keys(in: book) == ["title"])
    group.remove(0, "isbn")
    group.set(0, "other", .null)
    #expect(!group.documents[0].isLive(book))
  }

  @Test func `below what does not stand is not known`() {
    var document = Document()
    let nowhere = ObjectID(high: 4, low: 4)
    let child = document.declare(.map, for: "x", in: nowhere)
    #expect(child == .derived(parent: nowhere, key: "x", kind: .map))
    #expect(!document.isLive(child))
    #expect(document.rowCount == Document().rowCount)
  }
}
