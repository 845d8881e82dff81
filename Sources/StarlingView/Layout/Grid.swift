public import Foundation
import StarlingTerminal

/// Rows whose cells stand in columns, each as wide as its widest cell.
///
/// ```swift
/// Grid(alignment: .leading) {
///   GridRow { Text("Name"); TextField("Name", text: $name) }
///   Divider()
/// }
/// ```
public struct Grid<Content: View>: View {
  public typealias Body = Never
  private let alignment: Alignment
  private let horizontalSpacing: CGFloat?
  private let verticalSpacing: CGFloat?
  private let content: Content

  /// Puts rows into columns. A view that is no row spans all of them.
  ///
  /// - Parameters:
  ///   - alignment: Where cells stand that are smaller than their place.
  ///   - horizontalSpacing: Points between two columns; nil as the host chooses.
  ///   - verticalSpacing: Points between two rows; nil as the host chooses.
  ///   - content: The rows.
  public init(
    alignment: Alignment = .center, horizontalSpacing: CGFloat? = nil, verticalSpacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content
  ) {
    self.alignment = alignment
    self.horizontalSpacing = horizontalSpacing
    self.verticalSpacing = verticalSpacing
    self.content = content()
  }
}

extension Grid: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let (alignment, columnSpacing, rowSpacing) = (alignment, horizontalSpacing, verticalSpacing)
    return Composition(content) { drawn in
      var (cells, rows): ([Element], [[GridCells.Cell]]) = ([], [])
      for element in drawn.all {
        let row = element.isGridRow ? element.children : [element]
        rows.append(
          row.enumerated().map { place, cell in
            GridCells.Cell(child: cells.count + place, span: element.isGridRow ? cell.gridSpan : nil)
          })
        cells += row
      }
      let grid = GridCells(
        rows: rows, columnSpacing: columnSpacing.map { TerminalLength.columns(Double($0)) } ?? 1,
        rowSpacing: rowSpacing.map { TerminalLength.rows(Double($0)) } ?? 0, alignment: alignment)
      return [Element(node, .arranged(grid), cells)]
    }
  }
}

/// Cells of a `Grid` that stand side by side.
public struct GridRow<Content: View>: View {
  public typealias Body = Never
  private let content: Content

  /// A row of cells. How they stand in it is the grid's: the alignment has no effect.
  public init(alignment: VerticalAlignment? = nil, @ViewBuilder content: () -> Content) {
    self.content = content()
  }
}

extension GridRow: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    Composition(content) { drawn in
      var row = Element(node, .stack(.horizontal, alignment: .center, spacing: nil), drawn.all)
      row.isGridRow = true
      return [row]
    }
  }
}

extension View {
  /// How many columns of a `Grid` the cell takes.
  public func gridCellColumns(_ count: Int) -> some View { MarkedView(content: self) { $0.gridSpan = max(1, count) } }
  /// Accepted and without effect: a column is as wide as its widest cell.
  public func gridCellUnsizedAxes(_ axes: Axis.Set) -> some View { accepted("gridCellUnsizedAxes") }
  /// Accepted and without effect: cells stand as the grid has it.
  public func gridColumnAlignment(_ guide: HorizontalAlignment) -> some View { accepted("gridColumnAlignment") }
  /// Accepted and without effect: cells stand as the grid has it.
  public func gridCellAnchor(_ anchor: UnitPoint) -> some View { accepted("gridCellAnchor") }
}

/// Where the cells of a grid stand.
struct GridCells: BlockArrangement {
  struct Cell {
    let child: Int
    /// How many columns it takes; nil: all.
    let span: Int?
  }

  let rows: [[Cell]]
  let columnSpacing: Int
  let rowSpacing: Int
  let alignment: Alignment

  func arrange(_ proposal: Proposal, _ children: Int, _ size: (Int, Proposal) -> CellSize) -> BlockPlaces {
    let columns = widths(proposal, size)
    var places = BlockPlaces()
    var top = 0
    for row in rows {
      let cells = place(row, columns, size)
      let height = cells.map(\.size.rows).max() ?? 0
      for cell in cells {
        let left = cell.left + BlockAlignment(alignment.horizontal).offset(of: cell.size.columns, in: cell.width)
        let up = top + BlockAlignment(alignment.vertical).offset(of: cell.size.rows, in: height)
        places.children[cell.child] = (CellPoint(column: left, row: up), Proposal(columns: cell.width))
      }
      top += height + rowSpacing
    }
    let width = columns.reduce(0, +) + columnSpacing * max(0, columns.count - 1)
    places.size = CellSize(columns: width, rows: max(0, top - rowSpacing))
    return places
  }

  private typealias Placed = (child: Int, left: Int, width: Int, size: CellSize)

  private func place(_ row: [Cell], _ columns: [Int], _ size: (Int, Proposal) -> CellSize) -> [Placed] {
    var (placed, column, left): ([Placed], Int, Int) = ([], 0, 0)
    for cell in row {
      let span = min(cell.span ?? columns.count, columns.count - column)
      guard span > 0 else { break }
      let width = columns[column..<column + span].reduce(0, +) + columnSpacing * (span - 1)
      placed.append((cell.child, left, width, size(cell.child, Proposal(columns: width))))
      column += span
      left += width + columnSpacing
    }
    return placed
  }

  /// Each column as wide as its widest cell; where that is too much, the widest columns give way.
  private func widths(_ proposal: Proposal, _ size: (Int, Proposal) -> CellSize) -> [Int] {
    let count = rows.map { $0.reduce(0) { $0 + ($1.span ?? 1) } }.max() ?? 0
    var widths = Array(repeating: 0, count: count)
    for row in rows {
      var column = 0
      for cell in row {
        if cell.span == 1, column < count {
          widths[column] = max(widths[column], size(cell.child, Proposal()).columns)
        }
        column += cell.span ?? count
      }
    }
    guard let space = proposal.columns else { return widths }
    var excess = widths.reduce(0, +) + columnSpacing * max(0, count - 1) - space
    while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > 1 {
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }
}
