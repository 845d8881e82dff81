import StarlingTerminal
public import Foundation

/// A stack side by side, for `AnyLayout`.
public struct HStackLayout: Layout {
  /// Where views of different heights stand.
  public var alignment: VerticalAlignment
  /// Points between two views; nil as the host chooses.
  public var spacing: CGFloat?

  /// A stack side by side.
  public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil) {
    self.alignment = alignment
    self.spacing = spacing
  }

  public func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) -> CGSize {
    let sizes = subviews.map { $0.sizeThatFits(.unspecified) }
    let gaps = (spacing ?? 8) * CGFloat(Swift.max(0, sizes.count - 1))
    return CGSize(width: sizes.reduce(gaps) { $0 + $1.width }, height: sizes.map(\.height).max() ?? 0)
  }

  public func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) {
    var x = bounds.minX
    for subview in subviews {
      let size = subview.dimensions(in: .unspecified)
      let y = bounds.minY + ViewDimensions(width: 0, height: bounds.height)[alignment] - size[alignment]
      subview.place(at: CGPoint(x: x, y: y), proposal: ProposedViewSize(width: size.width, height: size.height))
      x += size.width + (spacing ?? 8)
    }
  }
}

/// A stack one below the other, for `AnyLayout`.
public struct VStackLayout: Layout {
  /// Where views of different widths stand.
  public var alignment: HorizontalAlignment
  /// Points between two views; nil as the host chooses.
  public var spacing: CGFloat?

  /// A stack one below the other.
  public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil) {
    self.alignment = alignment
    self.spacing = spacing
  }

  public func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) -> CGSize {
    let sizes = subviews.map { $0.sizeThatFits(ProposedViewSize(width: proposal.width, height: nil)) }
    let gaps = (spacing ?? 0) * CGFloat(Swift.max(0, sizes.count - 1))
    return CGSize(width: sizes.map(\.width).max() ?? 0, height: sizes.reduce(gaps) { $0 + $1.height })
  }

  public func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) {
    var y = bounds.minY
    for subview in subviews {
      let size = subview.dimensions(in: ProposedViewSize(width: bounds.width, height: nil))
      let x = bounds.minX + ViewDimensions(width: bounds.width, height: 0)[alignment] - size[alignment]
      subview.place(at: CGPoint(x: x, y: y), proposal: ProposedViewSize(width: size.width, height: size.height))
      y += size.height + (spacing ?? 0)
    }
  }
}

/// Views over each other, for `AnyLayout`.
public struct ZStackLayout: Layout {
  /// Where views stand that are smaller than the largest.
  public var alignment: Alignment

  /// Views over each other.
  public init(alignment: Alignment = .center) {
    self.alignment = alignment
  }

  public func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) -> CGSize {
    let sizes = subviews.map { $0.sizeThatFits(proposal) }
    return CGSize(width: sizes.map(\.width).max() ?? 0, height: sizes.map(\.height).max() ?? 0)
  }

  public func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) {
    let whole = ViewDimensions(width: bounds.width, height: bounds.height)
    for subview in subviews {
      let size = subview.dimensions(in: proposal)
      let x = bounds.minX + whole[alignment.horizontal] - size[alignment.horizontal]
      let y = bounds.minY + whole[alignment.vertical] - size[alignment.vertical]
      subview.place(at: CGPoint(x: x, y: y), proposal: proposal)
    }
  }
}

/// Any layout. The views keep their state when it becomes another.
public struct AnyLayout {
  private let place: @MainActor (AnyView) -> AnyView

  /// Forgets a layout's type.
  @MainActor public init<Arranging: Layout>(_ layout: Arranging) {
    place = { AnyView(KeptLayoutView(arrange: { LayoutCells(layout: layout, values: $0) }, content: $0)) }
  }

  /// Places the views of a closure.
  @MainActor public func callAsFunction(@ViewBuilder _ content: () -> some View) -> some View {
    place(AnyView(content()))
  }
}

/// Views that a layout of any type places: the same view, whatever the layout is.
private struct KeptLayoutView: PrimitiveView {
  let arrange: ([[ObjectIdentifier: Any]]) -> any BlockArrangement
  let content: AnyView

  func compose(in node: Node) -> Composition {
    let arrange = arrange
    return Composition(content) { drawn in
      [Element(node, .arranged(arrange(drawn.all.map(\.layoutValues))), drawn.all)]
    }
  }
}

/// The first of several views that fits. Hosts here show the first.
public struct ViewThatFits<Content: View>: View {
  private let content: Content

  /// Shows the first view of `content`.
  public init(in axes: Axis.Set = [.horizontal, .vertical], @ViewBuilder content: () -> Content) {
    WithoutEffect.report("ViewThatFits")
    self.content = content()
  }

  public var body: some View {
    if let several = content as? any SeveralViews { several.firstView } else { content }
  }
}
