public import Foundation
import StarlingTerminal

/// Places views by an algorithm of one's own. A terminal asks it, in points of eight by sixteen a cell; a headless host
/// reads its views in their order.
///
/// ```swift
/// struct Wide: Layout {
///   func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) -> CGSize { … }
///   func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) { … }
/// }
/// Wide { Text("A"); Text("B") }
/// ```
public protocol Layout: Animatable {
  /// What it works out once for several questions.
  associatedtype Cache = Void
  /// The views that it places.
  typealias Subviews = LayoutSubviews

  /// What is known of it by others.
  static var layoutProperties: LayoutProperties { get }
  /// Works out what several questions need.
  func makeCache(subviews: Subviews) -> Cache
  /// Works it out again for other views.
  func updateCache(_ cache: inout Cache, subviews: Subviews)
  /// How large the whole is in such a space.
  func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout Cache) -> CGSize
  /// Places each view.
  func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Cache)
}

extension Layout {
  /// Nothing is known of it.
  public static var layoutProperties: LayoutProperties { LayoutProperties() }

  /// Makes it again.
  public func updateCache(_ cache: inout Cache, subviews: Subviews) {
    cache = makeCache(subviews: subviews)
  }

  /// Places the views of a closure.
  @MainActor public func callAsFunction(@ViewBuilder _ content: () -> some View) -> some View {
    LaidOutView(layout: self, content: content())
  }
}

extension Layout where Cache == Void {
  /// Nothing is worked out.
  public func makeCache(subviews: Subviews) {}
}

/// What is known of a layout by others.
public struct LayoutProperties: Sendable {
  /// Along which axis it is a stack; nil: it is none.
  public var stackOrientation: Axis?

  /// Nothing.
  public init() {}
}

/// How much space there is, in points; nil: as much as one likes.
public struct ProposedViewSize: Equatable, Sendable {
  /// From side to side.
  public var width: CGFloat?
  /// From top to bottom.
  public var height: CGFloat?

  /// So much.
  public init(width: CGFloat?, height: CGFloat?) {
    self.width = width
    self.height = height
  }

  /// So much.
  public init(_ size: CGSize) {
    self.init(width: size.width, height: size.height)
  }

  /// None: asks for the smallest size.
  public static let zero = ProposedViewSize(width: 0, height: 0)
  /// Without end: asks for the largest size.
  public static let infinity = ProposedViewSize(width: .infinity, height: .infinity)
  /// As much as one likes: asks for the size that is best.
  public static let unspecified = ProposedViewSize(width: nil, height: nil)

  /// With something in place of what is nil.
  public func replacingUnspecifiedDimensions(by size: CGSize = CGSize(width: 10, height: 10)) -> CGSize {
    CGSize(width: width ?? size.width, height: height ?? size.height)
  }
}

/// How large a view is, in points, and where its guides are.
public struct ViewDimensions: Equatable, Sendable {
  /// From side to side.
  public let width: CGFloat
  /// From top to bottom.
  public let height: CGFloat

  /// Where a guide is, from the side where lines begin.
  public subscript(guide: HorizontalAlignment) -> CGFloat {
    switch guide {
    case .leading: 0
    case .center: width / 2
    case .trailing: width
    }
  }

  /// Where a guide is, from the top.
  public subscript(guide: VerticalAlignment) -> CGFloat {
    switch guide {
    case .top: 0
    case .center: height / 2
    case .bottom, .firstTextBaseline, .lastTextBaseline: height
    }
  }
}

/// How far a view likes to stand from others.
public struct ViewSpacing: Sendable {
  /// No distance.
  public static let zero = ViewSpacing()

  /// As the host has it: eight points, a cell, from side to side, and none from top to bottom.
  public init() {}

  /// How far one likes to stand from another.
  public func distance(to next: ViewSpacing, along axis: Axis) -> CGFloat { axis == .horizontal ? 8 : 0 }
  /// Nothing changes: all views are alike.
  public mutating func formUnion(_ other: ViewSpacing, edges: Edge.Set = .all) {}
}

/// Names a value that a view says to the layout in which it stands.
public protocol LayoutValueKey {
  /// The type of what the key names.
  associatedtype Value
  /// The value where the view says none.
  static var defaultValue: Value { get }
}

/// The views that a layout places, in their order.
public struct LayoutSubviews: RandomAccessCollection, Equatable {
  public typealias Index = Int
  let subviews: [LayoutSubview]

  public var startIndex: Int { 0 }
  public var endIndex: Int { subviews.count }
  /// The view at a place, counted from 0.
  public subscript(index: Int) -> LayoutSubview { subviews[index] }

  /// In which direction lines run: here as in English.
  public var layoutDirection: LayoutDirection { .leftToRight }
}

/// A view that a layout places.
public struct LayoutSubview: Equatable {
  let index: Int
  let values: [ObjectIdentifier: Any]
  let size: (ProposedViewSize) -> CGSize
  let placing: (CGPoint, UnitPoint, ProposedViewSize) -> Void

  /// How large it is in such a space.
  public func sizeThatFits(_ proposal: ProposedViewSize) -> CGSize { size(proposal) }

  /// How large it is in such a space, and where its guides are.
  public func dimensions(in proposal: ProposedViewSize) -> ViewDimensions {
    let size = size(proposal)
    return ViewDimensions(width: size.width, height: size.height)
  }

  /// How far it likes to stand from others.
  public var spacing: ViewSpacing { ViewSpacing() }
  /// Which views get space first: all alike.
  public var priority: Double { 0 }

  /// What it says to the layout under a key.
  public subscript<Key: LayoutValueKey>(key: Key.Type) -> Key.Value {
    values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue
  }

  /// Places it with `anchor` of it at a point of the bounds.
  public func place(at position: CGPoint, anchor: UnitPoint = .topLeading, proposal: ProposedViewSize) {
    placing(position, anchor, proposal)
  }

  public static func == (left: LayoutSubview, right: LayoutSubview) -> Bool { left.index == right.index }
}

/// Views that a layout places.
struct LaidOutView<Arranging: Layout, Content: View>: PrimitiveView {
  let layout: Arranging
  let content: Content

  func compose(in node: Node) -> Composition {
    let layout = layout
    return Composition(content) { drawn in
      let arrangement = LayoutCells(layout: layout, values: drawn.all.map(\.layoutValues))
      return [Element(node, .arranged(arrangement), drawn.all)]
    }
  }
}

extension View {
  /// Says a value to the layout in which the view stands.
  public func layoutValue<Key: LayoutValueKey>(key: Key.Type, value: Key.Value) -> some View {
    MarkedView(content: self) { $0.layoutValues[ObjectIdentifier(key)] = value }
  }
}

/// A layout of points, as it is asked in cells.
struct LayoutCells<Arranging: Layout>: BlockArrangement, @unchecked Sendable {
  // Sendable: made, and asked, on the main actor, where views are drawn.
  let layout: Arranging
  let values: [[ObjectIdentifier: Any]]

  func arrange(_ proposal: Proposal, _ children: Int, _ size: (Int, Proposal) -> CellSize) -> BlockPlaces {
    withoutActuallyEscaping(size) { size in
      let placed = Placed()
      let subviews = LayoutSubviews(
        subviews: (0..<children).map { child in
          LayoutSubview(
            index: child, values: values[child],
            size: { size(child, Proposal($0)).points },
            placing: { placed.children[child] = (size(child, Proposal($2)).points, $0, $1, $2) })
        })
      var cache = layout.makeCache(subviews: subviews)
      let asked = proposal.points
      let whole = layout.sizeThatFits(proposal: asked, subviews: subviews, cache: &cache)
      let bounds = CGRect(origin: .zero, size: whole)
      layout.placeSubviews(
        in: bounds, proposal: ProposedViewSize(whole), subviews: subviews, cache: &cache)
      var places = BlockPlaces()
      places.size = CellSize(
        columns: TerminalLength.columns(Double(whole.width)), rows: TerminalLength.rows(Double(whole.height)))
      for child in 0..<children {
        // What was not placed stands in the middle.
        let middle = CGPoint(x: bounds.midX, y: bounds.midY)
        let (size, point, anchor, proposal) =
          placed.children[child] ?? (subviews[child].size(asked), middle, .center, asked)
        let origin = CellPoint(
          column: TerminalLength.columns(Double(point.x - anchor.x * size.width)),
          row: TerminalLength.rows(Double(point.y - anchor.y * size.height)))
        places.children[child] = (origin, Proposal(proposal))
      }
      return places
    }
  }

  private final class Placed {
    var children: [Int: (size: CGSize, point: CGPoint, anchor: UnitPoint, proposal: ProposedViewSize)] = [:]
  }
}

extension Proposal {
  fileprivate var points: ProposedViewSize {
    ProposedViewSize(
      width: columns.map { CGFloat(TerminalLength.points(columns: $0)) },
      height: rows.map { CGFloat(TerminalLength.points(rows: $0)) })
  }

  fileprivate init(_ size: ProposedViewSize) {
    // What has no end is as much as one likes.
    func cells(_ length: CGFloat?, _ convert: (Double) -> Int) -> Int? {
      length.flatMap { $0 < 1e6 ? max(0, convert(Double($0))) : nil }
    }
    self.init(columns: cells(size.width, TerminalLength.columns), rows: cells(size.height, TerminalLength.rows))
  }
}

extension CellSize {
  fileprivate var points: CGSize {
    CGSize(
      width: TerminalLength.points(columns: columns), height: TerminalLength.points(rows: rows))
  }
}
