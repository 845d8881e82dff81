import Testing

@testable import StarlingTerminal

@Suite struct `A glyph` {
  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("漢", 2), ("ｗ", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("😀", 2),
    ("👩‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🇩🇪", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 2), ("─", 1), ("□", 1),
    ("\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", 2), ("ก็", 1), ("☰", 2), ("…", 1),
    ("\u{3000}", 2), ("\u{A0}", 1),
  ])
  func `takes one column or two`(_ text: String, _ columns: Int) throws {
    #expect(text.count == 1, "one character is one glyph")
    let glyph = try #require(Glyph(Character(text)))
    #expect(glyph.columns == columns)
    #expect(String(glyph.character) == text, "nothing of it is lost")
  }

  @Test(arguments: [
    ("\u{1B}", "␛"), ("\u{0}", "␀"), ("\u{7F}", "␡"), ("\u{9B}", "\u{FFFD}"), ("\u{85}", "\u{FFFD}"), ("\t", " "),
    ("\n", " "), ("\r\n", " "), ("\u{2028}", " "), ("\u{301}", "\u{A0}\u{301}"),
  ])
  func `is harmless whatever it was`(_ text: String, _ drawn: String) throws {
    #expect(String(try #require(Glyph(Character(text))).character) == drawn)
  }

  @Test(arguments: [
    "\u{202E}", "\u{2066}", "\u{200F}", "\u{200B}", "\u{200D}", "\u{FEFF}", "\u{AD}", "\u{FE0F}", "\u{E0041}",
    "\u{115F}",
  ])
  func `is nothing where nothing is to be seen`(_ text: String) {
    #expect(Glyph(Character(text)) == nil)
  }

  @Test func `is cut short where marks pile up`() throws {
    let glyph = try #require(Glyph(Character("e" + String(repeating: "\u{301}", count: 100_000))))
    #expect(glyph.character.unicodeScalars.count == Glyph.scalarCountMax)
    #expect(glyph.columns == 1)
  }

  /// Every scalar of the planes that are in use, alone and after a base: none controls a terminal.
  @Test func `never holds a scalar that does more than be seen`() {
    let planes = [0...0x1FFFF, 0xE0000...0xE0FFF] as [ClosedRange<UInt32>]
    let stray = planes.joined().lazy.compactMap(Unicode.Scalar.init).first { scalar in
      ["\(scalar)", "a\(scalar)"].contains { text in
        text.glyphs.contains { glyph in
          !(1...2).contains(glyph.columns)
            || glyph.character.unicodeScalars.contains {
              $0.properties.generalCategory == .control || $0.properties.isBidiControl
            }
        }
      }
    }
    #expect(stray == nil)
  }

  @Test func `is left of a cluster that falls apart when what is invisible goes`() throws {
    // A filler between two parts of a syllable holds them together.
    let text = "\u{1100}\u{1160}\u{11A8}"
    #expect(text.count == 1)
    #expect(String(try #require(Glyph(Character(text))).character) == "\u{1100}")
  }

  @Test func `is measured by a table that is in order`() {
    let ranges = WideScalars.ranges
    #expect(ranges.allSatisfy { $0.first <= $0.last })
    #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.last < $1.first })
    #expect(!WideScalars.contains("\u{10FF}") && WideScalars.contains("\u{1100}"))
    #expect(
      WideScalars.contains("\u{3FFFD}") && !WideScalars.contains("\u{3FFFE}") && !WideScalars.contains("\u{10FFFF}"))
  }
}
