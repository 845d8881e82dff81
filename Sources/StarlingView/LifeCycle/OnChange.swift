import StarlingModel

/// Tells of a value's changes from one pass to the next: of several writes in a transaction, once, with the value
/// before all of them.
struct ChangeView<Content: View, Value: Equatable>: PrimitiveView {
  let content: Content
  let value: Value
  let isInitial: Bool
  let action: (_ old: Value, _ new: Value) -> Void

  func compose(in node: Node) -> Composition {
    let seen = node.memory { SeenValue<Value?>(nil) }
    let (old, new, action) = (seen.value ?? value, value, action)
    let isDue = seen.value == nil ? isInitial : old != new
    seen.value = value
    if isDue {
      node.tree.afterPass { [weak node] in if node?.isAlive == true { action(old, new) } }
    }
    return Composition(content)
  }
}

extension View {
  /// Does something when `value` has changed.
  ///
  /// - Parameters:
  ///   - value: What is compared.
  ///   - initial: Whether `action` also runs when the view appears.
  ///   - action: Called after the views have been evaluated, with the value before the transaction and now.
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
  ) -> some View {
    ChangeView(content: self, value: value, isInitial: initial, action: action)
  }

  /// Does something when `value` has changed.
  public func onChange(of value: some Equatable, initial: Bool = false, _ action: @escaping () -> Void) -> some View {
    ChangeView(content: self, value: value, isInitial: initial) { _, _ in action() }
  }

  /// Tells of a value's changes, with the new value alone.
  @available(*, deprecated, message: "Use onChange(of:initial:_:) with two parameters or none")
  public func onChange<Value: Equatable>(
    of value: Value, perform action: @escaping (_ newValue: Value) -> Void
  ) -> some View {
    ChangeView(content: self, value: value, isInitial: false) { action($1) }
  }
}
