/// A program's settings: shown over it with Control and a comma, by `SettingsLink` or `openSettings`.
public struct Settings<Content: View>: Scene {
  public typealias Body = Never
  private let content: Content

  /// Settings that `content` shows.
  public init(@ViewBuilder content: () -> Content) {
    self.content = content()
  }
}

extension Settings: PrimitiveScene {
  var view: any View {
    EmptyView().background(drawer: content, title: "Settings", key: ",", modifiers: .command, isMenu: false)
  }
}

/// A menu in the bar of Apple's systems: a menu here, opened as those of `commands`.
public struct MenuBarExtra<Content: View>: Scene {
  public typealias Body = Never
  private let title: String
  private let content: Content

  /// A menu under a title. The picture is not drawn.
  public init(_ title: LocalizedStringKey, systemImage: String, @ViewBuilder content: () -> Content) {
    self.title = title.string
    self.content = content()
  }
}

extension MenuBarExtra: PrimitiveScene {
  var view: any View { EmptyView().background(drawer: content, title: title, key: nil) }
}

/// Opens the program's settings: `@Environment(\.openSettings) private var openSettings`, then `openSettings()`.
@MainActor public struct OpenSettingsAction {
  let perform: (@MainActor () -> Void)?

  nonisolated init(_ perform: (@MainActor () -> Void)?) {
    self.perform = perform
  }

  /// Shows the settings; does nothing where the program has none.
  public func callAsFunction() { perform?() }
}

/// A button that opens the program's settings.
public struct SettingsLink<Label: View>: View {
  @Environment(\.openSettings) private var openSettings
  private let label: Label

  /// A button with a label.
  public init(@ViewBuilder label: () -> Label) {
    self.label = label()
  }

  public var body: some View {
    Button {
      openSettings()
    } label: {
      label
    }
  }
}

extension SettingsLink where Label == Text {
  /// “Settings…”.
  public init() {
    self.init { Text("Settings…") }
  }
}

extension EnvironmentValues {
  private static let openSettingsKey = EntryKey(OpenSettingsAction(nil))

  /// Opens the program's settings.
  public internal(set) var openSettings: OpenSettingsAction {
    get { self[Self.openSettingsKey] }
    set { self[Self.openSettingsKey] = newValue }
  }
}
