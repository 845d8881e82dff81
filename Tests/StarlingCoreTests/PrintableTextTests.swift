import StarlingCore
import Testing

@Suite struct `A text that came from elsewhere` {
  @Test func `is shown as it is where a terminal only shows it`() {
    for text in ["starlingd 0.1.0", "Grüße, 世界", "👨‍👩‍👧", "a \"quoted\" \\ path", ""] {
      #expect(text.printable() == text)
    }
  }

  @Test func `moves no cursor, begins no line and turns no direction`() {
    #expect("\u{1B}[2J\u{1B}]0;title\u{7}".printable() == "\\u001b[2J\\u001b]0;title\\u0007")
    #expect("one\ntwo\r\u{2028}three\t".printable() == "one\\ntwo\\r\\u2028three\\t")
    #expect("\u{202E}gnp.exe\u{2066}\u{200F}".printable() == "\\u202egnp.exe\\u2066\\u200f")
    #expect("\u{9B}31m\u{0}\u{FEFF}\u{200B}\u{E0041}".printable() == "\\u009b31m\\u0000\\ufeff\\u200b\\udb40\\udc41")
  }

  @Test func `keeps its lines where it may have some`() {
    #expect("{\n\t\"a\": 1\r\n}".printable(keepsLines: true) == "{\n\t\"a\": 1\\r\n}")
  }

  @Test func `is no longer than may be, and is cut between characters`() {
    #expect("abcdef".printable(byteCountMax: 4) == "abcd…")
    #expect("abcd".printable(byteCountMax: 4) == "abcd")
    #expect("äöü".printable(byteCountMax: 3) == "ä…")
    #expect("\u{1B}\u{1B}".printable(byteCountMax: 7) == "\\u001b…")
  }

  @Test func `changes no more when it is shown a second time`() {
    let text = "\u{1B}[31m\nred\u{202E}".printable()
    #expect(text.printable() == text)
  }
}
