public import StarlingBinding
import StarlingModel

/// Puts a view on top of the stack that it stands in, or into the next column.
public struct NavigationLink<Label: View, Destination: View>: View {
  public typealias Body = Never
  private let target: Target
  private let label: Label

  private enum Target {
    case view(() -> Destination)
    /// Nil leads nowhere.
    case value(AnyHashable?)
    /// Shown as long as a binding says so.
    case presented(Binding<Bool>, () -> Destination)
  }

  /// Leads to `destination` where the label is tapped.
  public init(@ViewBuilder destination: @escaping () -> Destination, @ViewBuilder label: () -> Label) {
    target = .view(destination)
    self.label = label()
  }

  /// Leads to `destination` where the label is tapped.
  public init(destination: @autoclosure @escaping () -> Destination, @ViewBuilder label: () -> Label) {
    target = .view(destination)
    self.label = label()
  }

  /// Leads to `destination` as long as `isActive` says so; a tap sets it.
  public init(
    destination: Destination, isActive: Binding<Bool>, @ViewBuilder label: () -> Label
  ) {
    target = .presented(isActive, { destination })
    self.label = label()
  }

  /// Leads to `destination` while `selection` holds `tag`; a tap sets it.
  public init<Value: Hashable>(
    destination: Destination, tag: Value, selection: Binding<Value?>, @ViewBuilder label: () -> Label
  ) {
    let isActive = Binding<Bool>(
      location: selection.location?.appending(AnyHashable(tag)), read: { selection.wrappedValue == tag },
      write: { isActive in
        if isActive {
          selection.wrappedValue = tag
        } else if selection.wrappedValue == tag {
          selection.wrappedValue = nil
        }
      })
    target = .presented(isActive, { destination })
    self.label = label()
  }
}

extension NavigationLink where Destination == Never {
  /// Leads to the view that `navigationDestination(for:destination:)` declares for values of this type; nil disables the
  /// link. In a list whose selection holds such values, a tap selects it instead.
  public init<Value: Hashable>(value: Value?, @ViewBuilder label: () -> Label) {
    target = .value(value.map { AnyHashable($0) })
    self.label = label()
  }
}

extension NavigationLink where Label == Text, Destination == Never {
  /// Leads to what stands for `value` where the title is tapped.
  public init<Value: Hashable>(_ title: LocalizedStringKey, value: Value?) {
    self.init(value: value) { Text(title) }
  }

  /// Leads to what stands for `value` where the title is tapped.
  @_disfavoredOverload public init<Value: Hashable>(_ title: some StringProtocol, value: Value?) {
    self.init(value: value) { Text(title) }
  }
}

extension NavigationLink where Label == Text {
  /// Leads to `destination` where the title is tapped.
  public init(_ title: LocalizedStringKey, @ViewBuilder destination: @escaping () -> Destination) {
    self.init(destination: destination) { Text(title) }
  }

  /// Leads to `destination` where the title is tapped.
  @_disfavoredOverload public init(
    _ title: some StringProtocol, @ViewBuilder destination: @escaping () -> Destination
  ) {
    self.init(destination: destination) { Text(title) }
  }

  /// Leads to `destination` where the title is tapped.
  public init(_ title: LocalizedStringKey, destination: @autoclosure @escaping () -> Destination) {
    self.init(destination: destination) { Text(title) }
  }

  /// Leads to `destination` where the title is tapped.
  @_disfavoredOverload public init(
    _ title: some StringProtocol, destination: @autoclosure @escaping () -> Destination
  ) {
    self.init(destination: destination) { Text(title) }
  }

  /// Leads to `destination` as long as `isActive` says so; a tap sets it.
  public init(_ title: LocalizedStringKey, destination: Destination, isActive: Binding<Bool>) {
    self.init(destination: destination, isActive: isActive) { Text(title) }
  }
}

extension NavigationLink: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let values = EnvironmentValues(in: node.environment)
    let (trail, isReplacing) = (values.trail, values.replacesTrail)
    var element = Element(node, .button(role: nil))
    element.actions.isFocusable = true
    element.style.isPlain = values.isButtonPlain
    var parts = [Part(label, at: .index(0))]
    switch target {
    case .view(let destination):
      element.actions.tap = { trail?.push(AnyView(destination()), replacing: isReplacing) }
    case .value(let value):
      element.tag = value
      element.isValueLink = true
      if let value {
        element.actions.tap = { trail?.push(value, replacing: isReplacing) }
      } else {
        element.style.isDisabled = true
      }
    case .presented(let isActive, let destination):
      element.actions.tap = { isActive.wrappedValue = true }
      parts.append(
        Part(
          PresentedDestination(content: EmptyView(), isPresented: isActive, destination: destination), at: .index(1)))
    }
    return Composition(parts) { drawn in
      var element = element
      element.children = drawn[0]
      return [element]
    }
  }
}
