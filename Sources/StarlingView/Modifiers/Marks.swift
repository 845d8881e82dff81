import StarlingModel

/// Changes what a view has drawn, other than its looks.
struct MarkedView<Content: View>: PrimitiveView {
  let content: Content
  let mark: (inout Element) -> Void

  func compose(in node: Node) -> Composition {
    let mark = mark
    return Composition(content) { drawn in
      drawn.all.map { element in
        var element = element
        mark(&element)
        return element
      }
    }
  }
}

extension View {
  /// What choosing the view means, in a picker, a list or a row of tabs.
  public func tag<Value: Hashable>(_ tag: Value) -> some View {
    MarkedView(content: self) { $0.tag = AnyHashable(tag) }
  }

  /// What a person hears in place of what is drawn.
  public func accessibilityLabel(_ label: LocalizedStringKey) -> some View {
    MarkedView(content: self) { $0.accessibilityLabel = label.string }
  }

  /// Names the view for those who cannot see it, and for tests.
  @_disfavoredOverload public func accessibilityLabel(_ label: some StringProtocol) -> some View {
    let label = String(label)
    return MarkedView(content: self) { $0.accessibilityLabel = label }
  }

  /// Names the view for those who cannot see it, and for tests.
  public func accessibilityLabel(_ label: Text) -> some View {
    MarkedView(content: self) { $0.accessibilityLabel = label.content.string }
  }

  /// Takes the view out of what a person hears and names.
  public func accessibilityHidden(_ isHidden: Bool) -> some View {
    MarkedView(content: self) { if isHidden { $0.accessibilityLabel = "" } }
  }

  /// Accepted and without effect.
  public func accessibilityIdentifier(_ identifier: String) -> some View { accepted("accessibilityIdentifier") }

  /// Does something when the view is tapped.
  public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
    TappableView(content: self, action: action)
  }

  /// Makes a place for the focus of the view.
  public func focusable(_ isFocusable: Bool = true) -> some View {
    MarkedView(content: self) { $0.actions.isFocusable = isFocusable }
  }
}

struct TappableView<Content: View>: PrimitiveView {
  let content: Content
  let action: () -> Void

  func compose(in node: Node) -> Composition {
    let action = action
    let isEnabled = node.environment.isEnabled
    return Composition(content) { drawn in
      var element = Element(node, .group, drawn.all)
      element.style.isDisabled = !isEnabled
      element.actions.tap = { action() }
      if drawn.all.count == 1 { element.tag = drawn.all[0].tag }
      return [element]
    }
  }
}
