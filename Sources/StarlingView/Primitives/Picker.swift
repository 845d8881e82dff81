public import StarlingBinding

/// Chooses one of several, by the tags of the options.
public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: View {
  public typealias Body = Never
  private let label: Label
  private let selection: Binding<SelectionValue>
  private let content: Content

  /// Chooses among `content` under a label; the option whose tag `selection` holds is chosen.
  public init(
    selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label
  ) {
    self.label = label()
    self.selection = selection
    self.content = content()
  }
}

extension Picker: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let selection = selection
    let selected = AnyHashable(selection.wrappedValue)
    let element = Element(node, .picker(selected: nil, label: []))
    return Composition([Part(content, at: .index(0)), Part(label, at: .index(1))]) { drawn in
      var element = element
      let options = drawn[0]
      element.kind = .picker(
        selected: options.firstIndex { $0.tag?.means(selected) ?? false }, label: drawn[1])
      element.children = options
      element.actions.isFocusable = true
      element.actions.choose = { place in
        guard options.indices.contains(place), let tag = options[place].tag,
          let value = tag.base as? SelectionValue
        else { return }
        selection.wrappedValue = value
      }
      return [element]
    }
  }
}

extension AnyHashable {
  /// Whether a tag stands for a selected value, which may be optional where the tag is not.
  func means(_ selected: AnyHashable) -> Bool {
    self == selected || (selected.base as? any OptionalContent)?.contentIfAny == self
  }
}

protocol OptionalContent {
  var contentIfAny: AnyHashable? { get }
}

extension Optional: OptionalContent {
  var contentIfAny: AnyHashable? { flatMap { $0 as? AnyHashable } }
}

extension Picker where Label == Text {
  /// Chooses among `content` under a title.
  public init(
    _ title: LocalizedStringKey, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
  ) {
    self.init(selection: selection, content: content) { Text(title) }
  }

  /// Chooses among `content` under a title.
  @_disfavoredOverload public init(
    _ title: some StringProtocol, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
  ) {
    self.init(selection: selection, content: content) { Text(title) }
  }
}
