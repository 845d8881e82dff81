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
    let chosen = EnvironmentValues(in: node.environment).chosenButtonStyle
    let button: @MainActor (Drawn) -> [Element] = { drawn in
      var element = element
      element.children = drawn.all
      return [element]
    }
    switch chosen {
    case .bordered: return Composition(label, draw: button)
    case .plain:
      element.style.isPlain = true
      return Composition(label, draw: button)
    case .custom(let make):
      element.style.isPlain = true
      let configuration = ButtonStyleConfiguration(role: role, label: .init(content: label), isPressed: false)
      return Composition(styled: make(configuration), in: node, { _ in }, draw: button)
    case .primitive(let make):
      let configuration = PrimitiveButtonStyleConfiguration(
        role: role, label: .init(content: label), action: action)
      return Composition(styled: make(configuration), in: node) { $0.chosenButtonStyle = .bordered }
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
  public typealias Body = Never
  private let title: Title
  private let icon: Icon

  /// Makes a label of two views.
  public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {
    self.title = title()
    self.icon = icon()
  }
}

extension Label: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    guard let style = EnvironmentValues(in: node.environment).labelStyle else {
      return Composition([Part(icon, at: .index(0)), Part(title, at: .index(1))])
    }
    let configuration = LabelStyleConfiguration(title: .init(content: title), icon: .init(content: icon))
    return Composition(styled: style(configuration), in: node) { $0.labelStyle = nil }
  }
}

extension Label where Title == LabelStyleConfiguration.Title, Icon == LabelStyleConfiguration.Icon {
  /// The label that a style sees, as hosts draw it.
  public init(_ configuration: LabelStyleConfiguration) {
    self.init {
      configuration.title
    } icon: {
      configuration.icon
    }
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
  @_disfavoredOverload public init(_ title: some StringProtocol, image name: String) {
    self.init {
      Text(title)
    } icon: {
      Image(name)
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
