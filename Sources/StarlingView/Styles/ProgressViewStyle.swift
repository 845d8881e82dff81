/// How progress is shown.
@MainActor @preconcurrency public protocol ProgressViewStyle {
  /// The type of what the style makes.
  associatedtype Body: View
  /// What the style sees of a progress view.
  typealias Configuration = ProgressViewStyleConfiguration

  /// What stands in place of a progress view.
  @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
}

/// What a `ProgressViewStyle` sees of a progress view.
public struct ProgressViewStyleConfiguration {
  /// How much is done, from 0 to 1; nil where it is not known.
  public let fractionCompleted: Double?
  /// What is done.
  public var label: Label?
  /// What is said of how much is done; here nothing.
  public var currentValueLabel: CurrentValueLabel?

  /// What stands beside a progress view.
  public struct Label: View {
    let content: any View
    public var body: some View { StyledPart(content: content) }
  }

  /// What is said of how much is done.
  public struct CurrentValueLabel: View {
    let content: any View
    public var body: some View { StyledPart(content: content) }
  }
}

/// As hosts draw it: a bar.
public struct DefaultProgressViewStyle: ProgressViewStyle {
  /// As hosts draw it.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { ProgressView(configuration) }
}

/// A bar.
public struct LinearProgressViewStyle: ProgressViewStyle {
  /// A bar.
  nonisolated public init() {}
  /// A bar. The colour has no effect.
  nonisolated public init(tint: Color) {}
  public func makeBody(configuration: Configuration) -> some View { ProgressView(configuration) }
}

/// A circle, drawn as a bar.
public struct CircularProgressViewStyle: ProgressViewStyle {
  /// A circle.
  nonisolated public init() {}
  /// A circle. The colour has no effect.
  nonisolated public init(tint: Color) {}
  public func makeBody(configuration: Configuration) -> some View { ProgressView(configuration) }
}

extension ProgressViewStyle where Self == DefaultProgressViewStyle {
  /// As hosts draw it.
  nonisolated public static var automatic: DefaultProgressViewStyle { DefaultProgressViewStyle() }
}

extension ProgressViewStyle where Self == LinearProgressViewStyle {
  /// A bar.
  nonisolated public static var linear: LinearProgressViewStyle { LinearProgressViewStyle() }
}

extension ProgressViewStyle where Self == CircularProgressViewStyle {
  /// A circle, drawn as a bar.
  nonisolated public static var circular: CircularProgressViewStyle { CircularProgressViewStyle() }
}

extension EnvironmentValues {
  private static let progressViewStyleKey = EntryKey<(@MainActor (ProgressViewStyleConfiguration) -> any View)?>(nil)

  /// Nil: as hosts draw it.
  var progressViewStyle: (@MainActor (ProgressViewStyleConfiguration) -> any View)? {
    get { self[Self.progressViewStyleKey] }
    set { self[Self.progressViewStyleKey] = newValue }
  }
}

extension View {
  /// How progress views inside look.
  public func progressViewStyle<Style: ProgressViewStyle>(_ style: Style) -> some View {
    environment(\.progressViewStyle) { StyleBody(style: style, configuration: $0) { $0.makeBody(configuration: $1) } }
  }
}
