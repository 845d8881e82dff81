public import StarlingBinding

/// How toggles look and what turns them on and off.
///
/// ```swift
/// struct Checklist: ToggleStyle {
///   func makeBody(configuration: Configuration) -> some View {
///     Button(configuration.isOn ? "Done" : "Open") { configuration.isOn.toggle() }
///     configuration.label
///   }
/// }
/// ```
@MainActor @preconcurrency public protocol ToggleStyle {
  /// The type of what the style makes.
  associatedtype Body: View
  /// What the style sees of a toggle.
  typealias Configuration = ToggleStyleConfiguration

  /// What stands in place of a toggle.
  @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
}

/// What a `ToggleStyle` sees of a toggle.
public struct ToggleStyleConfiguration {
  /// What it turns on and off.
  public let label: Label
  /// Whether it is on.
  @Binding public var isOn: Bool
  /// Whether it stands for several values that differ; here never.
  public var isMixed: Bool { false }

  /// What stands beside a toggle.
  public struct Label: View {
    let content: any View
    public var body: some View { StyledPart(content: content) }
  }
}

extension Toggle where Label == ToggleStyleConfiguration.Label {
  /// The toggle that a style sees, as hosts draw it.
  public init(_ configuration: ToggleStyleConfiguration) {
    self.init(isOn: configuration.$isOn) { configuration.label }
  }
}

/// As hosts draw it: a box with a tick.
public struct DefaultToggleStyle: ToggleStyle {
  /// As hosts draw it.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { Toggle(configuration) }
}

/// A switch, drawn as a box with a tick.
public struct SwitchToggleStyle: ToggleStyle {
  /// A switch.
  nonisolated public init() {}
  /// A switch. The colour has no effect.
  nonisolated public init(tint: Color) {}
  public func makeBody(configuration: Configuration) -> some View { Toggle(configuration) }
}

/// A box with a tick.
public struct CheckboxToggleStyle: ToggleStyle {
  /// A box with a tick.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { Toggle(configuration) }
}

/// A button that stays pressed, drawn as a box with a tick.
public struct ButtonToggleStyle: ToggleStyle {
  /// A button that stays pressed.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { Toggle(configuration) }
}

extension ToggleStyle where Self == DefaultToggleStyle {
  /// As hosts draw it.
  nonisolated public static var automatic: DefaultToggleStyle { DefaultToggleStyle() }
}

extension ToggleStyle where Self == SwitchToggleStyle {
  /// A switch, drawn as a box with a tick.
  nonisolated public static var `switch`: SwitchToggleStyle { SwitchToggleStyle() }
}

extension ToggleStyle where Self == CheckboxToggleStyle {
  /// A box with a tick.
  nonisolated public static var checkbox: CheckboxToggleStyle { CheckboxToggleStyle() }
}

extension ToggleStyle where Self == ButtonToggleStyle {
  /// A button that stays pressed, drawn as a box with a tick.
  nonisolated public static var button: ButtonToggleStyle { ButtonToggleStyle() }
}

extension EnvironmentValues {
  private static let toggleStyleKey = EntryKey<(@MainActor (ToggleStyleConfiguration) -> any View)?>(nil)

  /// Nil: as hosts draw it.
  var toggleStyle: (@MainActor (ToggleStyleConfiguration) -> any View)? {
    get { self[Self.toggleStyleKey] }
    set { self[Self.toggleStyleKey] = newValue }
  }
}

extension View {
  /// How toggles inside look.
  public func toggleStyle<Style: ToggleStyle>(_ style: Style) -> some View {
    environment(\.toggleStyle) { StyleBody(style: style, configuration: $0) { $0.makeBody(configuration: $1) } }
  }
}
