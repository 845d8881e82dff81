/// Several lines edited as one text.
///
/// ```
///   text   "Dear all,\nplease fi|nd …"       page   Dear all,
///                                                   please fi|nd …
/// ```
///
/// A line is as long as the text makes it. The one with the cursor is shown in its window, the others from their
/// beginning.
extension LineEditor {
  /// What is seen of the lines in so many cells, and where the cursor stands.
  ///
  /// The page moves no further than it must to hold the cursor.
  ///
  /// - Complexity: O(text)
  package mutating func page(columns: Int, rows: Int) -> (lines: [[Glyph]], cursor: CellPoint) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let place = linePlace
    firstRow = min(max(firstRow, place.line - max(0, rows - 1)), place.line, max(0, lines.count - rows))
    var cursorColumn = 0
    let shown = lines.enumerated().dropFirst(firstRow).prefix(max(0, rows)).map { number, line in
      var editor = LineEditor(String(line))
      editor.moveToStart()
      guard number == place.line else { return editor.window(columns: columns).glyphs }
      for _ in 0..<place.character { editor.moveRight() }
      let window = editor.window(columns: columns)
      cursorColumn = window.cursorColumn
      return window.glyphs
    }
    return (shown, CellPoint(column: cursorColumn, row: place.line - firstRow))
  }

  /// How many lines there are.
  package var lineCount: Int { text.count { $0.isNewline } + 1 }

  /// To the line above, as far to the right as here.
  ///
  /// - Returns: false in the first line.
  package mutating func moveUp() -> Bool { moveLine(by: -1) }

  /// To the line below, as far to the right as here.
  ///
  /// - Returns: false in the last line.
  package mutating func moveDown() -> Bool { moveLine(by: 1) }

  private mutating func moveLine(by step: Int) -> Bool {
    let place = linePlace
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard lines.indices.contains(place.line + step) else { return false }
    let line = lines[place.line + step]
    moveTo(line.index(line.startIndex, offsetBy: place.character, limitedBy: line.endIndex) ?? line.endIndex)
    return true
  }

  /// The line in which the cursor stands, and how many characters of it are before the cursor.
  private var linePlace: (line: Int, character: Int) {
    let before = text.prefix(cursor)
    let start = before.lastIndex { $0.isNewline }.map { before.index(after: $0) } ?? before.startIndex
    return (before.count { $0.isNewline }, before[start...].count)
  }
}
