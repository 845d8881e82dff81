public import Foundation

/// An outline that is filled or drawn in a colour. Hosts here show a shape as a surface.
public protocol Shape: View, Sendable {}

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
public struct Rectangle: Shape {
  public typealias Body = ShapeView
  /// A rectangle that fills its space.
  nonisolated public init() {}
}

/// A rectangle with rounded corners.
public struct RoundedRectangle: Shape {
  public typealias Body = ShapeView
  /// A rectangle that fills its space. The radius has no effect.
  nonisolated public init(cornerRadius: CGFloat) {}
}

/// A circle.
public struct Circle: Shape {
  public typealias Body = ShapeView
  /// A circle that fills its space.
  nonisolated public init() {}
}

/// An ellipse.
public struct Ellipse: Shape {
  public typealias Body = ShapeView
  /// An ellipse that fills its space.
  nonisolated public init() {}
}

/// A rectangle with round ends.
public struct Capsule: Shape {
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
  public func clipShape(_ shape: some Shape) -> some View { self }

  /// Accepted: hosts here do not cut views.
  public func clipped() -> some View { self }

  /// Fills the space behind the view with a colour, whatever the shape.
  public func background(_ style: some ShapeStyle, in shape: some Shape) -> some View { background(style) }
}
