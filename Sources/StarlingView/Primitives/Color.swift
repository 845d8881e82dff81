/// A colour, or the name of one that the host chooses.
public struct Color: Hashable, Sendable {
  package var value: Value
  package var alpha: Double

  package enum Value: Hashable, Sendable {
    /// From 0 to 1 each.
    case rgb(red: Double, green: Double, blue: Double)
    /// One of the names below, or the user's own.
    case named(String)
  }

  nonisolated package init(_ value: Value, alpha: Double = 1) {
    self.value = value
    self.alpha = alpha
  }

  public enum RGBColorSpace: Hashable, Sendable {
    case sRGB
    case sRGBLinear
    case displayP3
  }

  nonisolated public init(
    _ colorSpace: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1
  ) {
    self.init(.rgb(red: red, green: green, blue: blue), alpha: opacity)
  }

  nonisolated public init(_ colorSpace: RGBColorSpace = .sRGB, white: Double, opacity: Double = 1) {
    self.init(.rgb(red: white, green: white, blue: white), alpha: opacity)
  }

  nonisolated public init(hue: Double, saturation: Double, brightness: Double, opacity: Double = 1) {
    func channel(_ offset: Double) -> Double {
      let position = (offset + hue * 6).truncatingRemainder(dividingBy: 6)
      return brightness * (1 - saturation * max(0, min(position, 4 - position, 1)))
    }
    self.init(.rgb(red: channel(5), green: channel(3), blue: channel(1)), alpha: opacity)
  }

  /// A colour that the host knows by name.
  nonisolated public init(_ name: String) {
    self.init(.named(name))
  }

  nonisolated public func opacity(_ opacity: Double) -> Color { Color(value, alpha: alpha * opacity) }

  /// The colour itself: hosts draw no gradients.
  nonisolated public var gradient: Color { self }
}

extension Color {
  nonisolated public static let red = Color(.named("red"))
  nonisolated public static let orange = Color(.named("orange"))
  nonisolated public static let yellow = Color(.named("yellow"))
  nonisolated public static let green = Color(.named("green"))
  nonisolated public static let mint = Color(.named("mint"))
  nonisolated public static let teal = Color(.named("teal"))
  nonisolated public static let cyan = Color(.named("cyan"))
  nonisolated public static let blue = Color(.named("blue"))
  nonisolated public static let indigo = Color(.named("indigo"))
  nonisolated public static let purple = Color(.named("purple"))
  nonisolated public static let pink = Color(.named("pink"))
  nonisolated public static let brown = Color(.named("brown"))
  nonisolated public static let white = Color(.named("white"))
  nonisolated public static let gray = Color(.named("gray"))
  nonisolated public static let black = Color(.named("black"))
  nonisolated public static let clear = Color(.named("clear"))
  nonisolated public static let primary = Color(.named("primary"))
  nonisolated public static let secondary = Color(.named("secondary"))
  nonisolated public static let tertiary = Color(.named("tertiary"))
  nonisolated public static let accentColor = Color(.named("accent"))
}

extension Color: View {
  public typealias Body = Never
}

extension Color: PrimitiveView {
  package func compose(in node: Node) -> Composition { Composition(Element(node, .fill(self))) }
}

/// What a surface or a text can be drawn in. All of them come to a colour here.
public protocol ShapeStyle: Sendable {
  /// What a host draws it in.
  nonisolated var hostColor: Color { get }
}

extension Color: ShapeStyle {
  nonisolated public var hostColor: Color { self }
}

/// Any style.
public struct AnyShapeStyle: ShapeStyle {
  public let hostColor: Color

  public init(_ style: some ShapeStyle) {
    hostColor = style.hostColor
  }
}

/// A step down in weight from the colour that is current.
public struct HierarchicalShapeStyle: ShapeStyle {
  public let hostColor: Color

  public static let primary = HierarchicalShapeStyle(hostColor: .primary)
  public static let secondary = HierarchicalShapeStyle(hostColor: .secondary)
  public static let tertiary = HierarchicalShapeStyle(hostColor: .tertiary)
  public static let quaternary = HierarchicalShapeStyle(hostColor: .tertiary)
}

/// The colour of what can be used.
public struct TintShapeStyle: ShapeStyle {
  public init() {}
  public var hostColor: Color { .accentColor }
}

/// What lies behind everything.
public struct BackgroundStyle: ShapeStyle {
  public init() {}
  public var hostColor: Color { .clear }
}

/// A translucent surface; a host draws nothing.
public struct Material: ShapeStyle {
  public var hostColor: Color { .clear }

  public static let regular = Material()
  public static let thick = Material()
  public static let thin = Material()
  public static let ultraThin = Material()
  public static let ultraThick = Material()
}

extension ShapeStyle where Self == Color {
  nonisolated public static var red: Color { .init(.named("red")) }
  nonisolated public static var orange: Color { .init(.named("orange")) }
  nonisolated public static var yellow: Color { .init(.named("yellow")) }
  nonisolated public static var green: Color { .init(.named("green")) }
  nonisolated public static var mint: Color { .init(.named("mint")) }
  nonisolated public static var teal: Color { .init(.named("teal")) }
  nonisolated public static var cyan: Color { .init(.named("cyan")) }
  nonisolated public static var blue: Color { .init(.named("blue")) }
  nonisolated public static var indigo: Color { .init(.named("indigo")) }
  nonisolated public static var purple: Color { .init(.named("purple")) }
  nonisolated public static var pink: Color { .init(.named("pink")) }
  nonisolated public static var brown: Color { .init(.named("brown")) }
  nonisolated public static var white: Color { .init(.named("white")) }
  nonisolated public static var gray: Color { .init(.named("gray")) }
  nonisolated public static var black: Color { .init(.named("black")) }
  nonisolated public static var clear: Color { .init(.named("clear")) }
}

extension ShapeStyle where Self == HierarchicalShapeStyle {
  public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle(hostColor: .primary) }
  public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle(hostColor: .secondary) }
  public static var tertiary: HierarchicalShapeStyle { HierarchicalShapeStyle(hostColor: .tertiary) }
  public static var quaternary: HierarchicalShapeStyle { HierarchicalShapeStyle(hostColor: .tertiary) }
}

extension ShapeStyle where Self == TintShapeStyle {
  public static var tint: TintShapeStyle { TintShapeStyle() }
}

extension ShapeStyle where Self == BackgroundStyle {
  public static var background: BackgroundStyle { BackgroundStyle() }
}

extension ShapeStyle where Self == Material {
  public static var regularMaterial: Material { .regular }
  public static var thickMaterial: Material { .thick }
  public static var thinMaterial: Material { .thin }
  public static var ultraThinMaterial: Material { .ultraThin }
  public static var ultraThickMaterial: Material { .ultraThick }
}
