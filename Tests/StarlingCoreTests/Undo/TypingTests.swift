import StarlingCore
import Testing

@Suite struct `What is typed on in one place` {
  /// A desk at which each edit takes 10 ms, and a pause of more than a second begins a step.
  private var desk = Desk(typingPause: .seconds(1))

  /// Types each character where the one before it ended.
  private mutating func type(_ text: String, at index: Int) {
    var index = index
    for character in text {
      desk.type(String(character), at: index)
      index += character.unicodeScalars.count
    }
  }

  /// What there is to read after each undo, until nothing is left to undo.
  private mutating func undoAll() -> [String] {
    var seen: [String] = []
    while desk.undo() != nil { seen.append(desk.text) }
    return seen
  }

  @Test mutating func `is one step`() {
    type("straße 𝄞", at: 0)
    #expect(undoAll() == [""])
    desk.redo()
    #expect(desk.text == "straße 𝄞")
    #expect(!desk.history.canRedo)
  }

  @Test mutating func `is a step of its own in each place`() {
    type("one", at: 0)
    type("two", at: 0)
    type("six", at: 6)
    #expect(undoAll() == ["twoone", "one", ""])
  }

  @Test mutating func `ends with a pause, which is measured from the latest character`() {
    type("ab", at: 0)
    desk.now += 990
    type("c", at: 2)
    desk.now += 990
    type("d", at: 3)
    desk.now += 991
    type("ef", at: 4)
    #expect(undoAll() == ["abcd", ""])
  }

  @Test mutating func `goes on where a clock was set back`() {
    type("ab", at: 0)
    desk.now -= 900
    type("c", at: 2)
    #expect(undoAll() == [""])
  }

  @Test(arguments: ["\n", "\r\n", "\u{2028}", "\u{85}", "x\ny"])
  mutating func `ends with a line break, which the next line goes on from`(_ lineBreak: String) {
    type("one", at: 0)
    desk.type(lineBreak, at: 3)
    type("two", at: 3 + lineBreak.unicodeScalars.count)
    #expect(undoAll() == ["one", ""])
  }

  @Test mutating func `ends where the caller says so`() {
    type("one", at: 0)
    desk.history.endStep()
    type("two", at: 3)
    #expect(undoAll() == ["one", ""])
  }

  @Test mutating func `ends with an undo, and with anything else that was done`() {
    type("one", at: 0)
    desk.set("a", .integer(1))
    type("two", at: 3)
    desk.undo()
    type("six", at: 3)
    #expect(desk.text == "onesix")
    #expect(undoAll() == ["one", "one", ""])
  }

  @Test mutating func `goes on from what it replaced`() {
    type("one", at: 0)
    desk.edit {
      $0.removeItems(1..<3, in: Desk.text, patch: &$1)
      $0.insert("l", at: 1, in: Desk.text, patch: &$1)
    }
    type("d", at: 2)
    #expect(desk.text == "old")
    #expect(undoAll() == ["one", ""])
  }

  @Test mutating func `is a step with what else its transaction did, and so are those beside it`() {
    type("one", at: 0)
    desk.edit {
      $0.insert("2", at: 3, in: Desk.text, patch: &$1)
      $0.set(.integer(1), for: "edited", in: .root, patch: &$1)
    }
    type("3", at: 4)
    #expect(undoAll() == ["one2", "one", ""])
  }

  @Test mutating func `is no step with what was typed in two places at once`() {
    type("one", at: 0)
    desk.edit {
      $0.insert("2", at: 3, in: Desk.text, patch: &$1)
      $0.insert("0", at: 0, in: Desk.text, patch: &$1)
    }
    #expect(undoAll() == ["one", ""])
  }

  @Test mutating func `is a step for each name`() {
    for (index, name) in [nil, nil, "Dictate", "Dictate", nil].enumerated() {
      desk.edit(name) { document, patch in
        document.insert("x", at: index, in: document.declare(.text, for: "text", in: .root), patch: &patch)
      }
    }
    #expect(desk.history.undoName == "Dictate")
    #expect(undoAll() == ["xx", ""])
  }

  @Test mutating func `goes on while others type elsewhere`() throws {
    type("one", at: 0)
    var other = Desk(1)
    other.document = desk.document
    try desk.hear(other.type(">> ", at: 0))
    type(" two", at: 6)
    #expect(desk.text == ">> one two")
    #expect(undoAll() == [">> "])
  }

  @Test mutating func `is a step for each change where no pause is given`() {
    desk = Desk()
    type("abc", at: 0)
    #expect(undoAll() == ["ab", "a", ""])
  }

  @Test mutating func `takes no more memory for each character`() {
    desk = Desk(limit: UndoHistory.Limit(byteCountMax: 4_000), typingPause: .seconds(1))
    type(String(repeating: "x", count: 500), at: 0)
    #expect(undoAll() == [""])
  }
}

@Suite struct `What is taken away character by character` {
  private var desk = Desk(typingPause: .seconds(1))

  /// Takes away the scalars of the ranges, one after the other.
  private mutating func remove(_ ranges: Range<Int>...) {
    for range in ranges { desk.removeItems(range, in: Desk.text) }
  }

  @Test mutating func `is one step, backwards`() {
    desk.type("abc\u{301}d", at: 0)
    remove(2..<4, 1..<2, 0..<1)
    #expect(desk.text == "d")
    desk.undo()
    #expect(desk.text == "abc\u{301}d")
    desk.redo()
    #expect(desk.text == "d")
  }

  @Test mutating func `is one step, forwards`() {
    desk.type("abcd", at: 0)
    remove(1..<2, 1..<2, 1..<2)
    desk.undo()
    #expect(desk.text == "abcd")
  }

  @Test mutating func `is a step of its own in each place, and each that went in one piece`() {
    desk.type("abcdefgh", at: 0)
    remove(7..<8, 1..<2, 2..<4, 3..<4)
    #expect(desk.text == "acf")
    var seen: [String] = []
    while desk.undo() != nil { seen.append(desk.text) }
    #expect(seen == ["acfg", "acdefg", "abcdefg", "abcdefgh", ""])
  }

  @Test mutating func `ends with a line break`() {
    desk.type("a\nb", at: 0)
    remove(2..<3, 1..<2, 0..<1)
    desk.undo()
    #expect(desk.text == "a\n")
  }

  @Test mutating func `is another step than what was typed`() {
    desk.type("abc", at: 0)
    remove(2..<3)
    desk.type("d", at: 2)
    #expect(desk.text == "abd")
    var seen: [String] = []
    while desk.undo() != nil { seen.append(desk.text) }
    #expect(seen == ["ab", "abc", ""])
  }
}
