import StarlingCore
import Testing

/// Rule 9, on lists and texts.
@Suite struct `Undo in a list` {
  @Test func `inserts anew what it removed, where it was`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.insert([.integer(1), .integer(2), .integer(3)], at: 0))
    let element = mine.document.element(at: 1, in: Desk.list)!
    try other.hear(mine.removeItems(1..<2, in: Desk.list))
    try mine.hear(other.insert([.integer(9)], at: 0))
    try other.hear(mine.undo())
    #expect(mine.list == [.integer(9), .integer(1), .integer(2), .integer(3)])
    #expect(other.list == mine.list)
    #expect(mine.document.element(at: 2, in: Desk.list) != element)
  }

  @Test func `removes what it inserted, where it came again`() {
    var desk = Desk()
    desk.insert([.string("x")], at: 0)
    desk.removeItems(0..<1, in: Desk.list)
    desk.undo()
    #expect(desk.list == [.string("x")])
    desk.undo()
    #expect(desk.list.isEmpty)
    desk.redo()
    desk.redo()
    desk.undo()
    #expect(desk.list == [.string("x")])
  }

  @Test func `removes what it inserted, wherever somebody moved it`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.insert([.integer(1), .integer(2)], at: 0))
    try other.hear(mine.insert([.integer(3)], at: 0))
    try mine.hear(other.move(0, 2))
    mine.undo()
    #expect(mine.list == [.integer(1), .integer(2)])
  }

  @Test func `puts a moved element back`() {
    var desk = Desk()
    desk.insert([.integer(1), .integer(2), .integer(3)], at: 0)
    desk.move(0, 2)
    desk.undo()
    #expect(desk.list == [.integer(1), .integer(2), .integer(3)])
  }

  @Test func `leaves an element where somebody moved it on`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.insert([.integer(1), .integer(2), .integer(3)], at: 0))
    try other.hear(mine.move(0, 2))
    try mine.hear(other.move(2, 1))
    mine.undo()
    // The insertion is undone instead, as the move holds no more.
    #expect(mine.list.isEmpty)
  }

  @Test func `follows an element through move, removal and all the way back`() {
    var desk = Desk()
    desk.insert([.integer(1), .integer(2), .integer(3)], at: 0)
    desk.move(0, 2)
    desk.move(2, 1)
    desk.removeItems(0..<2, in: Desk.list)
    for expected in [[2, 1, 3], [2, 3, 1], [1, 2, 3], []] as [[Int64]] {
      desk.undo()
      #expect(desk.list == expected.map { .integer($0) })
    }
    for expected in [[1, 2, 3], [2, 3, 1], [2, 1, 3], [3]] as [[Int64]] {
      desk.redo()
      #expect(desk.list == expected.map { .integer($0) })
    }
  }

  @Test func `of a value among siblings leaves the other's`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.insert([.integer(0)], at: 0))
    let key = Key.element(mine.document.element(at: 0, in: Desk.list)!)
    let ours = mine.set(key, .integer(1), in: Desk.list)
    let theirs = other.set(key, .integer(2), in: Desk.list)
    try mine.hear(theirs)
    try other.hear(ours)
    try other.hear(mine.undo())
    #expect(mine.list == [.integer(2)] && other.list == mine.list)
    #expect(mine.document.entries(key, in: Desk.list).count == 1)
  }
}

@Suite struct `Undo in a text` {
  @Test func `takes back what was typed, and leaves what others typed within it`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.type("hello", at: 0))
    try mine.hear(other.type("XY", at: 2))
    try other.hear(mine.undo())
    #expect(mine.text == "XY" && other.text == "XY")
    try other.hear(mine.redo())
    #expect(mine.text == "heXYllo" && other.text == mine.text)
  }

  @Test func `brings removed text back on both sides of what was typed there since`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.type("abcd", at: 0))
    let theirs = other.type("X", at: 2)
    let ours = mine.removeItems(1..<3, in: Desk.text)
    try mine.hear(theirs)
    try other.hear(ours)
    #expect(mine.text == "aXd")
    try other.hear(mine.undo())
    #expect(mine.text == "abXcd" && other.text == mine.text)
  }

  @Test func `removes no scalar that somebody else has removed, nor brings it back`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.type("abc", at: 0))
    try mine.hear(other.removeItems(1..<2, in: Desk.text))
    mine.undo()
    #expect(mine.text == "")
    mine.redo()
    #expect(mine.text == "ac")
  }

  @Test func `brings text back where its dead items were let go of`() {
    var desk = Desk()
    desk.type("abc", at: 0)
    desk.removeItems(1..<2, in: Desk.text)
    desk.document.collectTombstones(stable: desk.document.version)
    desk.undo()
    #expect(desk.text == "abc")
  }

  @Test func `of a removal gives the text its properties again`() {
    var desk = Desk()
    desk.type("abc", at: 0)
    desk.mark(1..<2, "bold", .bool(true))
    let before = desk.scene
    desk.removeItems(1..<2, in: Desk.text)
    desk.undo()
    #expect(desk.scene == before)
    // The property is still the one that the marking gave.
    desk.undo()
    #expect(desk.document.marks(in: Desk.text).isEmpty && desk.text == "abc")
  }

  @Test func `brings back the marks that a mark took, each where it ranked`() {
    var desk = Desk()
    desk.type("abcdef", at: 0)
    desk.mark(0..<2, "color", .string("red"))
    desk.mark(3..<5, "color", .string("blue"))
    let before = desk.scene
    desk.mark(0..<6, "color", .string("green"))
    let after = desk.scene
    desk.undo()
    #expect(desk.scene == before)
    desk.redo()
    #expect(desk.scene == after)
    for _ in 0..<3 { desk.undo() }
    #expect(desk.document.marks(in: Desk.text).isEmpty)
  }

  @Test func `leaves a mark that somebody laid over mine`() throws {
    var (mine, other) = (Desk(0), Desk(1))
    try other.hear(mine.type("abcd", at: 0))
    try other.hear(mine.mark(0..<3, "bold", .integer(1)))
    try mine.hear(other.mark(2..<4, "bold", .integer(2)))
    try other.hear(mine.undo())
    let left = [MarkedRange(range: 2..<4, name: "bold", value: .integer(2))]
    #expect(mine.document.marks(in: Desk.text) == left && other.document.marks(in: Desk.text) == left)
  }

  @Test func `does a marking again whose retraction was let go of`() {
    var desk = Desk()
    desk.type("ab", at: 0)
    desk.mark(0..<1, "bold", .bool(true))
    let before = desk.scene
    desk.undo()
    desk.document.collectTombstones(stable: desk.document.version)
    desk.redo()
    #expect(desk.scene == before)
  }
}
