/// What pressing a button is for.
public struct ButtonRole: Hashable, Sendable {
  private let name: String

  /// Something is lost by it.
  public static let destructive = ButtonRole(name: "destructive")
  /// Nothing shall happen.
  public static let cancel = ButtonRole(name: "cancel")
}

/// Does something when it is pressed.
public struct Button<Label: View>: View {
  public typealias Body = Never
  private let role: ButtonRole?
  private let action: @MainActor () -> Void
  private let label: Label

  /// Runs `action` on the main actor when the label is pressed.
  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
    self.init(role: nil, action: action, label: label)
  }

  /// Runs `action` on the main actor when the label is pressed; nil is no role.
  public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
    self.role = role
    self.action = action
    self.label = label()
  }
}

extension Button: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    var element = Element(node, .button(role: role))
    element.actions.isFocusable = true
    element.actions.tap = action
    element.style.isPlain = EnvironmentValues(in: node.environment).isButtonPlain
    return Composition(label) { drawn in
      var element = element
      element.children = drawn.all
      return [element]
    }
  }
}

extension Button where Label == Text {
  /// A button with a title.
  public init(_ title: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
    self.init(role: nil, action: action) { Text(title) }
  }

  /// A button with a title.
  @_disfavoredOverload public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {
    self.init(role: nil, action: action) { Text(title) }
  }

  /// A button with a title and a role.
  public init(_ title: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) {
    self.init(role: role, action: action) { Text(title) }
  }

  /// A button with a title and a role.
  @_disfavoredOverload public init(
    _ title: some StringProtocol, role: ButtonRole?, action: @escaping @MainActor () -> Void
  ) {
    self.init(role: role, action: action) { Text(title) }
  }
}

extension Button where Label == StarlingView.Label<Text, Image> {
  /// A button with a title and a picture.
  public init(
    _ title: LocalizedStringKey, systemImage: String, role: ButtonRole? = nil,
    action: @escaping @MainActor () -> Void
  ) {
    self.init(role: role, action: action) { StarlingView.Label(title, systemImage: systemImage) }
  }

  /// A button with a title and a picture.
  @_disfavoredOverload public init(
    _ title: some StringProtocol, systemImage: String, role: ButtonRole? = nil,
    action: @escaping @MainActor () -> Void
  ) {
    self.init(role: role, action: action) { StarlingView.Label(title, systemImage: systemImage) }
  }
}

/// A title and a picture for one thing.
public struct Label<Title: View, Icon: View>: View {
  private let title: Title
  private let icon: Icon

  /// Makes a label of two views.
  public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {
    self.title = title()
    self.icon = icon()
  }

  public var body: some View {
    icon
    title
  }
}

extension Label where Title == Text, Icon == Image {
  /// Makes a label of a title and a picture's name.
  public init(_ title: LocalizedStringKey, systemImage: String) {
    self.init {
      Text(title)
    } icon: {
      Image(systemName: systemImage)
    }
  }

  /// Makes a label of a title and a picture's name.
  @_disfavoredOverload public init(_ title: some StringProtocol, systemImage: String) {
    self.init {
      Text(title)
    } icon: {
      Image(systemName: systemImage)
    }
  }

  /// Makes a label of a title and a picture's name.
  public init(_ title: LocalizedStringKey, image name: String) {
    self.init {
      Text(title)
    } icon: {
      Image(name)
    }
  }
}
