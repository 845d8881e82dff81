/// A block where it stands.
package struct Placement: Sendable {
  package let kind: Block.Kind
  package let target: BlockID?
  /// Within the one around it.
  package let rect: CellRect
  package var children: [Placement] = []

  init(kind: Block.Kind, target: BlockID?, rect: CellRect) {
    self.kind = kind
    self.target = target
    self.rect = rect
  }

  /// How far windows are scrolled, by their names.
  package typealias Offsets = [BlockID: CellPoint]

  /// The same, with no window scrolled past the end of what it shows.
  package func bounded(_ offsets: Offsets) -> Offsets {
    var bounded: Offsets = [:]
    bound(offsets, into: &bounded)
    return bounded
  }

  private func bound(_ offsets: Offsets, into bounded: inout Offsets) {
    if case .scroll(let id, _, _) = kind, let offset = offsets[id] { bounded[id] = boundedOffset(offset) }
    for child in children { child.bound(offsets, into: &bounded) }
  }

  /// - Parameter offset: Of this window.
  private func boundedOffset(_ offset: CellPoint) -> CellPoint {
    let content = children.first?.rect.size ?? .zero
    return CellPoint(
      column: min(max(0, offset.column), max(0, content.columns - viewport.columns)),
      row: min(max(0, offset.row), max(0, content.rows - viewport.rows)))
  }

  /// What of a window shows its content: all but the mark of how far it is scrolled.
  var viewport: CellSize {
    guard isScrolledByMark else { return rect.size }
    return CellSize(columns: rect.size.columns - 1, rows: rect.size.rows)
  }

  /// Whether a window has rows that it does not show, and so a mark.
  var isScrolledByMark: Bool {
    guard case .scroll(_, let axes, _) = kind, let content = children.first else { return false }
    return axes.contains(.vertical) && content.rect.size.rows > rect.size.rows && rect.size.columns > 1
  }

  /// Scrolls the windows around a target no further than they must so that it is seen; where it is larger than a
  /// window, its beginning is.
  package func revealing(_ target: BlockID, _ offsets: Offsets) -> Offsets {
    var offsets = offsets
    _ = reveal(target, &offsets)
    return offsets
  }

  /// - Returns: Where the target is seen in this block; nil: it is not in it.
  private func reveal(_ target: BlockID, _ offsets: inout Offsets) -> CellRect? {
    if self.target == target { return CellRect(origin: .zero, size: rect.size) }
    for child in children {
      guard let found = child.reveal(target, &offsets)?.moved(by: child.rect.origin) else { continue }
      guard case .scroll(let id, _, _) = kind else { return found }
      let old = offsets[id] ?? .zero
      let new = boundedOffset(
        CellPoint(
          column: Self.offset(old.column, showing: found.columns, in: viewport.columns),
          row: Self.offset(old.row, showing: found.rows, in: viewport.rows)))
      offsets[id] = new
      return found.moved(by: CellPoint(column: -new.column, row: -new.row))
    }
    return nil
  }

  private static func offset(_ offset: Int, showing range: Range<Int>, in space: Int) -> Int {
    if range.lowerBound < offset || range.count > space { return range.lowerBound }
    return max(offset, range.upperBound - space)
  }
}
