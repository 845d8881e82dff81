/// Puts views over or under another.
struct LayeredView<Content: View, Other: View>: PrimitiveView {
  let content: Content
  let other: Other
  let alignment: Alignment
  let isOver: Bool

  func compose(in node: Node) -> Composition {
    let (alignment, isOver) = (alignment, isOver)
    return Composition([Part(content, at: .index(0)), Part(other, at: .index(1))]) { drawn in
      if drawn[1].isEmpty { return drawn[0] }
      return [
        Element(node, .overlay(alignment: alignment), isOver ? drawn[0] + drawn[1] : drawn[1] + drawn[0])
      ]
    }
  }
}

extension View {
  /// Puts views over this one, in whose space they stand.
  public func overlay(alignment: Alignment = .center, @ViewBuilder content: () -> some View) -> some View {
    LayeredView(content: self, other: content(), alignment: alignment, isOver: true)
  }

  /// Puts a view over this one, in whose space it stands.
  public func overlay(_ overlay: some View, alignment: Alignment = .center) -> some View {
    LayeredView(content: self, other: overlay, alignment: alignment, isOver: true)
  }

  /// Puts views under this one, in whose space they stand.
  public func background(alignment: Alignment = .center, @ViewBuilder content: () -> some View) -> some View {
    LayeredView(content: self, other: content(), alignment: alignment, isOver: false)
  }

  /// Puts a view under this one, in whose space it stands.
  @_disfavoredOverload
  public func background(_ background: some View, alignment: Alignment = .center) -> some View {
    LayeredView(content: self, other: background, alignment: alignment, isOver: false)
  }
}
