/// One cell of a canvas.
package struct Cell: Hashable, Sendable {
  /// What stands here; a blank in the right half of a wide glyph.
  package let character: Character
  package let style: CellStyle
  /// 1 or 2, and 0 for the right half of a wide glyph.
  package let columns: Int8

  static func blank(_ style: CellStyle) -> Cell { Cell(character: " ", style: style, columns: 1) }

  fileprivate static func left(_ glyph: Glyph, _ style: CellStyle) -> Cell {
    Cell(character: glyph.character, style: style, columns: Int8(glyph.columns))
  }

  fileprivate static func right(_ style: CellStyle) -> Cell { Cell(character: " ", style: style, columns: 0) }
}

/// A screen's content: cells row by row, and the place of the cursor.
///
/// ```
///   size 6 × 2      a  b  ╭漢╮ c  ·        a wide glyph is two cells, the left with 2 columns, the right
///                   ·  ·   ·  ·  ·  ·      with 0; whoever overwrites one half blanks the other
/// ```
///
/// Drawing takes places relative to the present region, and leaves alone what lies outside of it:
///
/// ```swift
/// canvas.within(CellRect(column: 2, row: 1, columns: 10, rows: 3), scrolledBy: CellPoint(column: 0, row: 5)) {
///   $0.write("the sixth row", at: CellPoint(column: 0, row: 5))   // at (2, 1) of what is around
/// }
/// ```
package struct Canvas: Sendable {
  package let size: CellSize
  /// Row by row.
  private(set) var cells: [Cell]
  /// Where the terminal's own cursor is to be seen.
  package private(set) var cursor: CellPoint?

  struct Region: Sendable {
    /// Where (0, 0) is on the canvas.
    var origin = CellPoint.zero
    /// What of the canvas may be drawn upon.
    var clip: CellRect
  }

  private var region: Region

  /// No terminal is larger; one that says it is gets so many.
  package static let sizeMax = CellSize(columns: 2048, rows: 1024)

  /// A blank one.
  ///
  /// - Complexity: O(cells)
  package init(size: CellSize) {
    self.size = CellSize(
      columns: min(size.columns, Self.sizeMax.columns), rows: min(size.rows, Self.sizeMax.rows))
    cells = Array(repeating: .blank(.plain), count: self.size.columns * self.size.rows)
    region = Region(clip: CellRect(origin: .zero, size: self.size))
  }

  package subscript(column: Int, row: Int) -> Cell {
    precondition(clipOfAll.contains(CellPoint(column: column, row: row)), "(\(column), \(row)) is not in \(size)")
    return cells[row * size.columns + column]
  }

  /// What a person reads in a row, blanks at its end left out.
  package func text(ofRow row: Int) -> String {
    var text = ""
    for column in 0..<size.columns where self[column, row].columns > 0 { text.append(self[column, row].character) }
    while text.last == " " { text.removeLast() }
    return text
  }

  private var clipOfAll: CellRect { CellRect(origin: .zero, size: size) }

  // MARK: Regions

  /// Draws in a part of the present region, whose upper left corner is then (0, 0).
  ///
  /// - Parameter scroll: What of the content stands in that corner instead.
  package mutating func within<Result>(
    _ rect: CellRect, scrolledBy scroll: CellPoint = .zero, _ body: (inout Canvas) throws -> Result
  ) rethrows -> Result {
    let outer = enter(rect, scrolledBy: scroll)
    defer { leave(to: outer) }
    return try body(&self)
  }

  /// The first half of `within`, for a caller that cannot hand on what is drawn.
  mutating func enter(_ rect: CellRect, scrolledBy scroll: CellPoint) -> Region {
    let outer = region
    let placed = rect.moved(by: region.origin)
    region.clip = region.clip.intersection(placed)
    region.origin = placed.moved(by: scroll.negated).origin
    return outer
  }

  /// The second half: `region` is what the first returned.
  mutating func leave(to region: Region) { self.region = region }

  /// What of the present region can be seen, in its own measure.
  package var visibleRect: CellRect { region.clip.moved(by: region.origin.negated) }

  // MARK: Drawing

  /// Draws text on one line, from left to right. Where `style` has no background the one that is there shows
  /// through.
  ///
  /// - Complexity: O(scalars up to the region's right edge)
  package mutating func write(_ text: some Sequence<Character>, at place: CellPoint, _ style: CellStyle = .plain) {
    write(text.glyphs, at: place, style)
  }

  /// Draws glyphs on one line, as `write` does text.
  package mutating func write(_ glyphs: some Sequence<Glyph>, at place: CellPoint, _ style: CellStyle = .plain) {
    let start = CellRect(origin: place, size: .zero).moved(by: region.origin).origin
    guard region.clip.rows.contains(start.row) else { return }
    var column = start.column
    for glyph in glyphs {
      guard column < region.clip.columns.upperBound else { return }
      put(glyph, column: column, row: start.row, style)
      column += glyph.columns
    }
  }

  /// Gives a rectangle this style and blanks it.
  package mutating func fill(_ rect: CellRect, _ style: CellStyle) {
    let covered = region.clip.intersection(rect.moved(by: region.origin))
    for row in covered.rows {
      for column in covered.columns {
        separate(column: column, row: row)
        cells[row * size.columns + column] = .blank(style)
      }
    }
  }

  /// Changes the style of a rectangle, and not what it says. Wide glyphs change whole.
  package mutating func restyle(_ rect: CellRect, _ change: (inout CellStyle) -> Void) {
    let covered = region.clip.intersection(rect.moved(by: region.origin))
    for row in covered.rows {
      for column in covered.columns {
        var first = row * size.columns + column
        var last = first
        if cells[first].columns == 0 { first -= 1 }
        if cells[last].columns == 2 { last += 1 }
        // The right half inside the rectangle was changed with the left.
        if first < row * size.columns + column, covered.columns.contains(column - 1) { continue }
        for index in first...last {
          var style = cells[index].style
          change(&style)
          cells[index] = Cell(character: cells[index].character, style: style, columns: cells[index].columns)
        }
      }
    }
  }

  /// Draws a box along the inner edge of a rectangle of at least 2 × 2.
  package mutating func drawBox(_ rect: CellRect, _ style: CellStyle = .plain) {
    guard rect.size.columns >= 2, rect.size.rows >= 2 else { return }
    let last = CellPoint(column: rect.columns.upperBound - 1, row: rect.rows.upperBound - 1)
    drawLine(acrossFrom: rect.origin, columns: rect.size.columns, style)
    drawLine(acrossFrom: CellPoint(column: rect.origin.column, row: last.row), columns: rect.size.columns, style)
    drawLine(downFrom: rect.origin, rows: rect.size.rows, style)
    drawLine(downFrom: CellPoint(column: last.column, row: rect.origin.row), rows: rect.size.rows, style)
    write("┌", at: rect.origin, style)
    write("┐", at: CellPoint(column: last.column, row: rect.origin.row), style)
    write("└", at: CellPoint(column: rect.origin.column, row: last.row), style)
    write("┘", at: last, style)
  }

  package mutating func drawLine(acrossFrom place: CellPoint, columns: Int, _ style: CellStyle = .plain) {
    let line = CellRect(column: place.column, row: place.row, columns: columns, rows: 1).intersection(visibleRect)
    for column in line.columns where !line.isEmpty { write("─", at: CellPoint(column: column, row: place.row), style) }
  }

  package mutating func drawLine(downFrom place: CellPoint, rows: Int, _ style: CellStyle = .plain) {
    let line = CellRect(column: place.column, row: place.row, columns: 1, rows: rows).intersection(visibleRect)
    for row in line.rows where !line.isEmpty { write("│", at: CellPoint(column: place.column, row: row), style) }
  }

  /// Shows the terminal's cursor at a place, if that can be seen.
  package mutating func showCursor(at place: CellPoint) {
    let place = CellRect(origin: place, size: .zero).moved(by: region.origin).origin
    if region.clip.contains(place) { cursor = place }
  }

  /// A wide glyph with one half outside leaves a blank in the other.
  private mutating func put(_ glyph: Glyph, column: Int, row: Int, _ style: CellStyle) {
    let left = region.clip.contains(CellPoint(column: column, row: row))
    let right = glyph.columns == 2 && region.clip.contains(CellPoint(column: column + 1, row: row))
    if left { separate(column: column, row: row) }
    if right { separate(column: column + 1, row: row) }
    let index = row * size.columns + column
    switch (left, right) {
    case (true, true):
      let style = style.over(cells[index].style)
      cells[index] = .left(glyph, style)
      cells[index + 1] = .right(style)
    case (true, false):
      let style = style.over(cells[index].style)
      cells[index] = glyph.columns == 1 ? .left(glyph, style) : .blank(style)
    case (false, true): cells[index + 1] = .blank(style.over(cells[index + 1].style))
    case (false, false): break
    }
  }

  /// Blanks the other half of a wide glyph when one of its cells is about to be overwritten.
  private mutating func separate(column: Int, row: Int) {
    let index = row * size.columns + column
    switch cells[index].columns {
    case 0: cells[index - 1] = .blank(cells[index - 1].style)
    case 2: cells[index + 1] = .blank(cells[index + 1].style)
    default: break
    }
  }
}

extension Canvas: Hashable {
  /// What is seen is the same.
  package static func == (left: Canvas, right: Canvas) -> Bool {
    left.size == right.size && left.cursor == right.cursor && left.cells == right.cells
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(size)
    hasher.combine(cursor)
    hasher.combine(cells)
  }
}

extension CellPoint {
  fileprivate var negated: CellPoint { CellPoint(column: -bounded.column, row: -bounded.row) }
}

extension CellStyle {
  /// The style of a text that lies on another.
  fileprivate func over(_ lower: CellStyle) -> CellStyle {
    guard background == .standard else { return self }
    return CellStyle(foreground: foreground, background: lower.background, attributes: attributes)
  }
}

extension Canvas {
  /// Halves of wide glyphs stand side by side, in one style.
  package func checkInvariants() {
    precondition(cells.count == size.columns * size.rows, "\(cells.count) cells, \(size)")
    for (index, cell) in cells.enumerated() {
      let isFirst = index % size.columns == 0
      let isLast = index % size.columns == size.columns - 1
      switch cell.columns {
      case 0: precondition(!isFirst && cells[index - 1].columns == 2, "no left half before cell \(index)")
      case 1: break
      case 2:
        precondition(!isLast && cells[index + 1].columns == 0, "no right half after cell \(index)")
        precondition(cells[index + 1].style == cell.style, "two styles in the glyph at cell \(index)")
      default: preconditionFailure("cell \(index) takes \(cell.columns) columns")
      }
    }
  }
}
