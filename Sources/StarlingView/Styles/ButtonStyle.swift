/// How buttons look, by what it makes of their labels. The button itself stays: it takes keys, taps and the focus.
///
/// ```swift
/// struct Loud: ButtonStyle {
///   func makeBody(configuration: Configuration) -> some View { configuration.label.bold() }
/// }
/// Button("Save") { save() }.buttonStyle(Loud())
/// ```
@MainActor @preconcurrency public protocol ButtonStyle {
  /// The type of what the style makes.
  associatedtype Body: View
  /// What the style sees of a button.
  typealias Configuration = ButtonStyleConfiguration

  /// What is drawn of a button.
  @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
}

/// What a `ButtonStyle` sees of a button.
public struct ButtonStyleConfiguration {
  /// What pressing it is for.
  public let role: ButtonRole?
  /// What stands on it.
  public let label: Label
  /// Always false: hosts here press at once.
  public let isPressed: Bool

  /// What stands on a button.
  public struct Label: View {
    let content: any View
    public var body: some View { StyledPart(content: content) }
  }
}

/// How buttons look and when they act.
@MainActor @preconcurrency public protocol PrimitiveButtonStyle {
  /// The type of what the style makes.
  associatedtype Body: View
  /// What the style sees of a button.
  typealias Configuration = PrimitiveButtonStyleConfiguration

  /// What stands in place of a button, and calls `trigger` when it shall act.
  @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
}

/// What a `PrimitiveButtonStyle` sees of a button.
public struct PrimitiveButtonStyleConfiguration {
  /// What pressing it is for.
  public let role: ButtonRole?
  /// What stands on it.
  public let label: Label
  let action: @MainActor () -> Void

  /// Does what the button is for.
  @MainActor public func trigger() { action() }

  /// What stands on a button.
  public struct Label: View {
    let content: any View
    public var body: some View { StyledPart(content: content) }
  }
}

/// What buttons inside a view look like.
enum ChosenButtonStyle {
  case bordered
  /// As their label alone.
  case plain
  case custom(@MainActor (ButtonStyleConfiguration) -> any View)
  case primitive(@MainActor (PrimitiveButtonStyleConfiguration) -> any View)
}

/// A style that hosts draw themselves.
@MainActor private protocol BuiltInButtonStyle {
  var isPlain: Bool { get }
}

extension PrimitiveButtonStyle where Self: BuiltInButtonStyle {
  fileprivate func button(_ configuration: Configuration) -> some View {
    Button(role: configuration.role, action: configuration.action) { configuration.label }
      .environment(\.chosenButtonStyle, isPlain ? .plain : .bordered)
  }
}

/// The host's choice.
public struct DefaultButtonStyle: PrimitiveButtonStyle, BuiltInButtonStyle {
  fileprivate var isPlain: Bool { false }
  /// The host's choice.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { button(configuration) }
}

/// A button without a border.
public struct PlainButtonStyle: PrimitiveButtonStyle, BuiltInButtonStyle {
  fileprivate var isPlain: Bool { true }
  /// Without a border.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { button(configuration) }
}

/// A button without a border, in the colour of what can be used.
public struct BorderlessButtonStyle: PrimitiveButtonStyle, BuiltInButtonStyle {
  fileprivate var isPlain: Bool { true }
  /// Without a border.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { button(configuration) }
}

/// A button with a border.
public struct BorderedButtonStyle: PrimitiveButtonStyle, BuiltInButtonStyle {
  fileprivate var isPlain: Bool { false }
  /// With a border.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { button(configuration) }
}

/// A button with a border that stands out.
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle, BuiltInButtonStyle {
  fileprivate var isPlain: Bool { false }
  /// With a border.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { button(configuration) }
}

extension PrimitiveButtonStyle where Self == DefaultButtonStyle {
  /// The host's choice.
  nonisolated public static var automatic: DefaultButtonStyle { DefaultButtonStyle() }
}

extension PrimitiveButtonStyle where Self == PlainButtonStyle {
  /// Without a border.
  nonisolated public static var plain: PlainButtonStyle { PlainButtonStyle() }
}

extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
  /// With a border.
  nonisolated public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}

extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
  /// With a border that stands out.
  nonisolated public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}

extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
  /// Without a border, in the colour of what can be used.
  nonisolated public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}

extension EnvironmentValues {
  private static let chosenButtonStyleKey = EntryKey(ChosenButtonStyle.bordered)

  var chosenButtonStyle: ChosenButtonStyle {
    get { self[Self.chosenButtonStyleKey] }
    set { self[Self.chosenButtonStyleKey] = newValue }
  }

  /// Whether buttons are drawn as their label alone.
  var isButtonPlain: Bool {
    switch chosenButtonStyle {
    case .bordered: false
    case .plain, .custom, .primitive: true
    }
  }
}

extension View {
  /// How the labels of buttons inside look.
  public func buttonStyle<Style: ButtonStyle>(_ style: Style) -> some View {
    environment(
      \.chosenButtonStyle,
      .custom { StyleBody(style: style, configuration: $0) { $0.makeBody(configuration: $1) } })
  }

  /// How buttons inside look: those that are plain or have no border are drawn as their label alone.
  public func buttonStyle<Style: PrimitiveButtonStyle>(_ style: Style) -> some View {
    let chosen: ChosenButtonStyle =
      if let builtIn = style as? any BuiltInButtonStyle {
        builtIn.isPlain ? .plain : .bordered
      } else {
        .primitive { StyleBody(style: style, configuration: $0) { $0.makeBody(configuration: $1) } }
      }
    return environment(\.chosenButtonStyle, chosen)
  }
}
