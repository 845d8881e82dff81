/// The bytes that turn what a terminal shows into what it should show.
///
/// ```
///   old   │ Title        │      new   │ Title        │      bytes   begin synchronized output
///         │ [ ] Available│            │ [x] Available│              move to (1, 1), "x"
///         │ 12 copies    │            │ 9 copies     │              move to (2, 0), "9 copies", clear to the end
///                                                                  end synchronized output
/// ```
///
/// A frame stands for itself: it finds the terminal in the plain style, wherever the cursor is, and leaves it so.
package struct FrameDifference: Sendable {
  private let traits: TerminalTraits

  package init(for traits: TerminalTraits) {
    self.traits = traits
  }

  /// - Parameter old: What the terminal shows; nil where nobody knows, and then all is drawn.
  /// - Returns: Nothing where nothing is to be done.
  /// - Complexity: O(cells)
  package func bytes(from old: Canvas?, to new: Canvas) -> [UInt8] {
    if old == new { return [] }
    if traits.isDumb { return lines(of: new) }
    let known = old.flatMap { $0.size == new.size ? $0 : nil }
    var frame = Frame(traits: traits)
    if known == nil { frame.send(ControlSequence.plain + ControlSequence.clearScreen) }
    let before = known ?? Canvas(size: new.size)
    for row in 0..<new.size.rows { frame.draw(row: row, from: before, to: new) }
    frame.finish(cursor: new.cursor, wasShown: known.map { $0.cursor != nil })
    return frame.bytes
  }

  /// All that can be done without control sequences: the whole frame below what was there.
  private func lines(of canvas: Canvas) -> [UInt8] {
    var bytes: [UInt8] = []
    for row in 0..<canvas.size.rows {
      for character in canvas.text(ofRow: row) { character.append(to: &bytes, isUnicode: traits.isUnicode) }
      bytes += [0x0D, 0x0A]
    }
    return bytes
  }
}

/// A frame in the making, with the terminal's state as it will be when the frame so far has been read.
private struct Frame {
  let traits: TerminalTraits
  private(set) var bytes: [UInt8] = []
  private var style = CellStyle.plain
  /// Nil where it is not sure.
  private var cursor: CellPoint?

  init(traits: TerminalTraits) {
    self.traits = traits
  }

  mutating func send(_ text: String) { bytes += text.utf8 }

  /// Cells that stay as they are cost less to write again than to step over, up to here.
  private static let gapMax = 3
  /// So many blanks cost more than clearing to the end of the line.
  private static let clearedMin = 4

  mutating func draw(row: Int, from old: Canvas, to new: Canvas) {
    let end = new.size.columns
    var blankFrom = end
    while blankFrom > 0, new[blankFrom - 1, row] == .blank(.plain) { blankFrom -= 1 }
    let stale = (blankFrom..<end).count { old[$0, row] != new[$0, row] }
    let clears = stale >= Self.clearedMin
    let drawn = clears ? blankFrom : end
    var column = 0
    while column < drawn {
      guard old[column, row] != new[column, row] else {
        column += 1
        continue
      }
      // A cell that differs in its right half alone does not exist: halves share a style.
      move(to: CellPoint(column: column, row: row), over: new)
      draw(new[column, row])
      column += max(1, Int(new[column, row].columns))
      if column >= end { cursor = nil }
    }
    if clears {
      move(to: CellPoint(column: blankFrom, row: row), over: new)
      become(.plain)
      send(ControlSequence.clearToEndOfLine)
    }
  }

  /// Leaves the terminal in the plain style, with its cursor where the canvas has it, and hidden while it roams.
  ///
  /// - Parameter wasShown: Whether the cursor was; nil where nobody knows.
  mutating func finish(cursor place: CellPoint?, wasShown: Bool?) {
    become(.plain)
    let hides = wasShown == true && !bytes.isEmpty
    let isShown = hides ? false : wasShown
    if let place {
      if cursor != place { send(ControlSequence.move(to: place)) }
      if isShown != true { send(ControlSequence.set(.cursorShown)) }
    } else if isShown != false {
      send(ControlSequence.reset(.cursorShown))
    }
    let opening = ControlSequence.set(.outputSynchronized) + (hides ? ControlSequence.reset(.cursorShown) : "")
    bytes = Array(opening.utf8) + bytes + Array(ControlSequence.reset(.outputSynchronized).utf8)
  }

  private mutating func draw(_ cell: Cell) {
    become(cell.style)
    cell.character.append(to: &bytes, isUnicode: traits.isUnicode)
    guard let place = cursor else { return }
    let isSure = cell.character.isASCII || !traits.isUnicode || Glyph(cell.character)?.isMeasuredAlikeEverywhere == true
    cursor = isSure ? CellPoint(column: place.column + Int(cell.columns), row: place.row) : nil
  }

  private mutating func become(_ new: CellStyle) {
    var new = new
    new.foreground = new.foreground.reduced(to: traits.colors)
    new.background = new.background.reduced(to: traits.colors)
    send(ControlSequence.style(from: style, to: new, colors: traits.colors))
    style = new
  }

  /// The shortest way to a place.
  private mutating func move(to place: CellPoint, over canvas: Canvas) {
    defer { cursor = place }
    guard let from = cursor, from.row <= place.row else { return send(ControlSequence.move(to: place)) }
    if from == place { return }
    if from.row == place.row, from.column < place.column {
      let gap = (from.column..<place.column).map { canvas[$0, place.row] }
      if gap.count <= Self.gapMax, gap.allSatisfy({ $0.character.isASCII && $0.columns == 1 && $0.style == style }) {
        for cell in gap { draw(cell) }
      } else {
        send(ControlSequence.forward(place.column - from.column))
      }
    } else if place.column == 0, from.row + 1 == place.row {
      send("\r\n")
    } else {
      send(ControlSequence.move(to: place))
    }
  }
}

extension Character {
  /// The character, or where there is nothing but ASCII what comes closest to it and takes as many columns.
  fileprivate func append(to bytes: inout [UInt8], isUnicode: Bool) {
    if isUnicode || isASCII {
      bytes += utf8
    } else if let replacement = Self.replacements[self] {
      bytes.append(replacement)
    } else {
      bytes += Array(repeating: UInt8(ascii: "?"), count: Glyph(self)?.columns ?? 1)
    }
  }

  private static let replacements: [Character: UInt8] = [
    "─": UInt8(ascii: "-"), "│": UInt8(ascii: "|"), "┌": UInt8(ascii: "+"), "┐": UInt8(ascii: "+"),
    "└": UInt8(ascii: "+"), "┘": UInt8(ascii: "+"), "├": UInt8(ascii: "+"), "┤": UInt8(ascii: "+"),
    "…": UInt8(ascii: "~"), "•": UInt8(ascii: "*"), "●": UInt8(ascii: "*"), "○": UInt8(ascii: "o"),
    "✓": UInt8(ascii: "x"), "█": UInt8(ascii: "#"), "░": UInt8(ascii: "."), "▸": UInt8(ascii: ">"),
    "▾": UInt8(ascii: "v"), "‹": UInt8(ascii: "<"), "›": UInt8(ascii: ">"), "▲": UInt8(ascii: "^"),
    "▼": UInt8(ascii: "v"), "\u{A0}": UInt8(ascii: " "), "“": UInt8(ascii: "\""), "”": UInt8(ascii: "\""),
    "‘": UInt8(ascii: "'"), "’": UInt8(ascii: "'"), "–": UInt8(ascii: "-"), "—": UInt8(ascii: "-"),
  ]
}
