@testable import StarlingTerminal

/// A terminal for tests: as much of one as understands what frames are made of, and stops at anything else.
struct Screen {
  private(set) var canvas: Canvas
  private(set) var isCursorShown = true
  /// What came that a frame must not hold.
  private(set) var complaints: [String] = []
  private(set) var isSynchronized = false
  /// How far this terminal moves on after a glyph; others disagree with us about some.
  private let advance: (Glyph) -> Int
  private var place = CellPoint.zero
  private var style = CellStyle.plain

  init(size: CellSize, advance: @escaping (Glyph) -> Int = { $0.columns }) {
    canvas = Canvas(size: size)
    self.advance = advance
    // What stands on a terminal before is anything.
    for row in 0..<size.rows {
      canvas.write(String(repeating: "?", count: size.columns), at: CellPoint(column: 0, row: row))
    }
  }

  /// What is to be seen, with the cursor if it is shown.
  var shown: Canvas {
    var shown = canvas
    if isCursorShown { shown.showCursor(at: place) }
    return shown
  }

  mutating func read(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return complain("no UTF-8") }
    var rest = text.unicodeScalars[...]
    var written = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar.value >= 0x20, scalar.value != 0x7F {
        written.append(scalar)
        continue
      }
      write(String(written))
      written.removeAll()
      switch scalar {
      case "\r": place.column = 0
      case "\n": place.row += 1
      case "\u{1B}" where rest.popFirst() == "[":
        let parameters = rest.prefix { !(0x40...0x7E).contains($0.value) }
        rest = rest[parameters.endIndex...]
        obey(String(parameters), rest.popFirst() ?? " ")
      default: complain("control \(scalar.value)")
      }
    }
    write(String(written))
    if place.row >= canvas.size.rows { complain("row \(place.row)") }
  }

  private mutating func write(_ text: String) {
    for glyph in text.glyphs {
      if place.column >= canvas.size.columns { complain("column \(place.column)") }
      let wide = CellRect(origin: place, size: CellSize(columns: glyph.columns, rows: 1))
      canvas.fill(wide, style)
      canvas.write([glyph], at: place, style)
      place.column += advance(glyph)
    }
  }

  private mutating func complain(_ what: String) { complaints.append(what) }

  private mutating func obey(_ parameters: String, _ final: Unicode.Scalar) {
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    switch (parameters, final) {
    case (_, "H"):
      place = CellPoint(column: max(1, numbers.last ?? 1) - 1, row: max(1, numbers.first ?? 1) - 1)
      if numbers.count == 1 { place = .zero }
    case (_, "C"): place.column += max(1, numbers.first ?? 1)
    case ("2", "J"): canvas.fill(CellRect(origin: .zero, size: canvas.size), style)
    case ("", "K"):
      canvas.fill(CellRect(column: place.column, row: place.row, columns: canvas.size.columns, rows: 1), style)
    case (_, "m"): restyle(numbers)
    case ("?25", "h"): isCursorShown = true
    case ("?25", "l"): isCursorShown = false
    case ("?2026", "h"): isSynchronized = true
    case ("?2026", "l"): isSynchronized = false
    default: complain("sequence \(parameters)\(final)")
    }
  }

  private mutating func restyle(_ numbers: [Int]) {
    var rest = numbers[...]
    while let number = rest.popFirst() {
      switch number {
      case 0: style = .plain
      case 1: style.attributes.insert(.bold)
      case 2: style.attributes.insert(.dim)
      case 3: style.attributes.insert(.italic)
      case 4: style.attributes.insert(.underlined)
      case 7: style.attributes.insert(.reversed)
      case 9: style.attributes.insert(.struckThrough)
      case 30...37: style.foreground = .indexed(UInt8(number - 30))
      case 40...47: style.background = .indexed(UInt8(number - 40))
      case 90...97: style.foreground = .indexed(UInt8(number - 82))
      case 100...107: style.background = .indexed(UInt8(number - 92))
      case 38: style.foreground = color(&rest)
      case 48: style.background = color(&rest)
      default: complain("style \(number)")
      }
    }
  }

  private mutating func color(_ rest: inout ArraySlice<Int>) -> CellColor {
    func byte(_ number: Int?) -> UInt8 { UInt8(exactly: number ?? -1) ?? 0 }
    switch rest.popFirst() {
    case 5: return .indexed(byte(rest.popFirst()))
    case 2: return .rgb(red: byte(rest.popFirst()), green: byte(rest.popFirst()), blue: byte(rest.popFirst()))
    default:
      complain("colour")
      return .standard
    }
  }
}
