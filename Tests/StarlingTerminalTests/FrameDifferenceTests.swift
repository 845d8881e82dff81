import StarlingTestSupport
import Testing

@testable import StarlingTerminal

@Suite struct `A frame` {
  private let all = FrameDifference(for: TerminalTraits())

  private func canvas(_ lines: [String], columns: Int = 12) -> Canvas {
    var canvas = Canvas(size: CellSize(columns: columns, rows: lines.count))
    for (row, line) in lines.enumerated() { canvas.write(line, at: CellPoint(column: 0, row: row)) }
    return canvas
  }

  private func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).replacing("\u{1B}", with: "␛")
  }

  /// A canvas of a few styles and glyphs, wide ones among them, so that two have much in common.
  private func canvas(_ size: CellSize, using dice: inout Dice) -> Canvas {
    var canvas = Canvas(size: size)
    let styles = [
      CellStyle.plain, .plain, CellStyle(attributes: .bold), CellStyle(foreground: .indexed(1)),
      CellStyle(foreground: .indexed(12), background: .indexed(200), attributes: [.italic, .underlined]),
      CellStyle(background: .rgb(red: 1, green: 2, blue: 3), attributes: [.reversed, .dim, .struckThrough]),
    ]
    let words = ["a", "bc", "漢字", "👩‍👩‍👧", "e\u{301}", "   ", "──", "x", "🇩🇪", "\u{1B}[2J", "ﬁ", "❤\u{FE0F}"]
    for _ in 0..<Int.random(in: 0...12, using: &dice) {
      let place = CellPoint(
        column: .random(in: -2..<size.columns + 1, using: &dice), row: .random(in: 0..<size.rows, using: &dice))
      switch Int.random(in: 0..<4, using: &dice) {
      case 0:
        canvas.fill(CellRect(origin: place, size: CellSize(columns: 3, rows: 2)), styles.randomElement(using: &dice)!)
      case 1: canvas.showCursor(at: place)
      default: canvas.write(words.randomElement(using: &dice)!, at: place, styles.randomElement(using: &dice)!)
      }
    }
    canvas.checkInvariants()
    return canvas
  }

  @Test func `turns any canvas into any other`() {
    for seed in 0..<700 as Range<UInt64> {
      var dice = Dice(seed: seed)
      let size = CellSize(columns: .random(in: 1...14, using: &dice), rows: .random(in: 1...4, using: &dice))
      var screen = Screen(size: size)
      var shown: Canvas?
      for step in 0..<4 {
        let next = canvas(size, using: &dice)
        screen.read(all.bytes(from: shown, to: next))
        #expect(screen.shown == next, "seed \(seed), step \(step)")
        #expect(screen.complaints == [], "seed \(seed), step \(step)")
        #expect(!screen.isSynchronized, "seed \(seed), step \(step)")
        shown = next
      }
    }
  }

  /// Terminals disagree about the width of emoji and of clusters.
  @Test func `is wrong only where the terminal is, if that measures a glyph otherwise`() {
    func narrow(_ glyph: Glyph) -> Int { glyph.isMeasuredAlikeEverywhere ? glyph.columns : 1 }
    for seed in 0..<200 as Range<UInt64> {
      var dice = Dice(seed: seed)
      let size = CellSize(columns: 14, rows: 2)
      var screen = Screen(size: size, advance: narrow)
      var shown: Canvas?
      for _ in 0..<3 {
        let next = canvas(size, using: &dice)
        screen.read(all.bytes(from: shown, to: next))
        #expect(screen.canvas.cellsAreEqual(next), "seed \(seed)")
        shown = next
      }
    }
  }

  @Test func `is empty where nothing changed`() {
    let canvas = canvas(["Title", "漢字"])
    #expect(all.bytes(from: canvas, to: canvas) == [])
  }

  @Test func `says little where little changed`() {
    let old = canvas(["Title", "[ ] Lent", "12 copies", ""])
    let new = canvas(["Title", "[x] Lent", "9 copies", ""])
    #expect(
      text(all.bytes(from: old, to: new))
        == "␛[?2026h␛[2;2Hx\r\n9 copies ␛[?2026l")
  }

  @Test func `writes what is short over again, steps over what is long, and clears a tail of blanks`() {
    #expect(text(all.bytes(from: canvas(["abcd"]), to: canvas(["xbcy"]))) == "␛[?2026h␛[1;1Hxbcy␛[?2026l")
    #expect(text(all.bytes(from: canvas(["abcdefg"]), to: canvas(["xbcdefy"]))) == "␛[?2026h␛[1;1Hx␛[5Cy␛[?2026l")
    #expect(text(all.bytes(from: canvas(["abcdefg"]), to: canvas(["ab"]))) == "␛[?2026h␛[1;3H␛[K␛[?2026l")
  }

  @Test func `begins again at another size, or where nobody knows what is shown`() {
    let new = canvas(["ab"])
    let whole = text(all.bytes(from: nil, to: new))
    #expect(whole == "␛[?2026h␛[0m␛[H␛[2J␛[1;1Hab␛[?25l␛[?2026l")
    #expect(text(all.bytes(from: canvas(["ab"], columns: 11), to: new)) == whole)
  }

  @Test func `hides the cursor while it roams, and shows it at its place`() {
    var old = canvas(["ab"])
    old.showCursor(at: CellPoint(column: 1, row: 0))
    var new = canvas(["xb"])
    new.showCursor(at: CellPoint(column: 2, row: 0))
    #expect(text(all.bytes(from: old, to: new)) == "␛[?2026h␛[?25l␛[1;1Hx␛[1;3H␛[?25h␛[?2026l")
    var moved = canvas(["ab"])
    moved.showCursor(at: .zero)
    #expect(text(all.bytes(from: old, to: moved)) == "␛[?2026h␛[1;1H␛[?2026l")
  }

  @Test(arguments: [
    (TerminalTraits.Colors.all, "␛[1;38;2;250;0;0;42mx"), (.palette, "␛[1;38;5;196;42mx"), (.sixteen, "␛[1;91;42mx"),
    (.none, "␛[1mx"),
  ])
  func `has no more colours than the terminal`(_ colors: TerminalTraits.Colors, _ expected: String) {
    var new = Canvas(size: CellSize(columns: 2, rows: 1))
    let style = CellStyle(
      foreground: .rgb(red: 250, green: 0, blue: 0), background: .indexed(2), attributes: .bold)
    new.write("x", at: .zero, style)
    let bytes = FrameDifference(for: TerminalTraits(colors: colors)).bytes(from: Canvas(size: new.size), to: new)
    #expect(text(bytes) == "␛[?2026h␛[1;1H\(expected)␛[0m␛[?2026l")
  }

  @Test func `turns a style off by what is left of it`() {
    let bold = CellStyle(foreground: .indexed(1), attributes: .bold)
    let red = CellStyle(foreground: .indexed(1))
    #expect(ControlSequence.style(from: bold, to: red, colors: .all) == "\u{1B}[0;31m")
    #expect(ControlSequence.style(from: red, to: bold, colors: .all) == "\u{1B}[1m")
    #expect(ControlSequence.style(from: bold, to: .plain, colors: .all) == "\u{1B}[0m")
    #expect(ControlSequence.style(from: bold, to: bold, colors: .all) == "")
  }

  @Test func `is ASCII where the terminal is`() {
    let new = canvas(["漢é… ┌│─"])
    let bytes = FrameDifference(for: TerminalTraits(isUnicode: false)).bytes(from: Canvas(size: new.size), to: new)
    #expect(text(bytes) == "␛[?2026h␛[1;1H???~ +|-␛[?2026l")
  }

  @Test func `is lines of text for a terminal that knows nothing else`() {
    let dumb = FrameDifference(for: TerminalTraits(colors: .none, isDumb: true))
    let new = canvas(["one", "", "漢"])
    #expect(text(dumb.bytes(from: nil, to: new)) == "one\r\n\r\n漢\r\n")
    #expect(dumb.bytes(from: new, to: new) == [])
  }
}

extension Canvas {
  /// The same but for the cursor.
  fileprivate func cellsAreEqual(_ other: Canvas) -> Bool { cells == other.cells }
}

@Suite struct `A terminal's traits` {
  private func traits(_ environment: [String: String]) -> TerminalTraits {
    TerminalTraits { environment[$0] }
  }

  @Test(arguments: [
    (["TERM": "xterm-256color"], TerminalTraits.Colors.palette), (["TERM": "xterm"], .sixteen),
    (["TERM": "linux"], .sixteen),
    (["TERM": "xterm", "COLORTERM": "truecolor"], .all), (["TERM": "xterm-kitty"], .all),
    (["TERM": "xterm-direct"], .all),
    (["TERM": "vt100"], .none), (["TERM": "xterm-256color", "NO_COLOR": "1"], .none),
    (["TERM": "xterm-256color", "NO_COLOR": ""], .palette), (["TERM": "dumb", "COLORTERM": "truecolor"], .none),
    ([:], .none),
  ])
  func `tell its colours`(_ environment: [String: String], _ colors: TerminalTraits.Colors) {
    #expect(traits(environment).colors == colors)
  }

  @Test func `tell what knows no control sequences`() {
    #expect(traits(["TERM": "dumb"]).isDumb && traits([:]).isDumb && traits(["TERM": ""]).isDumb)
    #expect(!traits(["TERM": "xterm"]).isDumb)
  }

  @Test(arguments: [
    (["LANG": "en_GB.UTF-8"], true), (["LANG": "de_DE.utf8"], true), (["LANG": "C"], false), ([:], false),
    (["LANG": "en_GB.UTF-8", "LC_ALL": "C"], false), (["LANG": "C", "LC_CTYPE": "C.UTF-8"], true),
    (["LANG": "en_GB.UTF-8", "LC_ALL": ""], true), (["LANG": "de_DE.ISO-8859-1"], false),
  ])
  func `tell its characters`(_ environment: [String: String], _ isUnicode: Bool) {
    #expect(traits(environment).isUnicode == isUnicode)
  }
}
