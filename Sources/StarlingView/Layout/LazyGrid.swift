public import Foundation
import StarlingTerminal

/// A column of a `LazyVGrid`, or a row of a `LazyHGrid`.
public struct GridItem: Sendable {
  /// How wide it is, in points.
  public enum Size: Sendable {
    /// So wide.
    case fixed(CGFloat)
    /// An equal share of what is left.
    case flexible(minimum: CGFloat = 10, maximum: CGFloat = .infinity)
    /// As many as there is space for, each at least so wide.
    case adaptive(minimum: CGFloat, maximum: CGFloat = .infinity)
  }

  /// How wide it is.
  public var size: Size
  /// Points to the next; nil as the host chooses.
  public var spacing: CGFloat?
  /// Where cells stand in it that are smaller.
  public var alignment: Alignment?

  /// A column, or a row.
  public init(_ size: Size = .flexible(), spacing: CGFloat? = nil, alignment: Alignment? = nil) {
    self.size = size
    self.spacing = spacing
    self.alignment = alignment
  }
}

/// Views in columns, from the first row on. All of them are there, seen or not.
public struct LazyVGrid<Content: View>: View {
  public typealias Body = Never
  private let columns: [GridItem]
  private let spacing: CGFloat?
  private let alignment: HorizontalAlignment
  private let content: Content

  /// Puts views into columns.
  ///
  /// - Parameters:
  ///   - columns: The columns.
  ///   - alignment: Where views stand that are narrower than their column.
  ///   - spacing: Points between two rows; nil as the host chooses.
  ///   - pinnedViews: Has no effect.
  ///   - content: The views, row by row.
  public init(
    columns: [GridItem], alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
    pinnedViews: PinnedScrollableViews = [], @ViewBuilder content: () -> Content
  ) {
    self.columns = columns
    self.alignment = alignment
    self.spacing = spacing
    self.content = content()
  }
}

extension LazyVGrid: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let cells = LazyCells(items: columns, rowSpacing: spacing.map { TerminalLength.rows(Double($0)) } ?? 0, alignment)
    return Composition(content) { [Element(node, .arranged(cells), $0.all.flattenedSections)] }
  }
}

/// Views in rows, from the first column on. Hosts here show them side by side in one row.
public struct LazyHGrid<Content: View>: View {
  private let spacing: CGFloat?
  private let content: Content

  /// Puts views into rows, which are one here.
  public init(
    rows: [GridItem], alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
    pinnedViews: PinnedScrollableViews = [], @ViewBuilder content: () -> Content
  ) {
    self.spacing = spacing
    self.content = content()
  }

  public var body: some View { HStack(spacing: spacing) { content } }
}

extension [Element] {
  /// With what sections hold in their places.
  fileprivate var flattenedSections: [Element] {
    flatMap { element -> [Element] in
      guard case .section(let header, let footer) = element.kind else { return [element] }
      return header + element.children + footer
    }
  }
}

/// Where the cells of a lazy grid stand.
struct LazyCells: BlockArrangement {
  let items: [GridItem]
  let rowSpacing: Int
  let alignment: BlockAlignment

  init(items: [GridItem], rowSpacing: Int, _ alignment: HorizontalAlignment) {
    self.items = items
    self.rowSpacing = rowSpacing
    self.alignment = BlockAlignment(alignment)
  }

  /// Cells that a grid takes where it may be as wide as it likes.
  private static let freeColumns = 80

  func arrange(_ proposal: Proposal, _ children: Int, _ size: (Int, Proposal) -> CellSize) -> BlockPlaces {
    let columns = columns(in: min(proposal.columns ?? Self.freeColumns, 1 << 16))
    var places = BlockPlaces()
    guard !columns.isEmpty else { return places }
    var top = 0
    for start in stride(from: 0, to: children, by: columns.count) {
      let row = start..<min(start + columns.count, children)
      let sizes = row.map { size($0, Proposal(columns: columns[$0 - start].width)) }
      for (child, cell) in zip(row, sizes) {
        let column = columns[child - start]
        let left = column.left + alignment.offset(of: cell.columns, in: column.width)
        places.children[child] = (CellPoint(column: left, row: top), Proposal(columns: column.width))
      }
      top += (sizes.map(\.rows).max() ?? 0) + rowSpacing
    }
    places.size = CellSize(
      columns: columns.last.map { $0.left + $0.width } ?? 0, rows: Swift.max(0, top - rowSpacing))
    return places
  }

  private func columns(in space: Int) -> [(left: Int, width: Int)] {
    func cells(_ length: CGFloat) -> Int { length < 1e6 ? max(1, TerminalLength.columns(Double(length))) : 1 << 16 }
    // Each item with how many columns it stands for, and bounds.
    var bounds: [(least: Int, most: Int, gap: Int)] = []
    for item in items {
      let gap = item.spacing.map { TerminalLength.columns(Double($0)) } ?? 1
      switch item.size {
      case .fixed(let width): bounds.append((cells(width), cells(width), gap))
      case .flexible(let least, let most): bounds.append((cells(least), cells(most), gap))
      case .adaptive(let least, let most):
        let share = (space - (items.count - 1)) / max(1, items.count)
        let count = max(1, (share + gap) / (cells(least) + gap))
        bounds += Array(repeating: (cells(least), cells(most), gap), count: count)
      }
    }
    let gaps = bounds.dropLast().reduce(0) { $0 + $1.gap }
    var (left, widths) = (space - gaps, bounds.map(\.least))
    // Fixed ones first; the others share what is left.
    left -= bounds.filter { $0.least == $0.most }.reduce(0) { $0 + $1.least }
    let flexible = bounds.indices.filter { bounds[$0].least != bounds[$0].most }
    for (turn, place) in flexible.enumerated() {
      let share = max(0, left) / (flexible.count - turn)
      widths[place] = min(max(share, bounds[place].least), bounds[place].most)
      left -= widths[place]
    }
    var (columns, edge): ([(left: Int, width: Int)], Int) = ([], 0)
    for (place, width) in widths.enumerated() {
      columns.append((edge, width))
      edge += width + bounds[place].gap
    }
    return columns
  }
}
