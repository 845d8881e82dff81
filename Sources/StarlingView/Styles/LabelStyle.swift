/// How labels look, by what it makes of their titles and pictures.
@MainActor @preconcurrency public protocol LabelStyle {
  /// The type of what the style makes.
  associatedtype Body: View
  /// What the style sees of a label.
  typealias Configuration = LabelStyleConfiguration

  /// What is drawn of a label.
  @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
}

/// What a `LabelStyle` sees of a label.
public struct LabelStyleConfiguration {
  /// Its title.
  public let title: Title
  /// Its picture.
  public let icon: Icon

  /// A label's title.
  public struct Title: View {
    let content: any View
    public var body: some View { StyledPart(content: content) }
  }

  /// A label's picture.
  public struct Icon: View {
    let content: any View
    public var body: some View { StyledPart(content: content) }
  }
}

/// Title and picture.
public struct DefaultLabelStyle: LabelStyle {
  /// Title and picture.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View {
    configuration.icon
    configuration.title
  }
}

/// Title and picture.
public struct TitleAndIconLabelStyle: LabelStyle {
  /// Title and picture.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View {
    configuration.icon
    configuration.title
  }
}

/// The title alone.
public struct TitleOnlyLabelStyle: LabelStyle {
  /// The title alone.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { configuration.title }
}

/// The picture alone, which is called by the title.
public struct IconOnlyLabelStyle: LabelStyle {
  /// The picture alone.
  nonisolated public init() {}
  public func makeBody(configuration: Configuration) -> some View { IconView(configuration: configuration) }
}

/// Draws a label's picture, and is called by its title.
private struct IconView: PrimitiveView {
  let configuration: LabelStyleConfiguration

  func compose(in node: Node) -> Composition {
    Composition([Part(configuration.icon, at: .index(0)), Part(configuration.title, at: .index(1))]) { drawn in
      let title = Element.label(of: drawn[1])
      return drawn[0].map { element in
        var element = element
        if !title.isEmpty { element.accessibilityLabel = title }
        return element
      }
    }
  }
}

extension LabelStyle where Self == DefaultLabelStyle {
  /// Title and picture.
  nonisolated public static var automatic: DefaultLabelStyle { DefaultLabelStyle() }
}

extension LabelStyle where Self == TitleAndIconLabelStyle {
  /// Title and picture.
  nonisolated public static var titleAndIcon: TitleAndIconLabelStyle { TitleAndIconLabelStyle() }
}

extension LabelStyle where Self == TitleOnlyLabelStyle {
  /// The title alone.
  nonisolated public static var titleOnly: TitleOnlyLabelStyle { TitleOnlyLabelStyle() }
}

extension LabelStyle where Self == IconOnlyLabelStyle {
  /// The picture alone, which is called by the title.
  nonisolated public static var iconOnly: IconOnlyLabelStyle { IconOnlyLabelStyle() }
}

extension EnvironmentValues {
  private static let labelStyleKey = EntryKey<(@MainActor (LabelStyleConfiguration) -> any View)?>(nil)

  /// Nil: title and picture.
  var labelStyle: (@MainActor (LabelStyleConfiguration) -> any View)? {
    get { self[Self.labelStyleKey] }
    set { self[Self.labelStyleKey] = newValue }
  }
}

extension View {
  /// How labels inside look.
  public func labelStyle<Style: LabelStyle>(_ style: Style) -> some View {
    environment(\.labelStyle) { StyleBody(style: style, configuration: $0) { $0.makeBody(configuration: $1) } }
  }
}
