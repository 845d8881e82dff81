public import Foundation

/// A direction in which things stand side by side or scroll.
public enum Axis: Int8, CaseIterable, Hashable, Sendable {
  /// From side to side.
  case horizontal
  /// From top to bottom.
  case vertical

  /// One direction, both or none.
  public struct Set: OptionSet, Sendable, Hashable {
    public let rawValue: Int8

    public init(rawValue: Int8) {
      self.rawValue = rawValue
    }

    /// From side to side alone.
    public static let horizontal = Set(rawValue: 1)
    /// From top to bottom alone.
    public static let vertical = Set(rawValue: 2)
  }
}

/// Where things of different widths stand in a column.
public enum HorizontalAlignment: Hashable, Sendable {
  /// At the side where lines begin.
  case leading
  /// In the middle.
  case center
  /// At the side where lines end.
  case trailing
}

/// Where things of different heights stand in a row.
public enum VerticalAlignment: Hashable, Sendable {
  /// At the top.
  case top
  /// In the middle.
  case center
  /// At the bottom.
  case bottom
  /// By their first lines of text.
  case firstTextBaseline
  /// By their last lines of text.
  case lastTextBaseline
}

/// Where something stands in a space that is larger than it.
public struct Alignment: Hashable, Sendable {
  /// From side to side.
  public var horizontal: HorizontalAlignment
  /// From top to bottom.
  public var vertical: VerticalAlignment

  /// Makes an alignment of one for each direction.
  public init(horizontal: HorizontalAlignment, vertical: VerticalAlignment) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// In the middle both ways.
  public static let center = Alignment(horizontal: .center, vertical: .center)
  /// In the middle of the side where lines begin.
  public static let leading = Alignment(horizontal: .leading, vertical: .center)
  /// In the middle of the side where lines end.
  public static let trailing = Alignment(horizontal: .trailing, vertical: .center)
  /// In the middle of the top.
  public static let top = Alignment(horizontal: .center, vertical: .top)
  /// In the middle of the bottom.
  public static let bottom = Alignment(horizontal: .center, vertical: .bottom)
  /// In the top corner where lines begin.
  public static let topLeading = Alignment(horizontal: .leading, vertical: .top)
  /// In the top corner where lines end.
  public static let topTrailing = Alignment(horizontal: .trailing, vertical: .top)
  /// In the bottom corner where lines begin.
  public static let bottomLeading = Alignment(horizontal: .leading, vertical: .bottom)
  /// In the bottom corner where lines end.
  public static let bottomTrailing = Alignment(horizontal: .trailing, vertical: .bottom)
}

/// Where the lines of a text stand.
public enum TextAlignment: Hashable, CaseIterable, Sendable {
  /// Where lines begin.
  case leading
  /// In the middle.
  case center
  /// Where lines end.
  case trailing
}

/// A side of a rectangle.
public enum Edge: Int8, CaseIterable, Hashable, Sendable {
  /// Above.
  case top
  /// Where lines begin.
  case leading
  /// Below.
  case bottom
  /// Where lines end.
  case trailing

  /// Any number of the four sides.
  public struct Set: OptionSet, Hashable, Sendable {
    public let rawValue: Int8

    public init(rawValue: Int8) {
      self.rawValue = rawValue
    }

    /// One side alone.
    public init(_ edge: Edge) {
      rawValue = 1 << edge.rawValue
    }

    /// The upper side alone.
    public static let top = Set(.top)
    /// The side where lines begin, alone.
    public static let leading = Set(.leading)
    /// The lower side alone.
    public static let bottom = Set(.bottom)
    /// The side where lines end, alone.
    public static let trailing = Set(.trailing)
    /// The two sides where lines begin and end.
    public static let horizontal: Set = [.leading, .trailing]
    /// The upper and the lower side.
    public static let vertical: Set = [.top, .bottom]
    /// All four sides.
    public static let all: Set = [.horizontal, .vertical]
  }
}

/// Distances from the sides of a rectangle, in points.
public struct EdgeInsets: Hashable, Sendable {
  /// From the upper side.
  public var top: CGFloat
  /// From the side where lines begin.
  public var leading: CGFloat
  /// From the lower side.
  public var bottom: CGFloat
  /// From the side where lines end.
  public var trailing: CGFloat

  /// Makes distances from each side, in points.
  public init(top: CGFloat, leading: CGFloat, bottom: CGFloat, trailing: CGFloat) {
    self.top = top
    self.leading = leading
    self.bottom = bottom
    self.trailing = trailing
  }

  /// No distance from any side.
  public init() {
    self.init(top: 0, leading: 0, bottom: 0, trailing: 0)
  }
}

/// A part of a whole rectangle, from zero to one each way.
public struct UnitPoint: Hashable, Sendable {
  /// From side to side: 0 where lines begin, 1 where they end.
  public var x: CGFloat
  /// From top to bottom: 0 at the top, 1 at the bottom.
  public var y: CGFloat

  /// Makes a point of its parts of the whole.
  public init(x: CGFloat, y: CGFloat) {
    self.x = x
    self.y = y
  }

  /// The top corner where lines begin.
  public static let zero = UnitPoint(x: 0, y: 0)
  /// The middle.
  public static let center = UnitPoint(x: 0.5, y: 0.5)
  /// The middle of the side where lines begin.
  public static let leading = UnitPoint(x: 0, y: 0.5)
  /// The middle of the side where lines end.
  public static let trailing = UnitPoint(x: 1, y: 0.5)
  /// The middle of the top.
  public static let top = UnitPoint(x: 0.5, y: 0)
  /// The middle of the bottom.
  public static let bottom = UnitPoint(x: 0.5, y: 1)
  /// The top corner where lines begin.
  public static let topLeading = UnitPoint(x: 0, y: 0)
  /// The top corner where lines end.
  public static let topTrailing = UnitPoint(x: 1, y: 0)
  /// The bottom corner where lines begin.
  public static let bottomLeading = UnitPoint(x: 0, y: 1)
  /// The bottom corner where lines end.
  public static let bottomTrailing = UnitPoint(x: 1, y: 1)
}

/// An angle.
public struct Angle: Hashable, Sendable {
  /// In radians; a whole turn is 2π.
  public var radians: Double

  /// Makes an angle of radians.
  public init(radians: Double = 0) {
    self.radians = radians
  }

  /// Makes an angle of degrees; a whole turn is 360.
  public init(degrees: Double) {
    radians = degrees * .pi / 180
  }

  /// In degrees; a whole turn is 360.
  public var degrees: Double {
    get { radians * 180 / .pi }
    set { radians = newValue * .pi / 180 }
  }

  /// Makes an angle of radians.
  public static func radians(_ radians: Double) -> Angle { Angle(radians: radians) }
  /// Makes an angle of degrees.
  public static func degrees(_ degrees: Double) -> Angle { Angle(degrees: degrees) }
  /// No turn.
  public static let zero = Angle()
}
