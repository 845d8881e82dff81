public import Foundation

// Values of modifiers that are accepted without effect, so that programs that name them compile.

/// How the content of a text changes on Apple's screens.
public struct ContentTransition: Hashable, Sendable {
  private let name: String
  /// At once.
  nonisolated public static let identity = ContentTransition(name: "identity")
  /// It fades.
  nonisolated public static let opacity = ContentTransition(name: "opacity")
  /// It moves.
  nonisolated public static let interpolate = ContentTransition(name: "interpolate")
  /// As a symbol does.
  nonisolated public static let symbolEffect = ContentTransition(name: "symbolEffect")
  /// As numbers roll.
  nonisolated public static func numericText(countsDown: Bool = false) -> ContentTransition { .identity }
  /// As numbers roll.
  nonisolated public static func numericText(value: Double) -> ContentTransition { .identity }
}

/// Which keyboard Apple's phones show.
public struct UIKeyboardType: Hashable, Sendable {
  private let name: String
  /// The usual one.
  nonisolated public static let `default` = UIKeyboardType(name: "default")
  /// For ASCII.
  nonisolated public static let asciiCapable = UIKeyboardType(name: "asciiCapable")
  /// For numbers and signs.
  nonisolated public static let numbersAndPunctuation = UIKeyboardType(name: "numbersAndPunctuation")
  /// For addresses.
  nonisolated public static let URL = UIKeyboardType(name: "URL")
  /// For digits.
  nonisolated public static let numberPad = UIKeyboardType(name: "numberPad")
  /// For telephone numbers.
  nonisolated public static let phonePad = UIKeyboardType(name: "phonePad")
  /// For names and numbers.
  nonisolated public static let namePhonePad = UIKeyboardType(name: "namePhonePad")
  /// For mail addresses.
  nonisolated public static let emailAddress = UIKeyboardType(name: "emailAddress")
  /// For decimal numbers.
  nonisolated public static let decimalPad = UIKeyboardType(name: "decimalPad")
  /// For short messages.
  nonisolated public static let twitter = UIKeyboardType(name: "twitter")
  /// For a search.
  nonisolated public static let webSearch = UIKeyboardType(name: "webSearch")
}

/// What Apple's systems may fill in.
public struct UITextContentType: Hashable, Sendable {
  private let name: String
  /// A field for such a thing.
  nonisolated public static let name = UITextContentType(name: "name")
  /// A field for such a thing.
  nonisolated public static let givenName = UITextContentType(name: "givenName")
  /// A field for such a thing.
  nonisolated public static let familyName = UITextContentType(name: "familyName")
  /// A field for such a thing.
  nonisolated public static let emailAddress = UITextContentType(name: "emailAddress")
  /// A field for such a thing.
  nonisolated public static let username = UITextContentType(name: "username")
  /// A field for such a thing.
  nonisolated public static let password = UITextContentType(name: "password")
  /// A field for such a thing.
  nonisolated public static let newPassword = UITextContentType(name: "newPassword")
  /// A field for such a thing.
  nonisolated public static let oneTimeCode = UITextContentType(name: "oneTimeCode")
  /// A field for such a thing.
  nonisolated public static let telephoneNumber = UITextContentType(name: "telephoneNumber")
  /// A field for such a thing.
  nonisolated public static let fullStreetAddress = UITextContentType(name: "fullStreetAddress")
  /// A field for such a thing.
  nonisolated public static let postalCode = UITextContentType(name: "postalCode")
  /// A field for such a thing.
  nonisolated public static let URL = UITextContentType(name: "URL")
}

/// How what is typed is capitalised by Apple's keyboards, in older programs.
public struct UITextAutocapitalizationType: Hashable, Sendable {
  private let name: String
  /// Nothing.
  nonisolated public static let none = UITextAutocapitalizationType(name: "none")
  /// Words.
  nonisolated public static let words = UITextAutocapitalizationType(name: "words")
  /// Sentences.
  nonisolated public static let sentences = UITextAutocapitalizationType(name: "sentences")
  /// Everything.
  nonisolated public static let allCharacters = UITextAutocapitalizationType(name: "allCharacters")
}

/// How much something stands out.
public struct Prominence: Hashable, Sendable {
  private let name: String
  /// As usual.
  nonisolated public static let standard = Prominence(name: "standard")
  /// More.
  nonisolated public static let increased = Prominence(name: "increased")
}

/// Whether it is shown how far something is scrolled.
public struct ScrollIndicatorVisibility: Hashable, Sendable {
  private let name: String
  /// As the host has it.
  nonisolated public static let automatic = ScrollIndicatorVisibility(name: "automatic")
  /// Yes.
  nonisolated public static let visible = ScrollIndicatorVisibility(name: "visible")
  /// No.
  nonisolated public static let hidden = ScrollIndicatorVisibility(name: "hidden")
  /// Never.
  nonisolated public static let never = ScrollIndicatorVisibility(name: "never")
}

/// Whether scrolling closes a keyboard on the screen.
public struct ScrollDismissesKeyboardMode: Hashable, Sendable {
  private let name: String
  /// As the system has it.
  nonisolated public static let automatic = ScrollDismissesKeyboardMode(name: "automatic")
  /// At once.
  nonisolated public static let immediately = ScrollDismissesKeyboardMode(name: "immediately")
  /// As it is dragged.
  nonisolated public static let interactively = ScrollDismissesKeyboardMode(name: "interactively")
  /// Never.
  nonisolated public static let never = ScrollDismissesKeyboardMode(name: "never")
}

/// In how many colours a symbol is drawn.
public struct SymbolRenderingMode: Hashable, Sendable {
  private let name: String
  /// One.
  nonisolated public static let monochrome = SymbolRenderingMode(name: "monochrome")
  /// Steps of one.
  nonisolated public static let hierarchical = SymbolRenderingMode(name: "hierarchical")
  /// Its own.
  nonisolated public static let multicolor = SymbolRenderingMode(name: "multicolor")
  /// Those that are named.
  nonisolated public static let palette = SymbolRenderingMode(name: "palette")
}

/// In which variant symbols are drawn.
public struct SymbolVariants: Hashable, Sendable {
  private let name: String
  /// As they are.
  nonisolated public static let none = SymbolVariants(name: "none")
  /// Filled.
  nonisolated public static let fill = SymbolVariants(name: "fill")
  /// In a circle.
  nonisolated public static let circle = SymbolVariants(name: "circle")
  /// In a square.
  nonisolated public static let square = SymbolVariants(name: "square")
  /// In a rectangle.
  nonisolated public static let rectangle = SymbolVariants(name: "rectangle")
  /// Crossed out.
  nonisolated public static let slash = SymbolVariants(name: "slash")
  /// The variant, filled.
  public var fill: SymbolVariants { self }
  /// The variant, in a circle.
  public var circle: SymbolVariants { self }
}

/// How high a sheet is on Apple's phones.
public struct PresentationDetent: Hashable, Sendable {
  private let name: String
  /// The whole screen.
  nonisolated public static let large = PresentationDetent(name: "large")
  /// Half of it.
  nonisolated public static let medium = PresentationDetent(name: "medium")
  /// A part of the screen.
  nonisolated public static func fraction(_ fraction: CGFloat) -> PresentationDetent { .large }
  /// So many points.
  nonisolated public static func height(_ height: CGFloat) -> PresentationDetent { .large }
}

/// What a toolbar is for.
public struct ToolbarRole: Hashable, Sendable {
  private let name: String
  /// As the system has it.
  nonisolated public static let automatic = ToolbarRole(name: "automatic")
  /// A browser.
  nonisolated public static let browser = ToolbarRole(name: "browser")
  /// An editor.
  nonisolated public static let editor = ToolbarRole(name: "editor")
  /// A stack.
  nonisolated public static let navigationStack = ToolbarRole(name: "navigationStack")
}

/// In which order a menu stands.
public struct MenuOrder: Hashable, Sendable {
  private let name: String
  /// As the system has it.
  nonisolated public static let automatic = MenuOrder(name: "automatic")
  /// As written.
  nonisolated public static let fixed = MenuOrder(name: "fixed")
  /// What matters first.
  nonisolated public static let priority = MenuOrder(name: "priority")
}

/// The shape of a button's border.
public struct ButtonBorderShape: Hashable, Sendable {
  private let name: String
  /// As the system has it.
  nonisolated public static let automatic = ButtonBorderShape(name: "automatic")
  /// A capsule.
  nonisolated public static let capsule = ButtonBorderShape(name: "capsule")
  /// A rectangle with round corners.
  nonisolated public static let roundedRectangle = ButtonBorderShape(name: "roundedRectangle")
  /// A circle.
  nonisolated public static let circle = ButtonBorderShape(name: "circle")
  /// A rectangle with round corners.
  nonisolated public static func roundedRectangle(radius: CGFloat) -> ButtonBorderShape { .roundedRectangle }
}

/// What a background is for.
public struct ContainerBackgroundPlacement: Hashable, Sendable {
  private let name: String
  /// A stack.
  nonisolated public static let navigation = ContainerBackgroundPlacement(name: "navigation")
  /// Tabs.
  nonisolated public static let tabView = ContainerBackgroundPlacement(name: "tabView")
  /// A widget.
  nonisolated public static let widget = ContainerBackgroundPlacement(name: "widget")
  /// A window.
  nonisolated public static let window = ContainerBackgroundPlacement(name: "window")
}

/// What a person feels on Apple's devices.
public struct SensoryFeedback: Hashable, Sendable {
  private let name: String
  /// Such a touch.
  nonisolated public static let success = SensoryFeedback(name: "success")
  /// Such a touch.
  nonisolated public static let warning = SensoryFeedback(name: "warning")
  /// Such a touch.
  nonisolated public static let error = SensoryFeedback(name: "error")
  /// Such a touch.
  nonisolated public static let selection = SensoryFeedback(name: "selection")
  /// Such a touch.
  nonisolated public static let increase = SensoryFeedback(name: "increase")
  /// Such a touch.
  nonisolated public static let decrease = SensoryFeedback(name: "decrease")
  /// Such a touch.
  nonisolated public static let start = SensoryFeedback(name: "start")
  /// Such a touch.
  nonisolated public static let stop = SensoryFeedback(name: "stop")
  /// Such a touch.
  nonisolated public static let alignment = SensoryFeedback(name: "alignment")
  /// Such a touch.
  nonisolated public static let levelChange = SensoryFeedback(name: "levelChange")
  /// Such a touch.
  nonisolated public static let impact = SensoryFeedback(name: "impact")
}

/// What of a screen belongs to the system.
public struct SafeAreaRegions: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Its bars.
  public static let container = SafeAreaRegions(rawValue: 1)
  /// Its keyboard.
  public static let keyboard = SafeAreaRegions(rawValue: 2)
  /// Both.
  public static let all: SafeAreaRegions = [.container, .keyboard]
}

/// Why something is not shown as it is.
public struct RedactionReasons: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// It is not there yet.
  public static let placeholder = RedactionReasons(rawValue: 1)
  /// It is private.
  public static let privacy = RedactionReasons(rawValue: 2)
}

/// What of two views moves from one to the other.
public struct MatchedGeometryProperties: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Where it stands.
  public static let position = MatchedGeometryProperties(rawValue: 1)
  /// How large it is.
  public static let size = MatchedGeometryProperties(rawValue: 2)
  /// Both.
  public static let frame: MatchedGeometryProperties = [.position, .size]
}

/// How large Apple's systems write.
public enum DynamicTypeSize: Comparable, Hashable, CaseIterable, Sendable {
  /// From the smallest to the largest.
  case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
  /// From the smallest to the largest of those for people who see less.
  case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

  /// Whether it is one for people who see less.
  public var isAccessibilitySize: Bool { self >= .accessibility1 }
}

/// Whether texts can be selected.
public protocol TextSelectability {}

/// Texts can be selected.
public struct EnabledTextSelectability: TextSelectability {}
/// Texts cannot be selected.
public struct DisabledTextSelectability: TextSelectability {}

extension TextSelectability where Self == EnabledTextSelectability {
  /// They can.
  nonisolated public static var enabled: EnabledTextSelectability { EnabledTextSelectability() }
}

extension TextSelectability where Self == DisabledTextSelectability {
  /// They cannot.
  nonisolated public static var disabled: DisabledTextSelectability { DisabledTextSelectability() }
}

extension Text {
  /// Where a text is cut that is too long.
  public enum TruncationMode: Hashable, Sendable {
    /// At its beginning, its end or in between.
    case head, tail, middle
  }
}

/// How a symbol moves on Apple's screens.
public protocol SymbolEffect {}

/// A symbol that bounces.
public struct BounceSymbolEffect: SymbolEffect {}

extension SymbolEffect where Self == BounceSymbolEffect {
  /// A symbol that bounces.
  nonisolated public static var bounce: BounceSymbolEffect { BounceSymbolEffect() }
}

/// A symbol that pulses.
public struct PulseSymbolEffect: SymbolEffect {}

extension SymbolEffect where Self == PulseSymbolEffect {
  /// A symbol that pulses.
  nonisolated public static var pulse: PulseSymbolEffect { PulseSymbolEffect() }
}

/// A symbol that grows or shrinks.
public struct ScaleSymbolEffect: SymbolEffect {}

extension SymbolEffect where Self == ScaleSymbolEffect {
  /// A symbol that grows or shrinks.
  nonisolated public static var scale: ScaleSymbolEffect { ScaleSymbolEffect() }
}

/// A symbol that appears.
public struct AppearSymbolEffect: SymbolEffect {}

extension SymbolEffect where Self == AppearSymbolEffect {
  /// A symbol that appears.
  nonisolated public static var appear: AppearSymbolEffect { AppearSymbolEffect() }
}

/// A symbol that disappears.
public struct DisappearSymbolEffect: SymbolEffect {}

extension SymbolEffect where Self == DisappearSymbolEffect {
  /// A symbol that disappears.
  nonisolated public static var disappear: DisappearSymbolEffect { DisappearSymbolEffect() }
}

/// A symbol that takes its color layer by layer.
public struct VariableColorSymbolEffect: SymbolEffect {}

extension SymbolEffect where Self == VariableColorSymbolEffect {
  /// A symbol that takes its color layer by layer.
  nonisolated public static var variableColor: VariableColorSymbolEffect { VariableColorSymbolEffect() }
}

/// A symbol that is replaced by another.
public struct ReplaceSymbolEffect: SymbolEffect {}

extension SymbolEffect where Self == ReplaceSymbolEffect {
  /// A symbol that is replaced by another.
  nonisolated public static var replace: ReplaceSymbolEffect { ReplaceSymbolEffect() }
}

/// A symbol that wiggles.
public struct WiggleSymbolEffect: SymbolEffect {}

extension SymbolEffect where Self == WiggleSymbolEffect {
  /// A symbol that wiggles.
  nonisolated public static var wiggle: WiggleSymbolEffect { WiggleSymbolEffect() }
}

/// A symbol that turns.
public struct RotateSymbolEffect: SymbolEffect {}

extension SymbolEffect where Self == RotateSymbolEffect {
  /// A symbol that turns.
  nonisolated public static var rotate: RotateSymbolEffect { RotateSymbolEffect() }
}

/// A symbol that grows and shrinks slowly.
public struct BreatheSymbolEffect: SymbolEffect {}

extension SymbolEffect where Self == BreatheSymbolEffect {
  /// A symbol that grows and shrinks slowly.
  nonisolated public static var breathe: BreatheSymbolEffect { BreatheSymbolEffect() }
}
