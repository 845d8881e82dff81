public import StarlingBinding

/// Turns something on and off. Reads its binding in a scope of its own.
public struct Toggle<Label: View>: View {
  public typealias Body = Never
  private let isOn: Binding<Bool>
  private let label: Label

  /// Turns `isOn` on and off, under a label.
  public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {
    self.isOn = isOn
    self.label = label()
  }
}

extension Toggle: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let isOn = isOn
    if let style = EnvironmentValues(in: node.environment).toggleStyle {
      let configuration = ToggleStyleConfiguration(label: .init(content: label), isOn: isOn)
      return Composition(styled: style(configuration), in: node) { $0.toggleStyle = nil }
    }
    var element = Element(node, .toggle(isOn: isOn.wrappedValue))
    element.actions.isFocusable = true
    element.actions.tap = { isOn.wrappedValue.toggle() }
    return Composition(label) { drawn in
      var element = element
      element.children = drawn.all
      return [element]
    }
  }
}

extension Toggle where Label == Text {
  /// Turns `isOn` on and off, under a title.
  public init(_ title: LocalizedStringKey, isOn: Binding<Bool>) {
    self.init(isOn: isOn) { Text(title) }
  }

  /// Turns `isOn` on and off, under a title.
  @_disfavoredOverload public init(_ title: some StringProtocol, isOn: Binding<Bool>) {
    self.init(isOn: isOn) { Text(title) }
  }
}

extension Toggle where Label == StarlingView.Label<Text, Image> {
  /// Turns `isOn` on and off, under a title and a picture.
  @_disfavoredOverload public init(_ title: some StringProtocol, systemImage: String, isOn: Binding<Bool>) {
    self.init(isOn: isOn) { StarlingView.Label(title, systemImage: systemImage) }
  }

  /// Turns `isOn` on and off, under a title and a picture.
  public init(_ title: LocalizedStringKey, systemImage: String, isOn: Binding<Bool>) {
    self.init(isOn: isOn) { StarlingView.Label(title, systemImage: systemImage) }
  }
}
