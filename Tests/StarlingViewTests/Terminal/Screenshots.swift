import StarlingTerminal
import StarlingView

/// A host whose terminal is a canvas, and whose person is the test.
@MainActor struct Screenshots {
  let host: TerminalHost
  var columns: Int
  var rows: Int

  init(columns: Int = 30, rows: Int = 8, @ViewBuilder _ content: () -> some View) {
    host = TerminalHost(content)
    self.columns = columns
    self.rows = rows
  }

  init<Program: App>(app: Program.Type, columns: Int = 30, rows: Int = 12) {
    host = TerminalHost(app: app)
    self.columns = columns
    self.rows = rows
  }

  var canvas: Canvas { host.canvas(columns: columns, rows: rows) }

  /// What is read on the screen, rows without text at its end left out.
  var lines: [String] {
    let canvas = canvas
    var lines = (0..<rows).map { canvas.text(ofRow: $0) }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// Presses keys, a frame after each.
  func press(_ keys: Key...) {
    for key in keys {
      host.take(.key(key))
      _ = canvas
    }
  }

  func press(_ code: Key.Code) { press(Key(code)) }

  func type(_ text: String) {
    for character in text { press(Key(character)) }
  }

  /// Presses the mouse over the first cell in which `text` is read.
  func click(_ text: String, _ offset: Int = 0) {
    guard let place = place(of: text) else { return }
    host.take(.mouse(MouseReport(.press(.left), at: CellPoint(column: place.column + offset, row: place.row))))
  }

  func turnWheel(over text: String, by rows: Int) {
    guard let place = place(of: text) else { return }
    host.take(.mouse(MouseReport(.wheel(columns: 0, rows: rows), at: place)))
  }

  private func place(of text: String) -> CellPoint? {
    for (row, line) in lines.enumerated() {
      if let range = line.firstRange(of: text) {
        return CellPoint(column: line[..<range.lowerBound].columns, row: row)
      }
    }
    return nil
  }

  /// The style in which `text` is drawn.
  func style(of text: String) -> CellStyle? {
    place(of: text).map { canvas[$0.column, $0.row].style }
  }
}
