import StarlingTestSupport
import Testing

@testable import StarlingTerminal

@Suite struct `A line editor` {
  /// `"Hello, |world"`: the text, and where the cursor stands.
  private func editor(_ marked: String) -> LineEditor {
    let cut = marked.unicodeScalars.firstIndex(of: "|")!
    var editor = LineEditor(String(marked[..<cut]))
    editor.replaceText(with: editor.text + String(marked.unicodeScalars[cut...].dropFirst()))
    return editor
  }

  private func marked(_ editor: LineEditor) -> String {
    var text = Array(editor.text)
    text.insert("|", at: editor.cursor)
    return String(text)
  }

  private func after(_ before: String, _ edit: (inout LineEditor) -> Void) -> String {
    var editor = editor(before)
    edit(&editor)
    return marked(editor)
  }

  @Test func `moves by what people take for characters`() {
    #expect(after("a👩‍👩‍👧e\u{301}|") { $0.moveLeft() } == "a👩‍👩‍👧|e\u{301}")
    #expect(after("a👩‍👩‍👧|b") { $0.moveLeft() } == "a|👩‍👩‍👧b")
    #expect(after("a|🇩🇪b") { $0.moveRight() } == "a🇩🇪|b")
    #expect(after("|a") { $0.moveLeft() } == "|a")
    #expect(after("a|") { $0.moveRight() } == "a|")
    #expect(after("ab|c") { $0.moveToStart() } == "|abc")
    #expect(after("a|bc") { $0.moveToEnd() } == "abc|")
  }

  @Test func `moves by words`() {
    #expect(after("one two, |three") { $0.moveWordLeft() } == "one |two, three")
    #expect(after("one tw|o, three") { $0.moveWordLeft() } == "one |two, three")
    #expect(after("|  one") { $0.moveWordLeft() } == "|  one")
    #expect(after("one| ,two three") { $0.moveWordRight() } == "one ,two| three")
    #expect(after("one ...|") { $0.moveWordRight() } == "one ...|")
  }

  @Test func `deletes characters, words and the rest`() {
    #expect(after("ab👍🏽|c") { $0.deleteBackward() } == "ab|c")
    #expect(after("ab|👍🏽c") { $0.deleteForward() } == "ab|c")
    #expect(after("|ab") { $0.deleteBackward() } == "|ab")
    #expect(after("ab|") { $0.deleteForward() } == "ab|")
    #expect(after("one two |three") { $0.deleteWordBackward() } == "one |three")
    #expect(after("one| two three") { $0.deleteWordForward() } == "one| three")
    #expect(after("ab|cd") { $0.deleteToEnd() } == "ab|")
    #expect(after("ab|cd") { $0.deleteToStart() } == "|cd")
  }

  @Test func `stays between characters where what is left becomes one`() {
    #expect(after("🇩x|🇪") { $0.deleteBackward() } == "|🇩🇪")
    #expect(after("e|\u{301}") { $0.insert("x") } == "x|e\u{301}")
  }

  @Test func `puts in what was typed, one scalar at a time or at once`() {
    #expect(after("a|b") { $0.insert("漢字") } == "a漢字|b")
    #expect(after("a|b") { editor in for scalar in "👩‍👩‍👧".unicodeScalars { editor.insert(String(scalar)) } } == "a👩‍👩‍👧|b")
    #expect(after("e|b") { $0.insert("\u{301}") } == "e\u{301}|b")
  }

  @Test func `makes one line of what was pasted`() {
    #expect(after("|") { $0.insert("one\ntwo\r\nthree\tfour\u{1B}[31m\u{0}\u{7F}\u{9B}") } == "one two three four[31m|")
  }

  @Test(arguments: [
    // Before, at and behind the cursor.
    ("Hello, wor|ld", "Hello, dear world", "Hello, dear wor|ld"),
    ("Hello|, world", "Hello, dear world", "Hello|, dear world"), ("ab|", "abc", "ab|c"), ("ab|", "xab", "xab|"),
    ("|ab", "xab", "|xab"),
    // Deleted around it.
    ("one two| three", "one three", "one| three"), ("abc|", "", "|"), ("abc|def", "adef", "a|def"),
    // Replaced: as far as it goes.
    ("Hello, wor|ld", "Good evening", "Good eveni|ng"), ("Hello, wor|ld", "Bye.", "Bye.|"), ("ab|c", "xyz", "xy|z"),
    ("abcdef|g", "xg", "x|g"),
    // Into what is one character now: before it.
    ("e|x", "e\u{301}x", "|e\u{301}x"), ("👩|👧", "👩‍👧", "|👩‍👧"),
  ])
  func `keeps its cursor where it was when others edit`(_ before: String, _ new: String, _ expected: String) {
    #expect(after(before) { $0.replaceText(with: new) } == expected)
  }

  private func window(_ editor: inout LineEditor, _ columns: Int, secure: Bool = false) -> String {
    let (glyphs, cursorColumn) = editor.window(columns: columns, secure: secure)
    var text = ""
    var column = 0
    for glyph in glyphs {
      if column == cursorColumn { text += "|" }
      text.append(glyph.character)
      column += glyph.columns
    }
    #expect(column <= columns && cursorColumn <= max(0, columns - 1))
    return column == cursorColumn ? text + "|" : text
  }

  @Test func `shows a window that moves no further than the cursor makes it`() {
    var line = editor("0123456789|")
    #expect(window(&line, 5) == "6789|")
    line.moveLeft()
    line.moveLeft()
    #expect(window(&line, 5) == "67|89")
    for _ in 0..<4 { line.moveLeft() }
    #expect(window(&line, 5) == "|45678")
    line.moveToStart()
    #expect(window(&line, 5) == "|01234")
    for _ in 0..<4 { line.moveRight() }
    #expect(window(&line, 5) == "0123|4")
    line.moveRight()
    #expect(window(&line, 5) == "1234|5")
    line.moveToEnd()
    _ = window(&line, 5)
    for _ in 0..<8 { line.deleteBackward() }
    #expect(window(&line, 5) == "01|", "what fits is not hidden")
  }

  @Test(arguments: [(0, "|漢字ab"), (1, "|漢字ab"), (2, "漢|字ab"), (5, "漢字a|b"), (6, "漢字ab|"), (99, "漢字ab|")])
  func `goes where somebody points`(_ column: Int, _ expected: String) {
    #expect(after("漢字ab|") { $0.moveTo(column: column) } == expected)
    var long = editor("0123456789|")
    _ = window(&long, 5)
    long.moveTo(column: 1)
    #expect(marked(long) == "0123456|789")
  }

  @Test func `shows wide characters whole or not at all`() {
    var line = editor("漢字漢字|")
    #expect(window(&line, 6) == "漢字|")
    #expect(window(&line, 5) == "漢字|")
    line.moveToStart()
    #expect(window(&line, 5) == "|漢字")
    #expect(window(&line, 0) == "|")
    #expect(window(&line, 1) == "|")
  }

  @Test func `shows a dot for each character of a secret`() {
    var line = editor("p漢\u{202E}👩‍👩‍👧|s")
    #expect(window(&line, 10, secure: true) == "••••|•")
  }

  private func page(_ editor: inout LineEditor, _ columns: Int, _ rows: Int) -> [String] {
    let (lines, cursor) = editor.page(columns: columns, rows: rows)
    return lines.enumerated().map { row, line in
      var text = ""
      var column = 0
      for glyph in line {
        if row == cursor.row, column == cursor.column { text += "|" }
        text.append(glyph.character)
        column += glyph.columns
      }
      return row == cursor.row && column == cursor.column ? text + "|" : text
    }
  }

  @Test func `edits several lines as one text`() {
    var line = editor("one\ntwo three\n|")
    #expect(line.lineCount == 3)
    #expect(page(&line, 9, 3) == ["one", "two three", "|"])
    func move(isUp: Bool) -> Bool { isUp ? line.moveUp() : line.moveDown() }
    #expect(move(isUp: true))
    #expect(page(&line, 9, 3) == ["one", "|two three", ""])
    line.moveRight()
    line.moveRight()
    #expect(move(isUp: true))
    #expect(marked(line) == "on|e\ntwo three\n")
    #expect(!move(isUp: true))
    #expect(move(isUp: false))
    #expect(marked(line) == "one\ntw|o three\n")
    line.insert("x\r\ny", keepingLines: true)
    #expect(marked(line) == "one\ntwx\ny|o three\n")
    #expect(page(&line, 9, 2) == ["twx", "y|o three"])
    line.deleteBackward()
    line.deleteBackward()
    #expect(marked(line) == "one\ntwx|o three\n")
    #expect(move(isUp: false))
    #expect(!move(isUp: false))
    #expect(page(&line, 5, 2) == ["twxo ", "|"])
    #expect(move(isUp: true) && move(isUp: true))
    #expect(page(&line, 5, 2) == ["|one", "twxo "])
  }

  @Test func `knows the keys of shells`() {
    func pressing(_ before: String, _ key: Key) -> String {
      after(before) { editor in
        let isKnown = editor.press(key)
        #expect(isKnown)
      }
    }
    #expect(pressing("one two|", Key("w", .control)) == "one |")
    #expect(pressing("one| two", Key("k", .control)) == "one|")
    #expect(pressing("one| two", Key("u", .control)) == "| two")
    #expect(pressing("one| two", Key("a", .control)) == "|one two")
    #expect(pressing("one| two", Key("e", .control)) == "one two|")
    #expect(pressing("one two|", Key("b", .alt)) == "one |two")
    #expect(pressing("one two|", Key(.left, .control)) == "one |two")
    #expect(pressing("one|", Key(.backspace)) == "on|")
    #expect(pressing("|", Key("A", .shift)) == "A|")
    var line = editor("one|")
    for key in [Key(.enter), Key(.tab), Key(.up), Key("c", .control), Key("x", .alt), Key(.function(1))] {
      let isKnown = line.press(key)
      #expect(!isKnown)
    }
    #expect(marked(line) == "one|")
  }

  @Test func `stays between characters whatever is done to it`() {
    let texts = ["", "abc", "漢字", "👩‍👩‍👧", "e\u{301}\u{301}", "🇩🇪🇫🇷", "\u{301}", "a b\u{200D}c", "🇩", "x\r\n"]
    for seed in 0..<300 as Range<UInt64> {
      var dice = Dice(seed: seed)
      var line = LineEditor("one 👍🏽 two")
      for step in 0..<60 {
        switch Int.random(in: 0..<12, using: &dice) {
        case 0: line.moveLeft()
        case 1: line.moveRight()
        case 2: line.deleteBackward()
        case 3: line.deleteForward()
        case 4: line.moveWordLeft()
        case 5: line.moveWordRight()
        case 6: line.deleteWordBackward()
        case 7: line.replaceText(with: texts.randomElement(using: &dice)! + line.text)
        case 8: line.replaceText(with: texts.randomElement(using: &dice)! + texts.randomElement(using: &dice)!)
        case 9: line.moveToStart()
        default: line.insert(texts.randomElement(using: &dice)!)
        }
        let columns = Int.random(in: 0...9, using: &dice)
        _ = window(&line, columns)
        // Splitting at the cursor and joining again gives the same characters.
        let index = line.text.index(line.text.startIndex, offsetBy: line.cursor)
        var copy = line
        copy.deleteToEnd()
        #expect(
          copy.text.unicodeScalars.elementsEqual(line.text[..<index].unicodeScalars), "seed \(seed), step \(step)")
      }
    }
  }
}
