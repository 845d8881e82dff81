public import Foundation

/// Puts a layer on what a view draws.
struct StyledView<Content: View>: PrimitiveView {
  let content: Content
  let layer: Style.Layer
  let change: (inout Style) -> Void

  func compose(in node: Node) -> Composition {
    let (layer, change) = (layer, change)
    return Composition(content) { drawn in drawn.all.map { $0.styled(layer, in: node, change) } }
  }
}

/// Puts a layer on that can be shown on its way from one value to another.
struct MovingView<Content: View, Data: VectorArithmetic>: PrimitiveView, @MainActor Animatable {
  let content: Content
  let layer: Style.Layer
  var animatableData: Data
  let change: (inout Style, Data) -> Void

  func compose(in node: Node) -> Composition {
    let (layer, data, change) = (layer, animatableData, change)
    return Composition(content) { drawn in drawn.all.map { $0.styled(layer, in: node) { change(&$0, data) } } }
  }
}

extension View {
  func styled(_ layer: Style.Layer, _ change: @escaping (inout Style) -> Void) -> some View {
    StyledView(content: self, layer: layer, change: change)
  }

  // MARK: Text

  /// The font of texts inside that name none.
  public func font(_ font: Font?) -> some View {
    EnvironmentView(content: styled(.content) { $0.font = $0.font ?? font }) { $0.font = font }
  }

  /// How heavy texts inside are that do not say it.
  public func fontWeight(_ weight: Font.Weight?) -> some View { styled(.content) { $0.weight = $0.weight ?? weight } }
  /// Makes texts inside bold that name no weight.
  public func bold(_ isActive: Bool = true) -> some View { fontWeight(isActive ? .bold : nil) }
  /// Makes texts inside slanted.
  public func italic(_ isActive: Bool = true) -> some View {
    styled(.content) { $0.isItalic = $0.isItalic || isActive }
  }

  /// Underlines texts inside. The colour has no effect.
  public func underline(_ isActive: Bool = true, color: Color? = nil) -> some View {
    styled(.content) { $0.isUnderlined = $0.isUnderlined || isActive }
  }

  /// Strikes texts inside through. The colour has no effect.
  public func strikethrough(_ isActive: Bool = true, color: Color? = nil) -> some View {
    styled(.content) { $0.isStruckThrough = $0.isStruckThrough || isActive }
  }

  /// How many lines a text inside may have; nil for any number. The innermost number counts.
  public func lineLimit(_ number: Int?) -> some View {
    EnvironmentView(content: styled(.content) { $0.lineLimit = $0.lineLimit ?? number }) { $0.lineLimit = number }
  }

  /// Where the lines of texts inside stand.
  public func multilineTextAlignment(_ alignment: TextAlignment) -> some View {
    styled(.content) { $0.textAlignment = $0.textAlignment ?? alignment }
  }

  /// Accepted and without effect: in a terminal all characters are equally wide.
  public func monospacedDigit() -> some View { accepted("monospacedDigit") }

  // MARK: Colour

  /// Draws what is inside in a colour, where it names none.
  public func foregroundStyle(_ style: some ShapeStyle) -> some View {
    let color = style.hostColor
    return styled(.content) { $0.foreground = $0.foreground ?? color }
  }

  /// Draws what is inside in a colour, where it names none.
  public func foregroundColor(_ color: Color?) -> some View {
    styled(.content) { $0.foreground = $0.foreground ?? color }
  }

  /// The colour of what can be used inside.
  public func tint(_ tint: Color?) -> some View { styled(.content) { $0.tint = $0.tint ?? tint } }

  /// The colour of what can be used inside.
  public func tint(_ style: some ShapeStyle) -> some View { tint(style.hostColor as Color?) }

  /// The colour of what can be used inside.
  public func accentColor(_ color: Color?) -> some View { tint(color) }

  /// Fills the space behind the view with a colour.
  public func background(_ style: some ShapeStyle) -> some View {
    let color = style.hostColor
    return styled(.background) { $0.background = color }
  }

  /// Draws a line around the view, `width` points wide.
  public func border(_ style: some ShapeStyle, width: CGFloat = 1) -> some View {
    let border = Style.Border(color: style.hostColor, width: Double(width))
    return styled(.border) { $0.border = border }
  }

  /// Rounds the corners of the view's border, by a radius in points.
  public func cornerRadius(_ radius: CGFloat) -> some View { styled(.border) { $0.cornerRadius = Double(radius) } }

  // MARK: Space

  /// Leaves space around the view, for each side in points.
  public func padding(_ insets: EdgeInsets) -> some View { styled(.padding) { $0.padding = insets } }

  /// Leaves space at some sides of the view, in points; nil is 16.
  public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View {
    let length = length ?? 16
    return padding(
      EdgeInsets(
        top: edges.contains(.top) ? length : 0, leading: edges.contains(.leading) ? length : 0,
        bottom: edges.contains(.bottom) ? length : 0, trailing: edges.contains(.trailing) ? length : 0))
  }

  /// Leaves space around the view, in points.
  public func padding(_ length: CGFloat) -> some View { padding(.all, length) }

  /// Gives the view a width and a height in points, and a position in them; nil leaves the view its own.
  public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View {
    MovingView(
      content: self, layer: .frame, animatableData: AnimatablePair(width ?? 0, height ?? 0),
      change: { style, size in
        style.frame.width = width == nil ? nil : Double(size.first)
        style.frame.height = height == nil ? nil : Double(size.second)
        style.frame.alignment = alignment
      })
  }

  /// Bounds the view's width and height, in points; nil sets no bound.
  public func frame(
    minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
    idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
  ) -> some View {
    let frame = Style.Frame(
      minWidth: minWidth.map { Double($0) }, width: idealWidth.map { Double($0) },
      maxWidth: maxWidth.map { Double($0) }, minHeight: minHeight.map { Double($0) },
      height: idealHeight.map { Double($0) }, maxHeight: maxHeight.map { Double($0) }, alignment: alignment)
    return styled(.frame) { $0.frame = frame }
  }

  /// Accepted and without effect.
  public func fixedSize() -> some View { accepted("fixedSize") }
  /// Accepted and without effect.
  public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { accepted("fixedSize") }
  /// Accepted and without effect.
  public func layoutPriority(_ value: Double) -> some View { accepted("layoutPriority") }
  /// Accepted and without effect: a terminal has no edge to keep away from.
  public func ignoresSafeArea() -> some View { accepted("ignoresSafeArea") }

  // MARK: Effects

  /// How much of the view is seen: from 0, nothing, to 1, all.
  public func opacity(_ opacity: Double) -> some View {
    MovingView(content: self, layer: .effect, animatableData: opacity) { $0.opacity *= $1 }
  }

  /// Scales the view alike both ways; 1 is its own size.
  public func scaleEffect(_ scale: CGFloat, anchor: UnitPoint = .center) -> some View {
    scaleEffect(x: scale, y: scale, anchor: anchor)
  }

  /// Scales the view each way; 1 is its own size.
  public func scaleEffect(_ scale: CGSize, anchor: UnitPoint = .center) -> some View {
    scaleEffect(x: scale.width, y: scale.height, anchor: anchor)
  }

  /// Scales the view each way; 1 is its own size.
  public func scaleEffect(x: CGFloat = 1, y: CGFloat = 1, anchor: UnitPoint = .center) -> some View {
    MovingView(content: self, layer: .effect, animatableData: AnimatablePair(x, y)) { style, scale in
      style.scale.width *= Double(scale.first)
      style.scale.height *= Double(scale.second)
    }
  }

  /// Moves the view, in points; those beside it stay.
  public func offset(x: CGFloat = 0, y: CGFloat = 0) -> some View {
    MovingView(content: self, layer: .effect, animatableData: AnimatablePair(x, y)) { style, offset in
      style.offset.width += Double(offset.first)
      style.offset.height += Double(offset.second)
    }
  }

  /// Moves the view, in points; those beside it stay.
  public func offset(_ offset: CGSize) -> some View { self.offset(x: offset.width, y: offset.height) }

  /// Turns the view; those beside it stay.
  public func rotationEffect(_ angle: Angle, anchor: UnitPoint = .center) -> some View {
    MovingView(content: self, layer: .effect, animatableData: angle.radians) { $0.rotation += $1 }
  }

  /// Casts a shadow, where a host can draw one.
  public func shadow(
    color: Color = .black, radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0
  ) -> some View { accepted("shadow") }

  // MARK: Use

  /// Takes what stands inside off the screen; it keeps its state.
  public func hidden() -> some View { styled(.effect) { $0.isHidden = true } }

  /// Lets a person use what stands inside, or not.
  public func disabled(_ isDisabled: Bool) -> some View {
    EnvironmentView(content: self) { if isDisabled { $0.isEnabled = false } }
  }
}
