public import Foundation

/// How large and heavy text is. A terminal knows weights and slants; sizes it shows by weight.
public struct Font: Hashable, Sendable {
  package var size: Double
  package var weight: Weight?
  package var isItalic = false
  package var isMonospaced = false
  package var name: String?

  /// How heavy text is.
  public struct Weight: Hashable, Sendable {
    package let value: Double

    /// The weight of that name in type design.
    public static let ultraLight = Weight(value: -0.8)
    /// The weight of that name in type design.
    public static let thin = Weight(value: -0.6)
    /// The weight of that name in type design.
    public static let light = Weight(value: -0.4)
    /// The weight of that name in type design.
    public static let regular = Weight(value: 0)
    /// The weight of that name in type design.
    public static let medium = Weight(value: 0.23)
    /// The weight of that name in type design.
    public static let semibold = Weight(value: 0.3)
    /// The weight of that name in type design.
    public static let bold = Weight(value: 0.4)
    /// The weight of that name in type design.
    public static let heavy = Weight(value: 0.56)
    /// The weight of that name in type design.
    public static let black = Weight(value: 0.62)
  }

  /// What letters look like.
  public enum Design: Hashable, Sendable {
    /// As the system chooses.
    case `default`
    /// With serifs.
    case serif
    /// Rounded.
    case rounded
    /// All characters equally wide.
    case monospaced
  }

  /// What a text is for.
  public enum TextStyle: CaseIterable, Hashable, Sendable {
    /// From the title of a screen to its smallest print.
    case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2
  }

  private init(size: Double, weight: Weight? = nil, design: Design? = nil, name: String? = nil) {
    self.size = size
    self.weight = weight
    isMonospaced = design == .monospaced
    self.name = name
  }

  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let largeTitle = Font(size: 34, weight: .bold)
  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let title = Font(size: 28, weight: .bold)
  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let title2 = Font(size: 22, weight: .bold)
  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let title3 = Font(size: 20, weight: .semibold)
  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let headline = Font(size: 17, weight: .semibold)
  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let subheadline = Font(size: 15)
  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let body = Font(size: 17)
  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let callout = Font(size: 16)
  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let footnote = Font(size: 13)
  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let caption = Font(size: 12)
  /// The font of that role, in the size and weight that Apple's systems have as standard.
  public static let caption2 = Font(size: 11)

  /// The system's font.
  ///
  /// - Parameters:
  ///   - size: In points.
  ///   - weight: How bold it is; nil as the system chooses.
  ///   - design: Its kind, such as monospaced; nil is the system's own.
  public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font {
    Font(size: size, weight: weight, design: design)
  }

  /// The system's font for what a text is for.
  public static func system(_ style: TextStyle, design: Design? = nil, weight: Weight? = nil) -> Font {
    var font = Self.styles[style] ?? .body
    if design == .monospaced { font.isMonospaced = true }
    if let weight { font.weight = weight }
    return font
  }

  /// A font by its name.
  ///
  /// - Parameters:
  ///   - name: The font's name, as the system lists it.
  ///   - size: In points.
  public static func custom(_ name: String, size: CGFloat) -> Font { Font(size: size, name: name) }

  private static let styles: [TextStyle: Font] = [
    .largeTitle: .largeTitle, .title: .title, .title2: .title2, .title3: .title3, .headline: .headline,
    .subheadline: .subheadline, .body: .body, .callout: .callout, .footnote: .footnote, .caption: .caption,
    .caption2: .caption2,
  ]

  /// The font in a weight.
  public func weight(_ weight: Weight) -> Font {
    var copy = self
    copy.weight = weight
    return copy
  }

  /// The font in bold.
  public func bold() -> Font { weight(.bold) }

  /// The font slanted.
  public func italic() -> Font {
    var copy = self
    copy.isItalic = true
    return copy
  }

  /// The font with all characters equally wide.
  public func monospaced() -> Font {
    var copy = self
    copy.isMonospaced = true
    return copy
  }

  /// Accepted and without effect: in a terminal all characters are equally wide.
  public func monospacedDigit() -> Font { self }
}
