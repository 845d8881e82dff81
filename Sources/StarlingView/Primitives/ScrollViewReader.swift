/// Lets a program bring what stands in a scroll view into sight, by its id.
public struct ScrollViewReader<Content: View>: View {
  public typealias Body = Never
  private let content: (ScrollViewProxy) -> Content

  /// Hands `content` what scrolls its scroll views.
  public init(@ViewBuilder content: @escaping (ScrollViewProxy) -> Content) {
    self.content = content
  }
}

extension ScrollViewReader: PrimitiveView {
  package func compose(in node: Node) -> Composition { Composition(content(ScrollViewProxy(tree: node.tree))) }
}

/// Scrolls the views of a `ScrollViewReader`.
@MainActor public struct ScrollViewProxy {
  weak var tree: ViewTree?

  /// Brings the view with this `.id(_:)`, or the element of a `ForEach` with this id, into sight.
  public func scrollTo(_ id: some Hashable, anchor: UnitPoint? = nil) {
    tree?.scroll(to: AnyHashable(id))
  }
}
