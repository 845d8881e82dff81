import StarlingTestSupport
import Testing

@testable import StarlingTerminal

/// What is seen of a block in so many cells, line by line.
func lines(_ block: Block, _ columns: Int, _ rows: Int, _ offsets: Placement.Offsets = [:]) -> [String] {
  let picture = picture(block, columns, rows, offsets)
  return (0..<rows).map { picture.canvas.text(ofRow: $0) }
}

private func placement(_ block: Block, _ columns: Int, _ rows: Int) -> Placement {
  var layout = Layout(block)
  return layout.place(for: Proposal(columns: columns, rows: rows))
}

func picture(_ block: Block, _ columns: Int, _ rows: Int, _ offsets: Placement.Offsets = [:]) -> Picture {
  let placement = placement(block, columns, rows)
  let picture = Picture(
    placement, size: CellSize(columns: columns, rows: rows), offsets: placement.bounded(offsets))
  picture.canvas.checkInvariants()
  return picture
}

private func size(_ block: Block, _ columns: Int?, _ rows: Int?) -> CellSize {
  var layout = Layout(block)
  return layout.size(for: Proposal(columns: columns, rows: rows))
}

@Suite struct `A paragraph` {
  private func lines(_ text: String, _ columns: Int?, limit: Int? = nil) -> [String] {
    Paragraph(text, lineCountMax: limit).lines(in: columns).map { String($0.map(\.glyph.character)) }
  }

  @Test func `breaks between words`() {
    #expect(lines("the quick brown fox", 10) == ["the quick", "brown fox"])
    #expect(lines("the quick brown fox", 9) == ["the quick", "brown fox"])
    #expect(lines("the quick brown fox", 8) == ["the", "quick", "brown", "fox"])
    #expect(lines("well-known", 6) == ["well-", "known"])
  }

  @Test func `breaks words that are longer than a line, and wide characters anywhere`() {
    #expect(lines("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"])
    #expect(lines("漢字漢字", 5) == ["漢字", "漢字"])
    #expect(lines("ab漢字", 3) == ["ab", "漢", "字"])
    #expect(lines("漢字", 1) == ["漢", "字"])
  }

  @Test func `breaks where the text does`() {
    #expect(lines("one\n\ntwo\r\nthree", 10) == ["one", "", "two", "three"])
    #expect(lines("", 10) == [""])
    #expect(lines("a b", nil) == ["a b"])
  }

  @Test func `ends in an ellipsis where it is cut off`() {
    #expect(lines("the quick brown fox", 11, limit: 1) == ["the quick…"])
    #expect(lines("the quick brown fox", 12, limit: 1) == ["the quick b…"])
    #expect(lines("the quick brown fox", 5, limit: 2) == ["the", "quic…"])
    #expect(lines("one\ntwo", 5, limit: 1) == ["one…"])
    #expect(lines("abcdef", 3, limit: 1) == ["ab…"])
    #expect(lines("漢字漢", 4, limit: 1) == ["漢…"])
    #expect(lines("ab", 1, limit: 1) == ["…"])
    #expect(lines("one two", 10, limit: 1) == ["one two"])
  }

  @Test func `never is wider than there is room, and loses no character`() {
    let words = ["a", "bcd", "漢字", "e\u{301}e", "-", "supercalifragilistic", "👩‍👩‍👧"]
    for seed in 0..<300 as Range<UInt64> {
      var dice = Dice(seed: seed)
      let text = (0..<8).map { _ in words.randomElement(using: &dice)! }.joined(
        separator: Bool.random(using: &dice) ? " " : "")
      let columns = Int.random(in: 2...12, using: &dice)
      let found = lines(text, columns)
      #expect(found.allSatisfy { $0.columns <= columns }, "seed \(seed)")
      #expect(found.joined().filter { $0 != " " } == text.filter { $0 != " " }, "seed \(seed)")
    }
  }
}

@Suite struct `A layout` {
  private let a = Block.text("aaa")
  private let b = Block.text("b")
  private let spacer = Block(.spacer(minLength: 0))
  private let divider = Block(.divider(.plain))

  @Test func `puts blocks below or beside each other`() {
    #expect(lines(.column([a, b]), 5, 3) == ["aaa", "b", ""])
    #expect(lines(.column([a, b], spacing: 1, alignment: .trailing), 5, 3) == ["aaa", "", "  b"])
    #expect(lines(.column([a, b], alignment: .center), 5, 2) == ["aaa", " b"])
    #expect(lines(.row([a, b]), 5, 2) == ["aaa b", ""])
    #expect(lines(.row([.column([a, a, a]), b], alignment: .center), 6, 3) == ["aaa", "aaa b", "aaa"])
  }

  @Test func `gives spacers what is left`() {
    #expect(lines(.row([a, spacer, b], spacing: 0), 8, 1) == ["aaa    b"])
    #expect(lines(.row([spacer, b, spacer], spacing: 0), 5, 1) == ["  b"])
    #expect(lines(.column([a, spacer, b]), 4, 4) == ["aaa", "", "", "b"])
    #expect(size(.row([a, spacer, b], spacing: 0), nil, nil) == CellSize(columns: 4, rows: 1))
  }

  @Test func `draws dividers across their stack`() {
    #expect(lines(.column([a, divider, b]), 5, 3) == ["aaa", "─────", "b"])
    #expect(lines(.row([a, divider, .column([b, b])], spacing: 0), 9, 2) == ["aaa│b", "   │b"])
  }

  @Test func `shares room between those who could use more, and wraps them`() {
    let long = Block.text("one two three four")
    #expect(lines(.row([.text("ok"), long]), 12, 3) == ["ok one two", "   three", "   four"])
    #expect(lines(.row([long, long]), 19, 3) == ["one two one two", "three   three four", "four"])
  }

  @Test func `pads, frames and boxes`() {
    let padded = Block(.padding(BlockInsets(top: 1, leading: 2, bottom: 0, trailing: 1)), [a])
    #expect(lines(padded, 6, 2) == ["", "  aaa"])
    #expect(size(padded, nil, nil) == CellSize(columns: 6, rows: 2))
    #expect(lines(Block(.box(.plain), [a]), 6, 3) == ["┌───┐", "│aaa│", "└───┘"])
    let frame = Block(.frame(BlockFrame(columns: .init(exact: 7), rows: .init(exact: 3))), [a])
    #expect(lines(Block(.box(.plain), [frame]), 9, 5)[2] == "│  aaa  │")
    let wide = Block(.frame(BlockFrame(columns: .init(greatest: 1000), columnAlignment: .trailing)), [a])
    #expect(lines(wide, 8, 1) == ["     aaa"])
    #expect(lines(.row([b, wide, b]), 9, 1) == ["b   aaa b"])
    let narrow = Block(.frame(BlockFrame(columns: .init(least: 5), columnAlignment: .leading)), [b])
    #expect(size(narrow, 3, nil) == CellSize(columns: 5, rows: 1))
    #expect(size(Block(.frame(BlockFrame(columns: .init(greatest: 2))), [.text("a b c")]), 9, nil).rows == 3)
  }

  @Test func `puts blocks over each other`() {
    let overlay = Block(.overlay(.center, .trailing), [Block(.box(.plain), [.column([a, a, a])]), .text("xx")])
    #expect(lines(overlay, 5, 5) == ["┌───┐", "│aaa│", "│aaa│", "│aaa│", "└xx─┘"])
  }

  @Test func `colours what lies behind`() {
    let red = CellColor.indexed(1)
    let picture = picture(Block(.background(red), [Block(.padding(BlockInsets(leading: 1)), [a])]), 6, 1)
    #expect((0..<6).map { picture.canvas[$0, 0].style.background == red } == [true, true, true, true, false, false])
  }

  @Test func `fills gauges in part`() {
    #expect(lines(Block(.gauge(fraction: 0.5, .plain)), 8, 1) == ["████░░░░"])
    #expect(lines(Block(.gauge(fraction: .infinity, .plain)), 4, 1) == ["████"])
    #expect(lines(Block(.gauge(fraction: -1, .plain)), 4, 1) == ["░░░░"])
    #expect(lines(Block(.gauge(fraction: .nan, .plain)), 4, 1) == ["░░░░"])
  }

  private let window = BlockID(thing: 1)

  private func list(_ count: Int) -> Block {
    Block(
      .scroll(window, .vertical, .width),
      [
        .column(
          (0..<count).map {
            Block(
              .stack(.horizontal, spacing: 0, alignment: .leading), [.text("row \($0)")],
              target: BlockID(thing: 100 + UInt64($0)))
          })
      ])
  }

  @Test func `shows as much in a window as there is room for, and how far it is scrolled`() {
    #expect(lines(list(2), 8, 4) == ["row 0", "row 1", "", ""])
    #expect(lines(list(6), 8, 3) == ["row 0  █", "row 1  │", "row 2  │"])
    #expect(lines(list(6), 8, 3, [window: CellPoint(column: 0, row: 2)])[0].hasPrefix("row 2"))
    #expect(lines(list(6), 8, 3, [window: CellPoint(column: 0, row: 99)]) == ["row 3  │", "row 4  │", "row 5  █"])
    #expect(lines(.column([a, list(6), b]), 8, 5) == ["aaa", "row 0  █", "row 1  │", "row 2  │", "b"])
  }

  @Test func `shrinks windows before it scrolls what is around them`() {
    let screen = BlockID(thing: 9)
    let whole = Block(.scroll(screen, .vertical, .space), [.column([a, list(20), b])])
    #expect(lines(whole, 8, 5) == ["aaa", "row 0  █", "row 1  │", "row 2  │", "b"])
    #expect(lines(whole, 8, 4) == ["aaa    █", "row 0 ██", "row 1 │█", "row 2 ││"])
    #expect(lines(Block(.scroll(screen, .vertical, .space), [.column([a, spacer, b])]), 5, 3) == ["aaa", "", "b"])
  }

  @Test func `scrolls no further than it must to show a target`() {
    var layout = Layout(.column([a, list(20)]))
    let placement = layout.place(for: Proposal(columns: 8, rows: 5))
    var offsets: Placement.Offsets = [:]
    func show(_ row: UInt64) -> Int? {
      offsets = placement.revealing(BlockID(thing: 100 + row), offsets)
      return offsets[window]?.row
    }
    #expect(show(3) == 0)
    #expect(show(4) == 1)
    #expect(show(19) == 16)
    #expect(show(17) == 16)
    #expect(show(15) == 15)
    #expect(show(0) == 0)
    #expect(placement.revealing(BlockID(thing: 7), [:]).isEmpty)
  }

  @Test func `shows a target through windows within windows`() {
    let inner = list(20)
    let outer = BlockID(thing: 2)
    let framed = Block(.frame(BlockFrame(rows: .init(exact: 4))), [inner])
    let block = Block(.scroll(outer, .vertical, .width), [.column([a, a, a, a, framed, b, b])])
    var layout = Layout(block)
    let placement = layout.place(for: Proposal(columns: 12, rows: 5))
    let offsets = placement.revealing(BlockID(thing: 110), [:])
    let picture = Picture(placement, size: CellSize(columns: 12, rows: 5), offsets: offsets)
    #expect(picture.targets.contains { $0.id == BlockID(thing: 110) && $0.rect.size.rows == 1 })
    #expect(offsets[window]?.row == 7 && offsets[outer]?.row == 3)
  }

  @Test func `knows what stands where, as far as it is seen`() {
    let picture = picture(.column([a, list(6)]), 8, 3)
    #expect(picture.target(at: CellPoint(column: 2, row: 1)) == BlockID(thing: 100))
    #expect(picture.target(at: CellPoint(column: 2, row: 0)) == nil)
    #expect(picture.targets.count == 2)
    #expect(picture.window(at: CellPoint(column: 0, row: 2)) == window)
    #expect(picture.window(at: CellPoint(column: 0, row: 0)) == nil)
  }

  @Test func `shows the line that is edited with its cursor`() {
    let id = BlockID(thing: 3)
    var editor = LineEditor("0123456789")
    editor.moveLeft()
    let field = Block(.field(BlockField(editor, showsCursor: true, .plain)), target: id)
    let seen = picture(.row([.text("No:"), field]), 9, 1)
    #expect(seen.canvas.text(ofRow: 0) == "No: 56789")
    #expect(seen.canvas.cursor == CellPoint(column: 8, row: 0))
    #expect(seen.fieldRects[id] == CellRect(column: 4, row: 0, columns: 5, rows: 1))
    let empty = Block(.field(BlockField(LineEditor(), prompt: "name", showsCursor: false, .plain)))
    #expect(lines(empty, 9, 1) == ["name"])
    #expect(picture(empty, 9, 1).canvas.cursor == nil)
  }

  @Test func `costs no more for stacks within stacks than they hold`() {
    var block = Block.text("deep")
    for depth in 0..<60 { block = depth % 2 == 0 ? .row([block, b]) : .column([block, b]) }
    #expect(lines(block, 70, 40).contains { $0.hasPrefix("deep") })
  }

  @Test func `fits any blocks into any room`() {
    func block(_ depth: Int, _ dice: inout Dice) -> Block {
      func inner() -> [Block] { (0..<Int.random(in: 0...3, using: &dice)).map { _ in block(depth - 1, &dice) } }
      switch Int.random(in: depth > 0 ? 0..<14 : 8..<14, using: &dice) {
      case 0, 1: return .column(inner(), spacing: 1, alignment: .center)
      case 2, 3: return .row(inner())
      case 4: return Block(.overlay(.center, .trailing), inner())
      case 5: return Block(.padding(BlockInsets(top: 1, leading: 2, bottom: 1, trailing: 2)), [block(depth - 1, &dice)])
      case 6: return Block(.box(.plain), [block(depth - 1, &dice)])
      case 7:
        return Block(
          .scroll(window, [.vertical, .horizontal], [BlockFit.content, .width, .space].randomElement(using: &dice)!),
          [block(depth - 1, &dice)])
      case 8: return Block(.frame(BlockFrame(columns: .init(exact: 5), rows: .init(greatest: 3))), [a])
      case 9: return spacer
      case 10: return divider
      case 11: return Block(.field(BlockField(LineEditor("漢字漢字"), showsCursor: true, .plain)))
      case 12: return Block(.gauge(fraction: 0.3, .plain))
      default: return .text("one 漢字 three")
      }
    }
    for seed in 0..<300 as Range<UInt64> {
      var dice = Dice(seed: seed)
      let block = block(4, &dice)
      for (columns, rows) in [(0, 0), (1, 1), (3, 2), (20, 6)] {
        let offset = CellPoint(column: .random(in: -2...9, using: &dice), row: .random(in: -2...9, using: &dice))
        let context = "seed \(seed), \(columns) by \(rows), offset \(offset)"
        let shown = lines(block, columns, rows, [window: offset])
        #expect(shown.count == rows, "\(context)")
        #expect(shown.allSatisfy { $0.columns <= columns }, "\(context): \(shown)")
        // No window is scrolled past its ends, so one that is asked to go further shows the same.
        let bounded = placement(block, columns, rows).bounded([window: offset])
        #expect(placement(block, columns, rows).bounded(bounded) == bounded, "\(context): \(bounded)")
        #expect(bounded.values.allSatisfy { $0.column >= 0 && $0.row >= 0 }, "\(context): \(bounded)")
        #expect(lines(block, columns, rows, bounded) == shown, "\(context)")
      }
    }
  }
}
