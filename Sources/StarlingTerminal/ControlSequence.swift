/// The control sequences that are ever written: ECMA-48, and what xterm added to it ("XTerm Control Sequences").
enum ControlSequence {
  static let escape: UInt8 = 0x1B

  /// `ESC [ parameters final`
  static func csi(_ parameters: String, _ final: Unicode.Scalar) -> String { "\u{1B}[\(parameters)\(final)" }

  /// Moves the cursor to a place of the screen, which counts from 1.
  static func move(to place: CellPoint) -> String { csi("\(place.row + 1);\(place.column + 1)", "H") }
  static func forward(_ columns: Int) -> String { csi(columns == 1 ? "" : "\(columns)", "C") }

  static let clearScreen = csi("", "H") + csi("2", "J")
  static let clearToEndOfLine = csi("", "K")

  static func set(_ mode: Mode) -> String { csi("?\(mode.rawValue)", "h") }
  static func reset(_ mode: Mode) -> String { csi("?\(mode.rawValue)", "l") }

  /// The private modes that are turned on and off.
  enum Mode: Int {
    /// Text past the last column goes on in the next line.
    case autowrap = 7
    case cursorShown = 25
    /// Presses, releases and the wheel are reported.
    case mouseButtons = 1000
    /// So are movements with a button down.
    case mouseDrags = 1002
    case focusReported = 1004
    /// Reports of the mouse are decimal numbers, and so reach beyond column 223.
    case mouseDecimal = 1006
    /// The screen beside the one with the scrolled lines; the cursor is saved and restored with it.
    case alternateScreen = 1049
    case pastesBracketed = 2004
    /// What is written is shown at once when the mode ends.
    case outputSynchronized = 2026
  }

  /// Ctrl+I and Tab, Escape and the beginning of a sequence are told apart (the kitty keyboard protocol, first flag).
  static let pushExactKeys = csi(">1", "u")
  static let popExactKeys = csi("<", "u")

  // MARK: Styles

  static let plain = csi("0", "m")

  /// Turns `old` into `new`, in as few parameters as add what is missing, or begin again where something has to go.
  static func style(from old: CellStyle, to new: CellStyle, colors: TerminalTraits.Colors) -> String {
    guard old != new else { return "" }
    var parameters: [String] = []
    var from = old
    let lostColor = { (old: CellColor, new: CellColor) in new == .standard && old != .standard }
    if !from.attributes.isSubset(of: new.attributes) || lostColor(from.foreground, new.foreground)
      || lostColor(from.background, new.background)
    {
      if new == .plain { return plain }
      parameters.append("0")
      from = .plain
    }
    for (attribute, code) in codes where new.attributes.contains(attribute) && !from.attributes.contains(attribute) {
      parameters.append(code)
    }
    if from.foreground != new.foreground { parameters += new.foreground.parameters(base: 30, colors) }
    if from.background != new.background { parameters += new.background.parameters(base: 40, colors) }
    return parameters.isEmpty ? "" : csi(parameters.joined(separator: ";"), "m")
  }

  private static let codes: [(CellAttributes, String)] = [
    (.bold, "1"), (.dim, "2"), (.italic, "3"), (.underlined, "4"), (.reversed, "7"), (.struckThrough, "9"),
  ]
}

extension CellColor {
  /// - Parameter base: 30 for text, 40 for what is behind it.
  fileprivate func parameters(base: Int, _ colors: TerminalTraits.Colors) -> [String] {
    switch reduced(to: colors) {
    case .standard: []
    case .indexed(let index) where index < 8: ["\(base + Int(index))"]
    case .indexed(let index) where index < 16: ["\(base + 60 + Int(index) - 8)"]
    case .indexed(let index): ["\(base + 8)", "5", "\(index)"]
    case .rgb(let red, let green, let blue): ["\(base + 8)", "2", "\(red)", "\(green)", "\(blue)"]
    }
  }

  /// The nearest colour that a terminal of so many has.
  package func reduced(to colors: TerminalTraits.Colors) -> CellColor {
    switch (self, colors) {
    case (.standard, _), (_, .all): self
    case (_, .none): .standard
    case (.indexed(let index), .sixteen) where index >= 16: .indexed(Palette.nearest(to: Palette[index], among: 0..<16))
    case (.indexed, _): self
    case (.rgb(let red, let green, let blue), _):
      // The first sixteen are the person's own choice; what they look like is a guess.
      .indexed(Palette.nearest(to: (red, green, blue), among: colors == .palette ? 16..<256 : 0..<16))
    }
  }
}

/// The palette of 256 as xterm has it.
private enum Palette {
  typealias Shade = (red: UInt8, green: UInt8, blue: UInt8)

  static subscript(_ index: UInt8) -> Shade {
    switch index {
    case 0..<16: return basic[Int(index)]
    case 16..<232:
      let place = Int(index) - 16
      return (steps[place / 36], steps[place / 6 % 6], steps[place % 6])
    default:
      let grey = 8 + 10 * (index - 232)
      return (grey, grey, grey)
    }
  }

  static func nearest(to shade: Shade, among candidates: Range<Int>) -> UInt8 {
    func distance(_ index: Int) -> Int {
      let candidate = Self[UInt8(index)]
      let (red, green, blue) = (
        Int(candidate.red) - Int(shade.red), Int(candidate.green) - Int(shade.green),
        Int(candidate.blue) - Int(shade.blue)
      )
      return red * red + green * green + blue * blue
    }
    return UInt8(candidates.min { distance($0) < distance($1) }!)
  }

  private static let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
  private static let basic: [Shade] = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255),
    (255, 255, 255),
  ]
}
