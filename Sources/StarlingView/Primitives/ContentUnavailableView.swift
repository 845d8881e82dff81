/// Says that there is nothing to show, why, and what to do.
public struct ContentUnavailableView<Label: View, Description: View, Actions: View>: View {
  private let label: Label
  private let description: Description
  private let actions: Actions

  /// Says it with a label, an explanation and controls.
  public init(
    @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
    @ViewBuilder actions: () -> Actions = { EmptyView() }
  ) {
    self.label = label()
    self.description = description()
    self.actions = actions()
  }

  public var body: some View {
    VStack {
      label.bold()
      description.foregroundStyle(.secondary)
      actions
    }
  }
}

extension ContentUnavailableView
where Label == StarlingView.Label<Text, Image>, Description == Text?, Actions == EmptyView {
  /// Says it with a title, a picture and an explanation.
  public init(_ title: LocalizedStringKey, systemImage: String, description: Text? = nil) {
    self.init(
      label: { StarlingView.Label(title, systemImage: systemImage) }, description: { description },
      actions: { EmptyView() })
  }

  /// Says it with a title, a picture and an explanation.
  @_disfavoredOverload public init(_ title: some StringProtocol, systemImage: String, description: Text? = nil) {
    self.init(
      label: { StarlingView.Label(title, systemImage: systemImage) }, description: { description },
      actions: { EmptyView() })
  }

  /// Says that a search found nothing.
  @MainActor public static var search: ContentUnavailableView {
    ContentUnavailableView("No Results", systemImage: "magnifyingglass")
  }

  /// Says that a search for `text` found nothing.
  @MainActor public static func search(text: String) -> ContentUnavailableView {
    ContentUnavailableView("No Results for “\(text)”", systemImage: "magnifyingglass")
  }
}
