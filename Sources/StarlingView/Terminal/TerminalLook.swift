import StarlingTerminal

/// How what stands inside an element looks: what the elements around it asked for.
struct TerminalLook {
  var style = CellStyle.plain
  var tint = CellColor.indexed(6)
  var lineLimit: Int?
  var alignment = BlockAlignment.leading

  /// The look inside an element.
  func inside(_ style: Style) -> TerminalLook {
    var look = self
    if let color = style.foreground {
      look.style.foreground = CellColor(color, tint: tint)
      if color.isFaint { look.style.attributes.insert(.dim) }
    }
    if let tint = style.tint { look.tint = CellColor(tint, tint: self.tint) }
    if let weight = style.weight ?? style.font?.weight {
      if weight.value >= Font.Weight.semibold.value {
        look.style.attributes.insert(.bold)
      } else {
        look.style.attributes.remove(.bold)
      }
    }
    if style.isItalic || style.font?.isItalic == true { look.style.attributes.insert(.italic) }
    if style.isUnderlined { look.style.attributes.insert(.underlined) }
    if style.isStruckThrough { look.style.attributes.insert(.struckThrough) }
    if style.isDisabled || style.opacity < 0.6 { look.style.attributes.insert(.dim) }
    if let limit = style.lineLimit { look.lineLimit = limit }
    if let alignment = style.textAlignment { look.alignment = BlockAlignment(alignment) }
    return look
  }

  /// With attributes added.
  func with(_ attributes: CellAttributes) -> CellStyle {
    var style = style
    style.attributes.formUnion(attributes)
    return style
  }
}

extension CellColor {
  /// - Parameter tint: What the accent colour is here.
  init(_ color: Color, tint: CellColor) {
    switch color.value {
    case .rgb(let red, let green, let blue):
      func byte(_ part: Double) -> UInt8 { part > 0 ? UInt8((min(part, 1) * 255).rounded()) : 0 }
      self = .rgb(red: byte(red), green: byte(green), blue: byte(blue))
    case .named("accent"): self = tint
    case .named(let name): self = Self.named[name] ?? .standard
    }
  }

  /// Those that the person chose for the terminal, where it has them.
  private static let named: [String: CellColor] = [
    "red": .indexed(1), "green": .indexed(2), "yellow": .indexed(3), "blue": .indexed(4), "purple": .indexed(5),
    "cyan": .indexed(6), "teal": .indexed(6), "white": .indexed(15), "gray": .indexed(8), "black": .indexed(0),
    "orange": .indexed(208), "mint": .indexed(121), "indigo": .indexed(62), "pink": .indexed(205),
    "brown": .indexed(137),
  ]
}

extension Color {
  /// Drawn dim: by a name that says so, or because what is behind it shines through.
  fileprivate var isFaint: Bool {
    value == .named("secondary") || value == .named("tertiary") || alpha < 0.6
  }

  /// Whether nothing of it is seen.
  var isClear: Bool { value == .named("clear") || alpha == 0 }
}

extension BlockAlignment {
  init(_ alignment: TextAlignment) {
    switch alignment {
    case .leading: self = .leading
    case .center: self = .center
    case .trailing: self = .trailing
    }
  }

  init(_ alignment: HorizontalAlignment) {
    switch alignment {
    case .leading: self = .leading
    case .center: self = .center
    case .trailing: self = .trailing
    }
  }

  init(_ alignment: VerticalAlignment) {
    switch alignment {
    case .top, .firstTextBaseline: self = .leading
    case .center: self = .center
    case .bottom, .lastTextBaseline: self = .trailing
    }
  }
}

/// Points as cells: a terminal takes eight by sixteen for a character.
enum TerminalLength {
  static func columns(_ points: Double) -> Int { cells(points, of: 8) }
  static func rows(_ points: Double) -> Int { cells(points, of: 16) }
  static func points(columns: Int) -> Double { Double(columns) * 8 }
  static func points(rows: Int) -> Double { Double(rows) * 16 }

  /// Half a cell is rounded to an even number: a distance of eight points is a column, and no row.
  private static func cells(_ points: Double, of length: Double) -> Int {
    points > 0 ? Int(min(points / length, 1_048_576).rounded(.toNearestOrEven)) : 0
  }
}
