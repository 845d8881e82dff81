import StarlingModel

/// Says when a view comes and goes.
struct AppearanceView<Content: View>: PrimitiveView {
  let content: Content
  let onAppear: (() -> Void)?
  let onDisappear: (() -> Void)?

  func compose(in node: Node) -> Composition {
    let latest = node.memory { AppearanceActions() }
    let isNew = !latest.isKnown
    latest.isKnown = true
    latest.onDisappear = onDisappear
    if isNew {
      let onAppear = onAppear
      node.tree.afterward { [weak node] in if node?.isAlive == true { onAppear?() } }
      node.onRemoval { latest.onDisappear?() }
    }
    return Composition(content)
  }
}

/// What is to be done as the view was last described.
private final class AppearanceActions {
  var isKnown = false
  var onDisappear: (() -> Void)?
}

extension View {
  /// Does something when the view has come into the tree, after everything was evaluated.
  public func onAppear(perform action: (() -> Void)? = nil) -> some View {
    AppearanceView(content: self, onAppear: action, onDisappear: nil)
  }

  /// Does something when the view has gone from the tree.
  public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
    AppearanceView(content: self, onAppear: nil, onDisappear: action)
  }
}
