public import Foundation

/// Views one below the other.
public struct VStack<Content: View>: View {
  public typealias Body = Never
  private let alignment: HorizontalAlignment
  private let spacing: CGFloat?
  private let content: Content

  /// Puts views one below the other.
  ///
  /// - Parameters:
  ///   - alignment: Where views of different widths stand below each other.
  ///   - spacing: Points between two views; nil as the host chooses.
  ///   - content: The views, in their order.
  public init(
    alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
  ) {
    self.alignment = alignment
    self.spacing = spacing
    self.content = content()
  }
}

extension VStack: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let (alignment, spacing) = (Alignment(horizontal: alignment, vertical: .center), spacing.map { Double($0) })
    return Composition(content) {
      [Element(node, .stack(.vertical, alignment: alignment, spacing: spacing), $0.all)]
    }
  }
}

/// Views side by side.
public struct HStack<Content: View>: View {
  public typealias Body = Never
  private let alignment: VerticalAlignment
  private let spacing: CGFloat?
  private let content: Content

  /// Puts views side by side.
  ///
  /// - Parameters:
  ///   - alignment: Where views of different heights stand beside each other.
  ///   - spacing: Points between two views; nil as the host chooses.
  ///   - content: The views, in their order.
  public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
    self.alignment = alignment
    self.spacing = spacing
    self.content = content()
  }
}

extension HStack: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let (alignment, spacing) = (Alignment(horizontal: .center, vertical: alignment), spacing.map { Double($0) })
    return Composition(content) {
      [Element(node, .stack(.horizontal, alignment: alignment, spacing: spacing), $0.all)]
    }
  }
}

/// Views over each other, the first at the back.
public struct ZStack<Content: View>: View {
  public typealias Body = Never
  private let alignment: Alignment
  private let content: Content

  /// Puts views over each other.
  public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
    self.alignment = alignment
    self.content = content()
  }
}

extension ZStack: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let alignment = alignment
    return Composition(content) { [Element(node, .overlay(alignment: alignment), $0.all)] }
  }
}

/// What stays in sight while a stack is scrolled. Hosts here keep nothing in sight.
public struct PinnedScrollableViews: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// What stands over sections.
  public static let sectionHeaders = PinnedScrollableViews(rawValue: 1)
  /// What stands under sections.
  public static let sectionFooters = PinnedScrollableViews(rawValue: 2)
}

/// Views one below the other. All of them are evaluated: what is not drawn costs a host little.
public struct LazyVStack<Content: View>: View {
  private let alignment: HorizontalAlignment
  private let spacing: CGFloat?
  private let content: Content

  /// Puts views one below the other.
  ///
  /// - Parameters:
  ///   - alignment: Where views of different widths stand below each other.
  ///   - spacing: Points between two views; nil as the host chooses.
  ///   - pinnedViews: Has no effect here.
  ///   - content: The views, in their order.
  public init(
    alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, pinnedViews: PinnedScrollableViews = [],
    @ViewBuilder content: () -> Content
  ) {
    self.alignment = alignment
    self.spacing = spacing
    self.content = content()
  }

  public var body: some View { VStack(alignment: alignment, spacing: spacing) { content } }
}

/// Views side by side. All of them are evaluated.
public struct LazyHStack<Content: View>: View {
  private let alignment: VerticalAlignment
  private let spacing: CGFloat?
  private let content: Content

  /// Puts views side by side.
  ///
  /// - Parameters:
  ///   - alignment: Where views of different heights stand beside each other.
  ///   - spacing: Points between two views; nil as the host chooses.
  ///   - pinnedViews: Has no effect here.
  ///   - content: The views, in their order.
  public init(
    alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, pinnedViews: PinnedScrollableViews = [],
    @ViewBuilder content: () -> Content
  ) {
    self.alignment = alignment
    self.spacing = spacing
    self.content = content()
  }

  public var body: some View { HStack(alignment: alignment, spacing: spacing) { content } }
}

/// Space that takes what is left over.
public struct Spacer: View, Equatable {
  public typealias Body = Never
  /// The points that it takes at least; nil as the host chooses.
  public var minLength: CGFloat?

  /// Takes what is left over, and at least `minLength` points.
  public init(minLength: CGFloat? = nil) {
    self.minLength = minLength
  }

  nonisolated public static func == (left: Spacer, right: Spacer) -> Bool { left.minLength == right.minLength }
}

extension Spacer: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    Composition(Element(node, .spacer(minLength: minLength.map { Double($0) })))
  }
}

/// A line between two things.
public struct Divider: View, Equatable, Sendable {
  public typealias Body = Never

  /// A line across the direction of the stack that it stands in.
  public init() {}
}

extension Divider: PrimitiveView {
  package func compose(in node: Node) -> Composition { Composition(Element(node, .divider)) }
}

/// Views in a space that can be scrolled.
public struct ScrollView<Content: View>: View {
  public typealias Body = Never
  /// What is scrolled.
  public var content: Content
  private let axes: Axis.Set

  /// Lets content be scrolled. `showsIndicators` has no effect.
  public init(_ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> Content) {
    self.axes = axes
    self.content = content()
  }
}

extension ScrollView: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let axes = axes
    return Composition(content) { [Element(node, .scroll(axes), $0.all)] }
  }
}
