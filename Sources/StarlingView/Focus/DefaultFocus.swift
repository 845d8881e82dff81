import StarlingBinding

/// Asks for the focus when it comes, where nothing has it.
struct DefaultFocusView<Content: View, Value: Hashable>: PrimitiveView {
  let content: Content
  let storage: FocusStorage<Value>?
  let value: Value

  func compose(in node: Node) -> Composition {
    let asked = node.memory { AskedOnce() }
    if !asked.isDone {
      asked.isDone = true
      let (storage, value) = (storage, value)
      // Once every view inside has said under which value it waits for the focus.
      node.tree.afterward { [weak node] in
        if let node, node.isAlive, node.tree.focus.focused == nil { storage?.request(value) }
      }
    }
    return Composition(content)
  }
}

private final class AskedOnce {
  var isDone = false
}

extension View {
  /// Gives the focus to what has `value` of `binding` when the view comes and nothing has the focus.
  public func defaultFocus<Value: Hashable>(_ binding: FocusState<Value>.Binding, _ value: Value) -> some View {
    DefaultFocusView(content: self, storage: binding.storage, value: value)
  }
}
