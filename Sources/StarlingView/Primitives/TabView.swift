public import StarlingBinding

/// Shows one of several views at a time. All of them keep their state.
public struct TabView<SelectionValue: Hashable, Content: View>: View {
  public typealias Body = Never
  private let selection: Binding<SelectionValue>?
  private let content: Content

  /// Shows the view whose tag or value `selection` holds; nil lets the view keep what was chosen.
  public init(selection: Binding<SelectionValue>?, @ViewBuilder content: () -> Content) {
    self.selection = selection
    self.content = content()
  }
}

extension TabView where SelectionValue == Int {
  /// Shows the first view until a person chooses another.
  public init(@ViewBuilder content: () -> Content) {
    self.init(selection: nil, content: content)
  }
}

extension TabView: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let selection = selection
    let own = node.memory { ChosenTab() }
    let selected = selection.map { AnyHashable($0.wrappedValue) }
    return Composition(content) { drawn in
      let tabs = drawn.all
      let place = selected.flatMap { selected in tabs.firstIndex { $0.tag?.means(selected) ?? false } }
      let shown = min(place ?? own.place, max(tabs.count - 1, 0))
      var element = Element(node, .tabs(labels: tabs.map(\.tabLabel), selected: shown))
      element.children = tabs.isEmpty ? [] : [tabs[shown]]
      element.actions.isFocusable = true
      element.actions.choose = { place in
        guard tabs.indices.contains(place) else { return }
        if let selection, let value = tabs[place].tag?.base as? SelectionValue {
          selection.wrappedValue = value
        } else {
          own.place = place
          node.redraw()
        }
      }
      return [element]
    }
  }
}

/// The tab that was chosen where no binding says it.
private final class ChosenTab {
  var place = 0
}

/// What stands on a view's tab.
struct TabItemView<Content: View, Item: View>: PrimitiveView {
  let content: Content
  let item: Item

  func compose(in node: Node) -> Composition {
    Composition([Part(content, at: .index(0)), Part(item, at: .index(1))]) { drawn in
      var element = drawn[0].count == 1 ? drawn[0][0] : Element(node, .group, drawn[0])
      element.tabLabel = drawn[1]
      return [element]
    }
  }
}

extension View {
  /// Sets what stands on the view's tab.
  public func tabItem(@ViewBuilder _ label: () -> some View) -> some View {
    TabItemView(content: self, item: label())
  }
}

/// One of the views of a `TabView`.
public struct Tab<Value: Hashable, Content: View, Label: View>: View {
  private let value: Value?
  private let content: Content
  private let label: Label

  /// A view that is chosen by `value`, and what stands on its tab.
  public init(value: Value, @ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
    self.value = value
    self.content = content()
    self.label = label()
  }

  public var body: some View {
    let item = TabItemView(content: content, item: label)
    if let value { item.tag(value) } else { item }
  }
}

extension Tab where Label == StarlingView.Label<Text, Image> {
  /// A view that is chosen by `value`, with a title and a picture on its tab.
  public init(
    _ title: LocalizedStringKey, systemImage: String, value: Value, @ViewBuilder content: () -> Content
  ) {
    self.init(value: value, content: content) { StarlingView.Label(title, systemImage: systemImage) }
  }

  /// A view with a title and a picture on its tab.
  public init(_ title: LocalizedStringKey, systemImage: String, @ViewBuilder content: () -> Content)
  where Value == Never {
    value = nil
    self.content = content()
    label = StarlingView.Label(title, systemImage: systemImage)
  }
}
