/// How a cell looks.
package struct CellStyle: Hashable, Sendable {
  package var foreground: CellColor
  package var background: CellColor
  package var attributes: CellAttributes

  package init(
    foreground: CellColor = .standard, background: CellColor = .standard, attributes: CellAttributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  package static let plain = CellStyle()
}

/// A colour as terminals know them.
package enum CellColor: Hashable, Sendable {
  /// Whatever the person chose for text, or for what is behind it.
  case standard
  /// One of a palette of 256: 0 to 15 are the person's own shades of black, red, green, yellow, blue, magenta, cyan
  /// and white, then the same bright; 16 to 231 a cube of 6 × 6 × 6; 232 to 255 greys.
  case indexed(UInt8)
  case rgb(red: UInt8, green: UInt8, blue: UInt8)
}

/// What is done to a cell's text besides its colours.
package struct CellAttributes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let bold = CellAttributes(rawValue: 1)
  package static let dim = CellAttributes(rawValue: 2)
  package static let italic = CellAttributes(rawValue: 4)
  package static let underlined = CellAttributes(rawValue: 8)
  package static let reversed = CellAttributes(rawValue: 16)
  package static let struckThrough = CellAttributes(rawValue: 32)
}
