import StarlingCore
import Testing

/// Rule 9, on maps and counters.
@Suite struct `Undo of a write` {
  @Test func `restores the former value, and then nothing`() {
    var desk = Desk()
    desk.set("a", .integer(1))
    desk.set("a", .integer(2))
    desk.undo()
    #expect(desk.value("a") == .integer(1))
    // The 1 is an entry of a new name by now.
    desk.undo()
    #expect(!desk.document.contains("a", in: .root))
    #expect(!desk.history.canUndo)
    desk.redo()
    desk.redo()
    #expect(desk.value("a") == .integer(2))
    #expect(!desk.history.canRedo)
  }

  @Test func `after a remote edit leaves the edit`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.set("a", .integer(1)))
    try mine.hear(other.set("a", .integer(2)))
    #expect(mine.undo() == nil)
    #expect(mine.value("a") == .integer(2))
  }

  @Test func `goes on to a step that still holds`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.set("b", .integer(1)))
    try other.hear(mine.set("a", .integer(1)))
    try mine.hear(other.set("a", .integer(2)))
    mine.undo()
    #expect(mine.value("a") == .integer(2))
    #expect(!mine.document.contains("b", in: .root))
  }

  @Test func `among siblings retracts only mine`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    let former = mine.set("a", .integer(0))
    try other.hear(former)
    other.now += 100
    let (ours, theirs) = (mine.set("a", .integer(1)), other.set("a", .integer(2)))
    try mine.hear(theirs)
    try other.hear(ours)
    try other.hear(mine.undo())
    for desk in [mine, other] {
      #expect(desk.document.entries("a", in: .root).map(\.value) == [.integer(2)])
    }
    // Mine was not what a reader saw: there is nothing to see in doing it again.
    mine.redo()
    #expect(mine.value("a") == .integer(2))
  }

  @Test(arguments: [0, 100] as [UInt64])
  func `that settled a conflict leaves the other's value once all is undone`(_ delay: UInt64) throws {
    var (mine, other) = (Desk(0), Desk(1))
    other.now += delay
    let theirs = other.set("a", .integer(2))
    mine.set("a", .integer(1))
    try mine.hear(theirs)
    let seen = mine.value("a")
    mine.set("a", .integer(3))
    mine.undo()
    #expect(mine.value("a") == seen)
    mine.undo()
    #expect(mine.document.entries("a", in: .root).map(\.value) == [.integer(2)])
    mine.redo()
    mine.redo()
    #expect(mine.document.entries("a", in: .root).map(\.value) == [.integer(3)])
  }

  @Test func `leaves what others put below`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    let tags = ObjectID.derived(parent: .root, key: "tags", kind: .set)
    try other.hear(mine.set("tags", .derived(.set)))
    let theirs = other.edit { document, patch in
      document.declare(.set, for: "tags", in: .root)
      document.set(.null, for: "red", in: tags, patch: &patch)
    }
    try mine.hear(theirs)
    try other.hear(mine.undo())
    #expect(mine.document.visible("tags", in: .root) == .container(.set))
    #expect(mine.document.keys(in: tags) == ["red"] && other.document.keys(in: tags) == ["red"])
  }

  @Test func `brings an assigned object back with all that it held, and references to it`() {
    var desk = Desk()
    desk.edit { document, patch in
      let book = document.assignObject(.map, for: "book", in: .root, patch: &patch)
      document.set(.string("Dune"), for: "title", in: book, patch: &patch)
      document.set(.reference(book), for: "latest", in: .root, patch: &patch)
      let notes = document.declare(.text, for: "notes", in: book)
      document.insert("sand", at: 0, in: notes, patch: &patch)
      let loans = document.declare(.list, for: "loans", in: book)
      document.insert([.object(.map), .integer(2)], at: 0, in: loans, patch: &patch)
      document.increment("copies", in: book, by: 3, patch: &patch)
    }
    let before = desk.scene
    desk.set("book", .null)
    desk.undo()
    #expect(desk.scene == before)
    desk.redo()
    #expect(desk.value("book") == .null)
    desk.undo()
    #expect(desk.scene == before)
    desk.undo()
    #expect(desk.scene.isEmpty)
  }

  @Test func `finds what was written below an object that came back`() {
    var desk = Desk()
    desk.edit { document, patch in document.assignObject(.map, for: "book", in: .root, patch: &patch) }
    guard case .value(_, let dot) = desk.document.visible("book", in: .root) else { return }
    let tags = ObjectID.derived(parent: .assigned(by: dot), key: "tags", kind: .set)
    desk.edit { document, patch in
      document.declare(.set, for: "tags", in: .assigned(by: dot))
      document.set(.null, for: "red", in: tags, patch: &patch)
    }
    let before = desk.scene
    desk.remove("red", in: tags)
    desk.remove("book")
    desk.undo()
    desk.undo()
    #expect(desk.scene == before)
  }
}

@Suite struct `Undo of a removal` {
  @Test func `restores what stood in the slot and below it, save where somebody has written since`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    let pages = ObjectID.derived(parent: .root, key: "pages", kind: .dictionary)
    let made = mine.edit { document, patch in
      document.declare(.dictionary, for: "pages", in: .root)
      for key in ["a", "b"] as [Key] { document.set(.integer(1), for: key, in: pages, patch: &patch) }
    }
    try other.hear(made)
    try other.hear(mine.remove("pages"))
    let theirs = other.edit { document, patch in
      document.declare(.dictionary, for: "pages", in: .root)
      document.set(.integer(2), for: "a", in: pages, patch: &patch)
    }
    try mine.hear(theirs)
    mine.undo()
    #expect(mine.value("a", in: pages) == .integer(2))
    #expect(mine.value("b", in: pages) == .integer(1))
  }

  @Test func `does not bring back a value beside one that was written since`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.set("a", .integer(1)))
    try other.hear(mine.remove("a"))
    try mine.hear(other.set("a", .integer(2)))
    mine.undo()
    #expect(mine.document.entries("a", in: .root).map(\.value) == [.integer(2)])
  }
}

@Suite struct `Undo of counting` {
  @Test func `adds the opposite amount`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.increment("n", by: 5))
    try mine.hear(other.increment("n", by: 2))
    mine.increment("n", by: 1)
    mine.undo()
    #expect(mine.document.count("n", in: .root) == 7)
    mine.undo()
    #expect(mine.document.count("n", in: .root) == 2)
    mine.redo()
    #expect(mine.document.count("n", in: .root) == 7)
  }

  @Test func `leaves a counter alone that somebody cleared`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.increment("n", by: 5))
    try mine.hear(other.remove("n"))
    #expect(mine.undo() == nil)
    #expect(!mine.document.contains("n", in: .root))
  }

  @Test func `finds what it counted in a counter that came back`() {
    var desk = Desk()
    desk.increment("n", by: 5)
    desk.increment("n", by: 1)
    desk.set("n", .null)
    desk.undo()
    #expect(desk.document.count("n", in: .root) == 6)
    desk.undo()
    #expect(desk.document.count("n", in: .root) == 5)
    desk.undo()
    #expect(desk.scene.isEmpty)
  }
}

@Suite struct `An undo history` {
  @Test func `joins what the caller says belongs together`() {
    var desk = Desk()
    desk.type("a", at: 0)
    desk.edit(joinsPrevious: true) { $0.insert("b", at: 1, in: Desk.text, patch: &$1) }
    desk.edit(joinsPrevious: true) { $0.insert("c", at: 2, in: Desk.text, patch: &$1) }
    desk.undo()
    #expect(desk.text == "")
    desk.redo()
    #expect(desk.text == "abc")
  }

  @Test func `begins a step after an undo, even for what would join`() {
    var desk = Desk()
    desk.type("a", at: 0)
    desk.type("b", at: 1)
    desk.undo()
    desk.edit(joinsPrevious: true) { $0.insert("c", at: 1, in: Desk.text, patch: &$1) }
    #expect(!desk.history.canRedo)
    desk.undo()
    #expect(desk.text == "a")
  }

  @Test func `names its steps`() {
    var desk = Desk()
    desk.edit("Borrow") { $0.set(.null, for: "a", in: .root, patch: &$1) }
    #expect(desk.history.undoName == "Borrow" && desk.history.redoName == nil)
    desk.undo()
    #expect(desk.history.undoName == nil && desk.history.redoName == "Borrow")
  }

  @Test func `forgets the oldest steps first`() {
    var desk = Desk(limit: UndoHistory.Limit(stepCountMax: 2))
    for number in 1...4 { desk.set("a", .integer(Int64(number))) }
    desk.undo()
    desk.undo()
    #expect(desk.undo() == nil)
    #expect(desk.value("a") == .integer(2))
  }

  @Test func `keeps no more bytes than it may`() {
    var desk = Desk(limit: UndoHistory.Limit(byteCountMax: 10_000))
    desk.set("a", .string(String(repeating: "a", count: 6_000)))
    desk.set("a", .string(String(repeating: "b", count: 6_000)))
    desk.set("a", .integer(3))
    desk.undo()
    #expect(desk.undo() == nil)
    #expect(desk.value("a") != .integer(3))
    desk.set("a", .string(String(repeating: "c", count: 20_000)))
    desk.set("a", .null)
    #expect(!desk.history.canUndo)
  }

  @Test func `takes no part of what others did`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try mine.hear(other.set("a", .integer(1)))
    #expect(!mine.history.canUndo)
  }
}
