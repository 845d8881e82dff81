public import StarlingBinding
import StarlingGraph

/// Shows another view over a view, as long as a binding says so.
struct PresentedView<Content: View, Over: View>: PrimitiveView {
  let content: Content
  let isPresented: Binding<Bool>
  let kind: Element.Kind
  let over: () -> Over
  let onDismiss: (() -> Void)?

  func compose(in node: Node) -> Composition {
    let scope = node.memory { EnvironmentScope(parent: node.environment) }
    let shown = node.memory { SeenValue(false) }
    let (isPresented, kind) = (isPresented, kind)
    let isShown = isPresented.wrappedValue
    if shown.value, !isShown, let onDismiss { node.tree.afterward { onDismiss() } }
    shown.value = isShown
    var values = EnvironmentValues(in: node.environment)
    values.isPresented = true
    values.trail = nil
    values.dismiss = DismissAction { isPresented.wrappedValue = false }
    scope.update(values.writes)
    let overPart = isShown ? [Part(over(), at: .index(1), environment: scope)] : []
    return Composition([Part(content, at: .index(0))] + overPart) { drawn in
      guard isShown else { return drawn[0] }
      var shown = Element(node, kind, drawn[1])
      shown.actions.dismiss = { isPresented.wrappedValue = false }
      return drawn[0] + [shown]
    }
  }
}

/// A button of an alert closes it, whatever else it does.
struct AlertActions<Actions: View>: PrimitiveView {
  let actions: Actions
  let isPresented: Binding<Bool>

  func compose(in node: Node) -> Composition {
    let isPresented = isPresented
    return Composition(actions) { drawn in
      guard !drawn.all.isEmpty else {
        var close = Element(node, .button(role: .cancel))
        close.accessibilityLabel = "OK"
        close.actions.isFocusable = true
        close.actions.tap = { isPresented.wrappedValue = false }
        return [close]
      }
      return drawn.all.map { element in
        guard let tap = element.actions.tap else { return element }
        var element = element
        element.actions.tap = {
          tap()
          isPresented.wrappedValue = false
        }
        return element
      }
    }
  }
}

extension View {
  /// Shows a view over this one while `isPresented` is true; `dismiss` in its environment makes it false.
  public func sheet(
    isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> some View
  ) -> some View {
    PresentedView(
      content: self, isPresented: isPresented, kind: .sheet, over: content, onDismiss: onDismiss)
  }

  /// Shows a view over this one while `item` is not nil; `dismiss` in its environment makes it nil.
  public func sheet<Item: Identifiable>(
    item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> some View
  ) -> some View {
    let isPresented = Binding<Bool>(
      location: item.location?.appending("isPresented"), read: { item.wrappedValue != nil },
      write: { if !$0 { item.wrappedValue = nil } })
    return PresentedView(
      content: self, isPresented: isPresented, kind: .sheet,
      over: { item.wrappedValue.map { item in Group { content(item) }.id(item.id) } }, onDismiss: onDismiss)
  }

  /// Asks something over this view as long as `isPresented` says so; each of the buttons sets it to false.
  public func alert(
    _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> some View
  ) -> some View {
    alert(title, isPresented: isPresented, actions: actions) { EmptyView() }
  }

  /// Asks something over this view, with an explanation, as long as `isPresented` says so; each of the buttons sets it
  /// to false.
  public func alert(
    _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> some View,
    @ViewBuilder message: @escaping () -> some View
  ) -> some View {
    alert(Text(title), isPresented: isPresented, actions: actions, message: message)
  }

  /// Asks something over this view, with an explanation. Where it has no buttons, there is one that closes it.
  public func alert<Actions: View, Message: View>(
    _ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> Actions,
    @ViewBuilder message: @escaping () -> Message
  ) -> some View {
    PresentedView(
      content: self, isPresented: isPresented, kind: .alert(title: title.content.string),
      over: {
        Group {
          message()
          AlertActions(actions: actions(), isPresented: isPresented)
        }
      }, onDismiss: nil)
  }
}
