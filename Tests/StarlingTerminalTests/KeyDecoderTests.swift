import StarlingTestSupport
import Testing

@testable import StarlingTerminal

@Suite struct `A key decoder` {
  private func decode(_ text: String) -> [TerminalInput] {
    var decoder = KeyDecoder()
    return decoder.read(text.utf8)
  }

  private func keys(_ text: String) -> [Key] {
    decode(text).compactMap { if case .key(let key) = $0 { key } else { nil } }
  }

  /// What terminals send, and the key that was pressed.
  private static let spellings: [(String, Key)] = [
    ("a", Key("a")), ("A", Key("A")), (" ", Key(" ")), ("é", Key("é")), ("漢", Key("漢")), ("😀", Key("😀")),
    ("\r", Key(.enter)), ("\n", Key(.enter)), ("\t", Key(.tab)), ("\u{7F}", Key(.backspace)),
    ("\u{8}", Key(.backspace)),
    ("\u{0}", Key(" ", .control)), ("\u{1}", Key("a", .control)), ("\u{1A}", Key("z", .control)),
    ("\u{1C}", Key("\\", .control)), ("\u{1F}", Key("_", .control)),
    ("\u{1B}a", Key("a", .alt)), ("\u{1B}é", Key("é", .alt)), ("\u{1B}\r", Key(.enter, .alt)),
    ("\u{1B}\u{7F}", Key(.backspace, .alt)), ("\u{1B}\u{1}", Key("a", [.control, .alt])),
    ("\u{1B}[A", Key(.up)), ("\u{1B}[B", Key(.down)), ("\u{1B}[C", Key(.right)), ("\u{1B}[D", Key(.left)),
    ("\u{1B}OA", Key(.up)), ("\u{1B}OD", Key(.left)), ("\u{1B}OH", Key(.home)), ("\u{1B}OF", Key(.end)),
    ("\u{1B}[H", Key(.home)), ("\u{1B}[F", Key(.end)), ("\u{1B}[1~", Key(.home)), ("\u{1B}[4~", Key(.end)),
    ("\u{1B}[7~", Key(.home)), ("\u{1B}[8~", Key(.end)), ("\u{1B}[2~", Key(.insert)), ("\u{1B}[3~", Key(.delete)),
    ("\u{1B}[5~", Key(.pageUp)), ("\u{1B}[6~", Key(.pageDown)), ("\u{1B}[Z", .backTab), ("\u{1B}[1;2Z", .backTab),
    ("\u{1B}[1;5C", Key(.right, .control)), ("\u{1B}[1;3D", Key(.left, .alt)),
    ("\u{1B}[1;2A", Key(.up, .shift)), ("\u{1B}[3;5~", Key(.delete, .control)),
    ("\u{1B}[1;8H", Key(.home, [.shift, .alt, .control])), ("\u{1B}[1;69A", Key(.up, .control)),
    ("\u{1B}OP", Key(.function(1))), ("\u{1B}OS", Key(.function(4))), ("\u{1B}[P", Key(.function(1))),
    ("\u{1B}[1;2R", Key(.function(3), .shift)), ("\u{1B}[11~", Key(.function(1))), ("\u{1B}[15~", Key(.function(5))),
    ("\u{1B}[17~", Key(.function(6))), ("\u{1B}[24~", Key(.function(12))),
    ("\u{1B}[24;5~", Key(.function(12), .control)),
    ("\u{1B}[34~", Key(.function(20))), ("\u{1B}[[A", Key(.function(1))), ("\u{1B}[[E", Key(.function(5))),
    ("\u{1B}O2P", Key(.function(1), .shift)), ("\u{1B}O1;5A", Key(.up, .control)),
    ("\u{1B}OM", Key(.enter)), ("\u{1B}Ok", Key("+")), ("\u{1B}Oy", Key("9")),
    ("\u{1B}[97;5u", Key("a", .control)), ("\u{1B}[97;2u", Key("A")), ("\u{1B}[97;6u", Key("A", .control)),
    ("\u{1B}[97u", Key("a")), ("\u{1B}[27u", Key(.escape)), ("\u{1B}[13;2u", Key(.enter, .shift)),
    ("\u{1B}[9;5u", Key(.tab, .control)), ("\u{1B}[9;2u", .backTab), ("\u{1B}[127;5u", Key(.backspace, .control)),
    ("\u{1B}[97:65;2u", Key("A")), ("\u{1B}[97;5:1u", Key("a", .control)), ("\u{1B}[57400u", Key("1")),
    ("\u{1B}[57414u", Key(.enter)), ("\u{1B}[57376u", Key(.function(13))), ("\u{1B}[228;3u", Key("ä", .alt)),
    ("\u{1B}[27;5;97~", Key("a", .control)), ("\u{1B}[27;2;13~", Key(.enter, .shift)),
  ]

  @Test(arguments: spellings) func `knows keys by all their spellings`(_ text: String, _ key: Key) {
    #expect(decode(text) == [.key(key)])
  }

  @Test func `tells the same whatever the portions in which bytes come`() {
    let text =
      Self.spellings.map(\.0).joined() + "\u{1B}[200~pasted\n漢\u{1B}[201~\u{1B}[<0;3;4M\u{1B}[I\u{1B}]0;x\u{7}z"
    let whole = decode(text)
    #expect(whole.count > Self.spellings.count)
    for portion in 1...7 {
      var decoder = KeyDecoder()
      var rest = Array(text.utf8)[...]
      var found: [TerminalInput] = []
      while !rest.isEmpty {
        found += decoder.read(rest.prefix(portion))
        rest = rest.dropFirst(portion)
      }
      #expect(found == whole, "\(portion) bytes at a time")
    }
  }

  @Test(arguments: [
    ("\u{1B}", Key(.escape)), ("\u{1B}[", Key("[", .alt)), ("\u{1B}O", Key("O", .alt)), ("\u{1B}]", Key("]", .alt)),
    ("\u{1B}P", Key("P", .alt)),
  ])
  func `takes what nothing follows in time for a key`(_ text: String, _ key: Key) {
    var decoder = KeyDecoder()
    #expect(decoder.read(text.utf8) == [])
    #expect(decoder.isUndecided)
    #expect(decoder.timeOut() == [.key(key)])
    #expect(!decoder.isUndecided)
    #expect(decoder.read("x".utf8) == [.key(Key("x"))])
  }

  @Test(arguments: ["a", "\u{1B}[1", "\u{1B}]0;title", "\u{1B}[200~pa"])
  func `waits for the rest of a sequence however long it takes`(_ text: String) {
    var decoder = KeyDecoder()
    _ = decoder.read(text.utf8)
    #expect(!decoder.isUndecided)
    #expect(decoder.timeOut() == [])
  }

  @Test func `tells an escape from what follows it at once`() {
    #expect(keys("\u{1B}\u{1B}[A") == [Key(.escape), Key(.up)])
  }

  @Test(arguments: [
    "\u{1B}[?62;22c", "\u{1B}[12;40R", "\u{1B}[?2026;2$y", "\u{1B}[99~", "\u{1B}[1;2;3A", "\u{1B}[97;5:3u", "\u{1B}Oz",
    "\u{1B}]11;rgb:0000/0000/0000\u{7}", "\u{1B}]52;c;aGVsbG8=\u{1B}\\", "\u{1B}P1$r0m\u{1B}\\", "\u{1B}_G\u{1B}\\",
    "\u{1B}[M !!", "\u{1B}[<0;0;1M", "\u{1B}[<1M", "\u{1B}[[Z", "\u{1B}[57358u", "\u{1B}[1114112u", "\u{1B}[55296u",
    "\u{1B}[99999999999999999999999;99999999999999999999A", "\u{1B}[u", "\u{1B}[27;5~",
    "\u{1B}[" + String(repeating: "1;", count: 5000) + "A",
  ])
  func `takes sequences that say nothing whole`(_ text: String) {
    #expect(decode(text + "x") == [.key(Key("x"))])
  }

  @Test func `reads pastes as they are`() {
    #expect(
      decode("\u{1B}[200~one\ntwo\u{1B}[A\u{3}\u{1B}[201~x") == [.paste("one\ntwo\u{1B}[A\u{3}"), .key(Key("x"))])
    #expect(decode("\u{1B}[200~\u{1B}[201~x") == [.key(Key("x"))])
  }

  @Test func `hands on a paste without end in pieces, and loses none of it`() {
    var decoder = KeyDecoder()
    let text = String(repeating: "漢字 and more, ", count: 50_000)
    var found = decoder.read("\u{1B}[200~".utf8)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      found += decoder.read(rest.prefix(5000))
      rest = rest.dropFirst(5000)
    }
    let pieces = found.compactMap { if case .paste(let piece) = $0 { piece } else { nil } }
    #expect(pieces.count >= text.utf8.count / KeyDecoder.pasteByteCountMax - 1)
    #expect(pieces.allSatisfy { $0.utf8.count <= KeyDecoder.pasteByteCountMax + 8 })
    let last = decoder.read("\u{1B}[201~".utf8)
    guard case .paste(let end) = last.first else { return #expect(Bool(false), "\(last)") }
    #expect(pieces.joined() + end == text)
  }

  @Test(arguments: [
    ("\u{1B}[<0;3;4M", MouseReport(.press(.left), at: CellPoint(column: 2, row: 3))),
    ("\u{1B}[<2;1;1m", MouseReport(.release(.right), at: .zero)),
    ("\u{1B}[<17;300;1M", MouseReport(.press(.middle), at: CellPoint(column: 299, row: 0), .control)),
    ("\u{1B}[<32;1;2M", MouseReport(.drag(.left), at: CellPoint(column: 0, row: 1))),
    ("\u{1B}[<35;1;2M", MouseReport(.move, at: CellPoint(column: 0, row: 1))),
    ("\u{1B}[<64;1;1M", MouseReport(.wheel(columns: 0, rows: -1), at: .zero)),
    ("\u{1B}[<69;1;1M", MouseReport(.wheel(columns: 0, rows: 1), at: .zero, .shift)),
    ("\u{1B}[<67;1;1M", MouseReport(.wheel(columns: 1, rows: 0), at: .zero)),
    ("\u{1B}[<128;1;1M", MouseReport(.press(.other), at: .zero)),
  ])
  func `reads the mouse`(_ text: String, _ report: MouseReport) {
    #expect(decode(text) == [.mouse(report)])
  }

  @Test func `tells who has the keyboard`() {
    #expect(decode("\u{1B}[I\u{1B}[O") == [.focus(true), .focus(false)])
  }

  @Test func `marks what is no UTF-8, and goes on`() {
    var decoder = KeyDecoder()
    let replacement = TerminalInput.key(Key("\u{FFFD}"))
    #expect(decoder.read([0xFF, 0x61]) == [replacement, .key(Key("a"))])
    #expect(decoder.read([0xE6, 0x61]) == [replacement, .key(Key("a"))])
    #expect(decoder.read([0xC3, 0x1B, 0x5B, 0x41]) == [replacement, .key(Key(.up))])
    #expect(decoder.read([0xED, 0xA0, 0x80]) == [replacement])
  }

  @Test func `gives the keyboard back to somebody who types after a message that does not end`() {
    #expect(decode("\u{1B}]0;no end\rabc") == "abc".map { .key(Key($0)) })
    let long = decode("\u{1B}]" + String(repeating: "0", count: 5000) + "x")
    #expect(long.last == .key(Key("x")))
    #expect(long.count < 1000)
  }

  @Test func `survives any bytes, and is itself again`() {
    for seed in 0..<500 as Range<UInt64> {
      var dice = Dice(seed: seed)
      var decoder = KeyDecoder()
      let alphabet: [UInt8] =
        Array("\u{1B}\u{1B}[[O]<;:0129~AuMPm\r".utf8) + [0x00, 0x80, 0x9B, 0xC3, 0xE6, 0xF0, 0xFF]
      for _ in 0..<20 {
        let bytes = (0..<Int.random(in: 0...40, using: &dice)).map { _ in
          Bool.random(using: &dice) ? alphabet.randomElement(using: &dice)! : UInt8.random(in: 0...255, using: &dice)
        }
        _ = decoder.read(bytes)
        if Bool.random(using: &dice) { _ = decoder.timeOut() }
      }
      // What ends every state: a paste, a message, a sequence, a report of the old kind.
      _ = decoder.read("\u{1B}[201~\r\r\r\u{1B}[201~\r\r\r".utf8)
      _ = decoder.timeOut()
      #expect(decoder.read("k".utf8) == [.key(Key("k"))], "seed \(seed)")
    }
  }
}
