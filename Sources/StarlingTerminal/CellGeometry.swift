/// A place, in cells: columns to the right and rows down from an origin.
package struct CellPoint: Hashable, Sendable {
  package var column: Int
  package var row: Int

  package init(column: Int, row: Int) {
    self.column = column
    self.row = row
  }

  package static let zero = CellPoint(column: 0, row: 0)

  /// The nearest place within ±2³⁰ cells.
  package var bounded: CellPoint { CellPoint(column: Self.bounded(column), row: Self.bounded(row)) }

  fileprivate static func bounded(_ measure: Int) -> Int { min(max(measure, -(1 << 30)), 1 << 30) }
}

/// How many cells something takes. Never negative.
package struct CellSize: Hashable, Sendable {
  package let columns: Int
  package let rows: Int

  /// Negative measures are 0.
  package init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }

  package static let zero = CellSize(columns: 0, rows: 0)

  package var isEmpty: Bool { columns == 0 || rows == 0 }
}

/// A rectangle of cells.
///
/// ```
///   origin ─► ┌────────┐
///             │        │ rows
///             └────────┘ ◄─ end, one past the last column and row
///              columns
/// ```
///
/// Its edges stay within ±2³⁰ cells, whatever it is made of, so that sums of a few of them do not overflow.
package struct CellRect: Hashable, Sendable {
  package let origin: CellPoint
  package let size: CellSize

  package init(origin: CellPoint, size: CellSize) {
    self.origin = origin.bounded
    self.size = CellSize(columns: CellPoint.bounded(size.columns), rows: CellPoint.bounded(size.rows))
  }

  package init(column: Int, row: Int, columns: Int, rows: Int) {
    self.init(origin: CellPoint(column: column, row: row), size: CellSize(columns: columns, rows: rows))
  }

  package var columns: Range<Int> { origin.column..<origin.column + size.columns }
  package var rows: Range<Int> { origin.row..<origin.row + size.rows }
  package var isEmpty: Bool { size.isEmpty }

  package func contains(_ point: CellPoint) -> Bool {
    columns.contains(point.column) && rows.contains(point.row)
  }

  /// What both cover; empty where they do not meet.
  package func intersection(_ other: CellRect) -> CellRect {
    let columns = columns.clamped(to: other.columns)
    let rows = rows.clamped(to: other.rows)
    return CellRect(
      origin: CellPoint(column: columns.lowerBound, row: rows.lowerBound),
      size: CellSize(columns: columns.count, rows: rows.count))
  }

  package func moved(by distance: CellPoint) -> CellRect {
    let distance = distance.bounded
    return CellRect(
      origin: CellPoint(column: origin.column + distance.column, row: origin.row + distance.row), size: size)
  }
}
