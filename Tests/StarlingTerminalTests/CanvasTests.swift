import Testing

@testable import StarlingTerminal

@Suite struct `A canvas` {
  private func canvas(_ columns: Int, _ rows: Int) -> Canvas { Canvas(size: CellSize(columns: columns, rows: rows)) }

  @Test func `shows text where it was written, glyph by glyph`() {
    var canvas = canvas(8, 2)
    canvas.write("a漢b", at: CellPoint(column: 1, row: 1))
    #expect(canvas.text(ofRow: 0) == "")
    #expect(canvas.text(ofRow: 1) == " a漢b")
    #expect((0..<8).map { canvas[$0, 1].columns } == [1, 1, 2, 0, 1, 1, 1, 1])
    canvas.checkInvariants()
  }

  @Test(arguments: [(1, " x b"), (2, "  xb")])
  func `blanks the other half of what it overwrites`(column: Int, expected: String) {
    var canvas = canvas(5, 1)
    canvas.write("漢b", at: CellPoint(column: 1, row: 0))
    canvas.write("x", at: CellPoint(column: column, row: 0))
    canvas.checkInvariants()
    #expect(canvas.text(ofRow: 0) == expected)
  }

  @Test func `draws nothing of a wide glyph that lies half outside`() {
    var canvas = canvas(3, 1)
    canvas.write("abc", at: .zero)
    canvas.write("漢", at: CellPoint(column: 2, row: 0))
    #expect(canvas.text(ofRow: 0) == "ab")
    canvas.write("漢", at: CellPoint(column: -1, row: 0))
    #expect(canvas.text(ofRow: 0) == " b")
    canvas.checkInvariants()
  }

  @Test func `keeps a region's content inside it, scrolled or not`() {
    var canvas = canvas(6, 4)
    canvas.within(CellRect(column: 1, row: 1, columns: 3, rows: 2), scrolledBy: CellPoint(column: 1, row: 2)) {
      canvas in
      #expect(canvas.visibleRect == CellRect(column: 1, row: 2, columns: 3, rows: 2))
      for row in 0..<9 { canvas.write("\(row)bcdefgh", at: CellPoint(column: 0, row: row)) }
    }
    #expect((0..<4).map { canvas.text(ofRow: $0) } == ["", " bcd", " bcd", ""])
    canvas.within(CellRect(column: 4, row: 0, columns: 10, rows: 10)) { canvas in
      canvas.within(CellRect(column: 1, row: 3, columns: 5, rows: 5)) { $0.write("xyz", at: .zero) }
      canvas.write("!", at: .zero)
    }
    #expect((0..<4).map { canvas.text(ofRow: $0) } == ["    !", " bcd", " bcd", "     x"])
  }

  @Test func `draws boxes, and parts of boxes`() {
    var canvas = canvas(5, 3)
    canvas.drawBox(CellRect(column: 0, row: 0, columns: 5, rows: 3))
    #expect((0..<3).map { canvas.text(ofRow: $0) } == ["┌───┐", "│   │", "└───┘"])
    var other = self.canvas(3, 2)
    other.drawBox(CellRect(column: -2, row: -1, columns: 4, rows: 1 << 40))
    #expect((0..<2).map { other.text(ofRow: $0) } == [" │", " │"])
  }

  @Test func `lets the background show through text that has none`() {
    var canvas = canvas(2, 1)
    let blue = CellStyle(background: .indexed(4))
    canvas.fill(CellRect(column: 0, row: 0, columns: 9, rows: 9), blue)
    canvas.write("a", at: .zero, CellStyle(attributes: .bold))
    #expect(canvas[0, 0].style == CellStyle(background: .indexed(4), attributes: .bold))
    canvas.write("b", at: .zero, CellStyle(background: .indexed(2)))
    #expect(canvas[0, 0].style == CellStyle(background: .indexed(2)))
    #expect(canvas[1, 0].style == blue)
  }

  @Test func `changes the style of wide glyphs whole`() {
    for columns in 0..<6 {
      for column in 0..<6 {
        var canvas = canvas(6, 1)
        canvas.write("a漢漢b", at: .zero)
        let text = canvas.text(ofRow: 0)
        canvas.restyle(CellRect(column: column, row: 0, columns: columns, rows: 1)) {
          $0.attributes.formSymmetricDifference(.reversed)
        }
        canvas.checkInvariants()
        #expect(canvas.text(ofRow: 0) == text)
        for inside in column..<min(6, column + columns) {
          #expect(
            canvas[inside, 0].style.attributes == .reversed, "\(columns) columns at \(column), in column \(inside)")
        }
      }
    }
  }

  @Test func `has the cursor where it can be seen`() {
    var canvas = canvas(4, 2)
    canvas.within(CellRect(column: 1, row: 1, columns: 2, rows: 1)) {
      $0.showCursor(at: CellPoint(column: 2, row: 0))
    }
    #expect(canvas.cursor == nil)
    canvas.within(CellRect(column: 1, row: 1, columns: 2, rows: 1)) {
      $0.showCursor(at: CellPoint(column: 1, row: 0))
    }
    #expect(canvas.cursor == CellPoint(column: 2, row: 1))
  }

  @Test func `is no larger than any terminal`() {
    #expect(canvas(1 << 40, -3).size == CellSize(columns: Canvas.sizeMax.columns, rows: 0))
  }

  @Test func `takes places and sizes that make no sense`() {
    var canvas = canvas(2, 1)
    canvas.within(
      CellRect(column: .min, row: .max, columns: .max, rows: .max), scrolledBy: CellPoint(column: .min, row: .max)
    ) {
      $0.write("漢a", at: CellPoint(column: .max, row: .min))
      $0.fill(CellRect(column: .min, row: .min, columns: .max, rows: .max), .plain)
      $0.drawBox(CellRect(column: .min, row: .min, columns: .max, rows: .max))
      $0.restyle(CellRect(column: .max, row: .min, columns: .min, rows: .max)) { $0 = .plain }
      $0.showCursor(at: CellPoint(column: .max, row: .max))
    }
    #expect(canvas == self.canvas(2, 1))
  }
}
