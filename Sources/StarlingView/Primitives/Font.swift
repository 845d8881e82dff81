public import Foundation

/// How large and heavy text is. A terminal knows weights and slants; sizes it shows by weight.
public struct Font: Hashable, Sendable {
  package var size: Double
  package var weight: Weight?
  package var isItalic = false
  package var isMonospaced = false
  package var name: String?

  public struct Weight: Hashable, Sendable {
    package let value: Double

    public static let ultraLight = Weight(value: -0.8)
    public static let thin = Weight(value: -0.6)
    public static let light = Weight(value: -0.4)
    public static let regular = Weight(value: 0)
    public static let medium = Weight(value: 0.23)
    public static let semibold = Weight(value: 0.3)
    public static let bold = Weight(value: 0.4)
    public static let heavy = Weight(value: 0.56)
    public static let black = Weight(value: 0.62)
  }

  public enum Design: Hashable, Sendable {
    case `default`
    case serif
    case rounded
    case monospaced
  }

  public enum TextStyle: CaseIterable, Hashable, Sendable {
    case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2
  }

  private init(size: Double, weight: Weight? = nil, design: Design? = nil, name: String? = nil) {
    self.size = size
    self.weight = weight
    isMonospaced = design == .monospaced
    self.name = name
  }

  public static let largeTitle = Font(size: 34, weight: .bold)
  public static let title = Font(size: 28, weight: .bold)
  public static let title2 = Font(size: 22, weight: .bold)
  public static let title3 = Font(size: 20, weight: .semibold)
  public static let headline = Font(size: 17, weight: .semibold)
  public static let subheadline = Font(size: 15)
  public static let body = Font(size: 17)
  public static let callout = Font(size: 16)
  public static let footnote = Font(size: 13)
  public static let caption = Font(size: 12)
  public static let caption2 = Font(size: 11)

  public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font {
    Font(size: size, weight: weight, design: design)
  }

  public static func system(_ style: TextStyle, design: Design? = nil, weight: Weight? = nil) -> Font {
    var font = Self.styles[style] ?? .body
    if design == .monospaced { font.isMonospaced = true }
    if let weight { font.weight = weight }
    return font
  }

  public static func custom(_ name: String, size: CGFloat) -> Font { Font(size: size, name: name) }

  private static let styles: [TextStyle: Font] = [
    .largeTitle: .largeTitle, .title: .title, .title2: .title2, .title3: .title3, .headline: .headline,
    .subheadline: .subheadline, .body: .body, .callout: .callout, .footnote: .footnote, .caption: .caption,
    .caption2: .caption2,
  ]

  public func weight(_ weight: Weight) -> Font {
    var copy = self
    copy.weight = weight
    return copy
  }

  public func bold() -> Font { weight(.bold) }

  public func italic() -> Font {
    var copy = self
    copy.isItalic = true
    return copy
  }

  public func monospaced() -> Font {
    var copy = self
    copy.isMonospaced = true
    return copy
  }

  public func monospacedDigit() -> Font { self }
}
