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

  /// What the parts of a colour mean. Hosts here take those of all as those of `sRGB`.
  public enum RGBColorSpace: Hashable, Sendable {
    /// The usual one of screens.
    case sRGB
    /// The usual one, its parts linear in light.
    case sRGBLinear
    /// A wider one.
    case displayP3
  }

  /// Makes a colour of its parts, each from 0 to 1.
  nonisolated public init(
    _ colorSpace: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1
  ) {
    self.init(.rgb(red: red, green: green, blue: blue), alpha: opacity)
  }

  /// Makes a grey, from 0, black, to 1, white.
  nonisolated public init(_ colorSpace: RGBColorSpace = .sRGB, white: Double, opacity: Double = 1) {
    self.init(.rgb(red: white, green: white, blue: white), alpha: opacity)
  }

  /// Makes a colour of hue, saturation and brightness, each from 0 to 1.
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

  /// The colour, through which so much more is seen: 0 is not there, 1 is as before.
  nonisolated public func opacity(_ opacity: Double) -> Color { Color(value, alpha: alpha * opacity) }

  /// The colour itself: hosts draw no gradients.
  nonisolated public var gradient: Color { self }
}

extension Color {
  /// The red of the host.
  nonisolated public static let red = Color(.named("red"))
  /// The orange of the host.
  nonisolated public static let orange = Color(.named("orange"))
  /// The yellow of the host.
  nonisolated public static let yellow = Color(.named("yellow"))
  /// The green of the host.
  nonisolated public static let green = Color(.named("green"))
  /// The mint of the host.
  nonisolated public static let mint = Color(.named("mint"))
  /// The teal of the host.
  nonisolated public static let teal = Color(.named("teal"))
  /// The cyan of the host.
  nonisolated public static let cyan = Color(.named("cyan"))
  /// The blue of the host.
  nonisolated public static let blue = Color(.named("blue"))
  /// The indigo of the host.
  nonisolated public static let indigo = Color(.named("indigo"))
  /// The purple of the host.
  nonisolated public static let purple = Color(.named("purple"))
  /// The pink of the host.
  nonisolated public static let pink = Color(.named("pink"))
  /// The brown of the host.
  nonisolated public static let brown = Color(.named("brown"))
  /// The white of the host.
  nonisolated public static let white = Color(.named("white"))
  /// The gray of the host.
  nonisolated public static let gray = Color(.named("gray"))
  /// The black of the host.
  nonisolated public static let black = Color(.named("black"))
  /// No colour.
  nonisolated public static let clear = Color(.named("clear"))
  /// The colour of what is read first.
  nonisolated public static let primary = Color(.named("primary"))
  /// The colour of what is read second.
  nonisolated public static let secondary = Color(.named("secondary"))
  /// The colour of what is read third.
  nonisolated public static let tertiary = Color(.named("tertiary"))
  /// The colour of what can be used.
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

extension ShapeStyle {
  /// The style, through which so much more is seen: 0 is not there, 1 is as before.
  nonisolated public func opacity(_ opacity: Double) -> some ShapeStyle {
    AnyShapeStyle(hostColor.opacity(opacity))
  }
}

extension Color: ShapeStyle {
  /// The colour itself.
  nonisolated public var hostColor: Color { self }
}

/// Any style.
public struct AnyShapeStyle: ShapeStyle {
  public let hostColor: Color

  /// Takes the colour of a style.
  public init(_ style: some ShapeStyle) {
    hostColor = style.hostColor
  }
}

/// A step down in weight from the colour that is current.
public struct HierarchicalShapeStyle: ShapeStyle {
  public let hostColor: Color

  /// The primary step: each is fainter than the one before; the last two are alike here.
  public static let primary = HierarchicalShapeStyle(hostColor: .primary)
  /// The secondary step: each is fainter than the one before; the last two are alike here.
  public static let secondary = HierarchicalShapeStyle(hostColor: .secondary)
  /// The tertiary step: each is fainter than the one before; the last two are alike here.
  public static let tertiary = HierarchicalShapeStyle(hostColor: .tertiary)
  /// The quaternary step: each is fainter than the one before; the last two are alike here.
  public static let quaternary = HierarchicalShapeStyle(hostColor: .tertiary)
}

/// The colour of what can be used.
public struct TintShapeStyle: ShapeStyle {
  /// The colour of what can be used.
  public init() {}
  public var hostColor: Color { .accentColor }
}

/// What lies behind everything.
public struct BackgroundStyle: ShapeStyle {
  /// What lies behind everything.
  public init() {}
  public var hostColor: Color { .clear }
}

/// A translucent surface; a host draws nothing.
public struct Material: ShapeStyle {
  public var hostColor: Color { .clear }

  /// A regular surface: all of them are alike here.
  public static let regular = Material()
  /// A thick surface: all of them are alike here.
  public static let thick = Material()
  /// A thin surface: all of them are alike here.
  public static let thin = Material()
  /// A ultra thin surface: all of them are alike here.
  public static let ultraThin = Material()
  /// A ultra thick surface: all of them are alike here.
  public static let ultraThick = Material()
}

extension ShapeStyle where Self == Color {
  /// The red of the host.
  nonisolated public static var red: Color { .init(.named("red")) }
  /// The orange of the host.
  nonisolated public static var orange: Color { .init(.named("orange")) }
  /// The yellow of the host.
  nonisolated public static var yellow: Color { .init(.named("yellow")) }
  /// The green of the host.
  nonisolated public static var green: Color { .init(.named("green")) }
  /// The mint of the host.
  nonisolated public static var mint: Color { .init(.named("mint")) }
  /// The teal of the host.
  nonisolated public static var teal: Color { .init(.named("teal")) }
  /// The cyan of the host.
  nonisolated public static var cyan: Color { .init(.named("cyan")) }
  /// The blue of the host.
  nonisolated public static var blue: Color { .init(.named("blue")) }
  /// The indigo of the host.
  nonisolated public static var indigo: Color { .init(.named("indigo")) }
  /// The purple of the host.
  nonisolated public static var purple: Color { .init(.named("purple")) }
  /// The pink of the host.
  nonisolated public static var pink: Color { .init(.named("pink")) }
  /// The brown of the host.
  nonisolated public static var brown: Color { .init(.named("brown")) }
  /// The white of the host.
  nonisolated public static var white: Color { .init(.named("white")) }
  /// The gray of the host.
  nonisolated public static var gray: Color { .init(.named("gray")) }
  /// The black of the host.
  nonisolated public static var black: Color { .init(.named("black")) }
  /// No colour.
  nonisolated public static var clear: Color { .init(.named("clear")) }
}

extension ShapeStyle where Self == HierarchicalShapeStyle {
  /// The primary step of weight.
  public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle(hostColor: .primary) }
  /// The secondary step of weight.
  public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle(hostColor: .secondary) }
  /// The tertiary step of weight.
  public static var tertiary: HierarchicalShapeStyle { HierarchicalShapeStyle(hostColor: .tertiary) }
  /// The quaternary step of weight.
  public static var quaternary: HierarchicalShapeStyle { HierarchicalShapeStyle(hostColor: .tertiary) }
}

extension ShapeStyle where Self == TintShapeStyle {
  /// The colour of what can be used.
  public static var tint: TintShapeStyle { TintShapeStyle() }
}

extension ShapeStyle where Self == BackgroundStyle {
  /// What lies behind everything.
  public static var background: BackgroundStyle { BackgroundStyle() }
}

extension ShapeStyle where Self == Material {
  /// A translucent surface: all of them are alike here.
  public static var regularMaterial: Material { .regular }
  /// A translucent surface: all of them are alike here.
  public static var thickMaterial: Material { .thick }
  /// A translucent surface: all of them are alike here.
  public static var thinMaterial: Material { .thin }
  /// A translucent surface: all of them are alike here.
  public static var ultraThinMaterial: Material { .ultraThin }
  /// A translucent surface: all of them are alike here.
  public static var ultraThickMaterial: Material { .ultraThick }
}
