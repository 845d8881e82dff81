public import Foundation

/// An outline that is filled or drawn in a colour. Hosts here show a shape as a surface.
public protocol Shape: View, Sendable {
  /// Its outline in a rectangle. Hosts here do not ask for it.
  nonisolated func path(in rect: CGRect) -> Path
}

extension Shape {
  /// The outline of the rectangle.
  nonisolated public func path(in rect: CGRect) -> Path { Path(rect) }
}

/// A shape whose outline can be drawn further in.
public protocol InsettableShape: Shape {}

extension Shape where Body == ShapeView {
  @MainActor public var body: ShapeView { ShapeView(color: .primary) }

  /// Fills the shape.
  @MainActor public func fill(_ style: some ShapeStyle) -> some View { ShapeView(color: style.hostColor) }

  /// Draws the shape's outline.
  @MainActor public func stroke(_ style: some ShapeStyle, lineWidth: CGFloat = 1) -> some View {
    ShapeView(color: .clear).border(style, width: lineWidth)
  }

  /// Draws the shape's outline.
  @MainActor public func strokeBorder(_ style: some ShapeStyle, lineWidth: CGFloat = 1) -> some View {
    stroke(style, lineWidth: lineWidth)
  }
}

/// A surface in one colour.
public struct ShapeView: View, Equatable {
  public typealias Body = Never
  let color: Color

  nonisolated public static func == (left: ShapeView, right: ShapeView) -> Bool { left.color == right.color }
}

extension ShapeView: PrimitiveView {
  package func compose(in node: Node) -> Composition { Composition(Element(node, .fill(color))) }
}

/// A rectangle.
public struct Rectangle: InsettableShape {
  public typealias Body = ShapeView
  /// A rectangle that fills its space.
  nonisolated public init() {}
}

/// A rectangle with rounded corners.
public struct RoundedRectangle: InsettableShape {
  public typealias Body = ShapeView
  /// A rectangle that fills its space. The radius has no effect.
  nonisolated public init(cornerRadius: CGFloat) {}
  /// A rectangle that fills its space. Radius and style have no effect.
  nonisolated public init(cornerRadius: CGFloat, style: RoundedCornerStyle) {}
  /// A rectangle that fills its space. Size and style have no effect.
  nonisolated public init(cornerSize: CGSize, style: RoundedCornerStyle = .circular) {}
}

/// A circle.
public struct Circle: InsettableShape {
  public typealias Body = ShapeView
  /// A circle that fills its space.
  nonisolated public init() {}
}

/// An ellipse.
public struct Ellipse: InsettableShape {
  public typealias Body = ShapeView
  /// An ellipse that fills its space.
  nonisolated public init() {}
}

/// A rectangle with round ends.
public struct Capsule: InsettableShape {
  public typealias Body = ShapeView
  /// A capsule that fills its space.
  nonisolated public init() {}
}

extension Shape where Self == Rectangle {
  /// A rectangle.
  nonisolated public static var rect: Rectangle { Rectangle() }
}

extension Shape where Self == RoundedRectangle {
  /// A rectangle with rounded corners.
  nonisolated public static func rect(cornerRadius: CGFloat) -> RoundedRectangle {
    RoundedRectangle(cornerRadius: cornerRadius)
  }
}

extension Shape where Self == Circle {
  /// A circle.
  nonisolated public static var circle: Circle { Circle() }
}

extension Shape where Self == Capsule {
  /// A capsule.
  nonisolated public static var capsule: Capsule { Capsule() }
}

extension View {
  /// Accepted: hosts here do not cut views to a shape.
  public func clipShape(_ shape: some Shape) -> some View { accepted("clipShape") }

  /// Accepted: hosts here do not cut views.
  public func clipped() -> some View { accepted("clipped") }

  /// Fills the space behind the view with a colour, whatever the shape.
  public func background(_ style: some ShapeStyle, in shape: some Shape) -> some View { background(style) }
}

/// The shape of what is around a view. Hosts here show it as a surface.
public struct ContainerRelativeShape: InsettableShape {
  public typealias Body = ShapeView
  /// A shape that fills its space.
  nonisolated public init() {}
}

extension Shape where Self == ContainerRelativeShape {
  /// The shape of what is around.
  nonisolated public static var containerRelative: ContainerRelativeShape { ContainerRelativeShape() }
}

extension Shape where Self == Ellipse {
  /// An ellipse.
  nonisolated public static var ellipse: Ellipse { Ellipse() }
}

extension View {
  /// Accepted and without effect: hosts here do not cut views to a shape.
  public func containerShape(_ shape: some InsettableShape) -> some View { accepted("containerShape") }
}

/// The colour of what is selected.
public struct SelectionShapeStyle: ShapeStyle {
  /// The colour of what is selected.
  nonisolated public init() {}
  public var hostColor: Color { .accentColor }
}

extension ShapeStyle where Self == SelectionShapeStyle {
  /// The colour of what is selected.
  nonisolated public static var selection: SelectionShapeStyle { SelectionShapeStyle() }
}
