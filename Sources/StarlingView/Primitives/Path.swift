public import Foundation

/// An outline of lines and curves. Hosts here draw a shape as a surface, whatever its path.
public struct Path: Equatable, Sendable {
  /// The smallest rectangle around the points, in points; empty where there are none.
  public private(set) var boundingRect = CGRect.null
  /// Where the line has come to; nil at first.
  public private(set) var currentPoint: CGPoint?

  /// An outline of nothing.
  nonisolated public init() {}

  /// An outline that `build` draws.
  nonisolated public init(_ build: (inout Path) -> Void) {
    build(&self)
  }

  /// The outline of a rectangle.
  nonisolated public init(_ rect: CGRect) {
    addRect(rect)
  }

  /// The outline of an ellipse.
  nonisolated public init(ellipseIn rect: CGRect) {
    addRect(rect)
  }

  /// The outline of a rectangle with round corners.
  nonisolated public init(roundedRect rect: CGRect, cornerRadius: CGFloat) {
    addRect(rect)
  }

  /// Whether nothing was drawn.
  nonisolated public var isEmpty: Bool { boundingRect.isNull }

  /// Begins a line.
  nonisolated public mutating func move(to point: CGPoint) { reach(point) }
  /// Draws a line.
  nonisolated public mutating func addLine(to point: CGPoint) { reach(point) }
  /// Draws a curve.
  nonisolated public mutating func addQuadCurve(to point: CGPoint, control: CGPoint) { reach(point) }
  /// Draws a curve.
  nonisolated public mutating func addCurve(to point: CGPoint, control1: CGPoint, control2: CGPoint) { reach(point) }
  /// Draws lines.
  nonisolated public mutating func addLines(_ points: [CGPoint]) { for point in points { reach(point) } }
  /// Draws a part of a circle.
  nonisolated public mutating func addArc(
    center: CGPoint, radius: CGFloat, startAngle: Angle, endAngle: Angle, clockwise: Bool
  ) {
    for angle in [startAngle, endAngle] {
      reach(CGPoint(x: center.x + radius * cos(angle.radians), y: center.y + radius * sin(angle.radians)))
    }
  }
  /// Draws a rectangle.
  nonisolated public mutating func addRect(_ rect: CGRect) {
    reach(CGPoint(x: rect.maxX, y: rect.maxY))
    reach(CGPoint(x: rect.minX, y: rect.minY))
  }
  /// Draws an ellipse.
  nonisolated public mutating func addEllipse(in rect: CGRect) { addRect(rect) }
  /// Draws a rectangle with round corners.
  nonisolated public mutating func addRoundedRect(in rect: CGRect, cornerSize: CGSize) { addRect(rect) }
  /// Draws another outline.
  nonisolated public mutating func addPath(_ path: Path) { if !path.isEmpty { addRect(path.boundingRect) } }
  /// Goes back to where the line began.
  nonisolated public mutating func closeSubpath() {}

  nonisolated private mutating func reach(_ point: CGPoint) {
    currentPoint = point
    let rect = CGRect(origin: point, size: .zero)
    boundingRect = boundingRect.isNull ? rect : boundingRect.union(rect)
  }
}

extension Path: Shape {
  public typealias Body = ShapeView
}

/// How a line is drawn; all lines are alike here.
public struct StrokeStyle: Equatable, Sendable {
  /// How wide, in points.
  public var lineWidth: CGFloat
  /// Lengths of strokes and gaps, in points.
  public var dash: [CGFloat]

  /// A line.
  nonisolated public init(lineWidth: CGFloat = 1, dash: [CGFloat] = [], dashPhase: CGFloat = 0) {
    self.lineWidth = lineWidth
    self.dash = dash
  }
}

/// How round corners are.
public enum RoundedCornerStyle: Hashable, CaseIterable, Sendable {
  /// A part of a circle, or smoother.
  case circular, continuous
}

/// Colours from one to the next. Hosts here draw the first.
public struct Gradient: Equatable, Sendable {
  /// A colour and where it is.
  public struct Stop: Equatable, Sendable {
    /// The colour.
    public var color: Color
    /// Where it is, from 0 to 1.
    public var location: CGFloat

    /// A colour at a place.
    nonisolated public init(color: Color, location: CGFloat) {
      self.color = color
      self.location = location
    }
  }

  /// The colours and where they are.
  public var stops: [Stop]

  /// Colours with equal distances.
  nonisolated public init(colors: [Color]) {
    stops = colors.enumerated().map { Stop(color: $1, location: CGFloat($0) / CGFloat(max(1, colors.count - 1))) }
  }

  /// Colours at places.
  nonisolated public init(stops: [Stop]) {
    self.stops = stops
  }
}

/// A gradient along a line: its first colour.
public struct LinearGradient: ShapeStyle, View {
  public typealias Body = ShapeView
  public let hostColor: Color

  /// Colours along a line.
  nonisolated public init(colors: [Color], startPoint: UnitPoint, endPoint: UnitPoint) {
    hostColor = colors.first ?? .clear
  }

  /// Colours along a line.
  nonisolated public init(gradient: Gradient, startPoint: UnitPoint, endPoint: UnitPoint) {
    hostColor = gradient.stops.first?.color ?? .clear
  }

  public var body: ShapeView { ShapeView(color: hostColor) }
}

/// A gradient from a point: its first colour.
public struct RadialGradient: ShapeStyle, View {
  public typealias Body = ShapeView
  public let hostColor: Color

  /// Colours from a point.
  nonisolated public init(gradient: Gradient, center: UnitPoint, startRadius: CGFloat, endRadius: CGFloat) {
    hostColor = gradient.stops.first?.color ?? .clear
  }

  /// Colours from a point.
  nonisolated public init(colors: [Color], center: UnitPoint, startRadius: CGFloat, endRadius: CGFloat) {
    hostColor = colors.first ?? .clear
  }

  public var body: ShapeView { ShapeView(color: hostColor) }
}

extension Shape {
  /// Draws the shape's outline.
  @MainActor public func stroke(_ style: some ShapeStyle, style line: StrokeStyle) -> some View {
    ShapeView(color: .clear).border(style, width: line.lineWidth)
  }

  /// A part of the shape: here all of it.
  nonisolated public func trim(from start: CGFloat = 0, to end: CGFloat = 1) -> Self { self }
  /// The shape, turned: here as it is.
  nonisolated public func rotation(_ angle: Angle, anchor: UnitPoint = .center) -> Self { self }
  /// The shape, smaller: here as it is.
  nonisolated public func inset(by amount: CGFloat) -> Self { self }
}
