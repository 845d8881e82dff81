/// What is drawn of a placement, and what stands where.
package struct Picture: Sendable {
  package private(set) var canvas: Canvas
  /// What can be pointed at, and where it is seen, in the order in which it is read; what lies in front comes later.
  package private(set) var targets: [(id: BlockID, rect: CellRect)] = []
  /// Windows that have more to show, from the outermost in.
  package private(set) var windows: [(id: BlockID, rect: CellRect)] = []
  /// Lines that are edited, as they moved to show their cursors.
  package private(set) var editors: [BlockID: LineEditor] = [:]
  /// The columns in which the text of a line begins and ends.
  package private(set) var fieldRects: [BlockID: CellRect] = [:]

  /// - Parameter offsets: How far windows are scrolled.
  /// - Complexity: O(blocks and cells that are seen)
  package init(_ placement: Placement, size: CellSize, offsets: Placement.Offsets = [:]) {
    canvas = Canvas(size: size)
    draw(placement, offsets, at: .zero)
  }

  /// The last that lies at a place.
  package func target(at place: CellPoint) -> BlockID? { targets.last { $0.rect.contains(place) }?.id }

  /// The innermost window at a place.
  package func window(at place: CellPoint) -> BlockID? { windows.last { $0.rect.contains(place) }?.id }

  /// - Parameter origin: Of what is around, on the canvas.
  private mutating func draw(_ placement: Placement, _ offsets: Placement.Offsets, at origin: CellPoint) {
    let local = canvas.visibleRect
    let seen = local.intersection(placement.rect)
    // Rows far outside of a window cost nothing more than this.
    guard !seen.isEmpty else { return }
    if let target = placement.target { targets.append((target, seen.moved(by: origin))) }
    let place = placement.rect.moved(by: origin).origin
    let whole = CellRect(origin: .zero, size: placement.rect.size)
    within(placement.rect) { picture in
      switch placement.kind {
      case .text(let paragraph): picture.write(paragraph, in: placement.rect.size)
      case .divider(let style):
        let isVertical = placement.rect.size.columns == 1 && placement.rect.size.rows > 1
        if isVertical {
          picture.canvas.drawLine(downFrom: .zero, rows: placement.rect.size.rows, style)
        } else {
          picture.canvas.drawLine(acrossFrom: .zero, columns: placement.rect.size.columns, style)
        }
      case .surface(let style): picture.canvas.fill(whole, style)
      case .background(let color): picture.canvas.fill(whole, CellStyle(background: color))
      case .box(let style): picture.canvas.drawBox(whole, style)
      case .gauge(let fraction, let style): picture.drawGauge(fraction, placement.rect.size.columns, style)
      case .field(let field): picture.draw(field, placement, at: place)
      case .invisible: return
      case .scroll(let id, _, _): return picture.draw(window: placement, id, offsets, at: place)
      case .stack, .overlay, .spacer, .padding, .frame, .arranged: break
      }
      for child in placement.children { picture.draw(child, offsets, at: place) }
    }
  }

  private mutating func within(_ rect: CellRect, scrolledBy scroll: CellPoint = .zero, _ body: (inout Picture) -> Void)
  {
    let outer = canvas.enter(rect, scrolledBy: scroll)
    body(&self)
    canvas.leave(to: outer)
  }

  private mutating func write(_ paragraph: Paragraph, in size: CellSize) {
    for (row, line) in paragraph.lines(in: size.columns).enumerated() where canvas.visibleRect.rows.contains(row) {
      var column = paragraph.alignment.offset(of: line.reduce(0) { $0 + $1.glyph.columns }, in: size.columns)
      for styled in line {
        canvas.write([styled.glyph], at: CellPoint(column: column, row: row), styled.style)
        column += styled.glyph.columns
      }
    }
  }

  private mutating func drawGauge(_ fraction: Double, _ columns: Int, _ style: CellStyle) {
    // What is no number is nothing done.
    let full = fraction > 0 ? Int((min(fraction, 1) * Double(columns)).rounded()) : 0
    canvas.write(String(repeating: "█", count: full), at: .zero, style)
    canvas.write(String(repeating: "░", count: columns - full), at: CellPoint(column: full, row: 0), style)
  }

  private mutating func draw(_ field: BlockField, _ placement: Placement, at place: CellPoint) {
    let columns = placement.rect.size.columns
    var editor = field.editor
    canvas.fill(CellRect(origin: .zero, size: placement.rect.size), field.style)
    if editor.text.isEmpty {
      var style = field.style
      style.attributes.insert(.dim)
      canvas.write(field.prompt, at: .zero, style)
    }
    var cursor = CellPoint.zero
    if field.isMultiline {
      let page = editor.page(columns: columns, rows: placement.rect.size.rows)
      for (row, line) in page.lines.enumerated() {
        canvas.write(line, at: CellPoint(column: 0, row: row), field.style)
      }
      cursor = page.cursor
    } else {
      let window = editor.window(columns: columns, secure: field.isSecret)
      canvas.write(window.glyphs, at: .zero, field.style)
      cursor.column = window.cursorColumn
    }
    if field.showsCursor { canvas.showCursor(at: cursor) }
    if let target = placement.target {
      editors[target] = editor
      fieldRects[target] = CellRect(origin: place, size: placement.rect.size)
    }
  }

  private mutating func draw(
    window placement: Placement, _ id: BlockID, _ offsets: Placement.Offsets, at place: CellPoint
  ) {
    guard let content = placement.children.first else { return }
    let offset = offsets[id] ?? .zero
    let viewport = CellRect(origin: .zero, size: placement.viewport)
    windows.append((id, canvas.visibleRect.intersection(viewport).moved(by: place)))
    within(viewport, scrolledBy: offset) { picture in
      picture.draw(
        content, offsets, at: CellPoint(column: place.column - offset.column, row: place.row - offset.row))
    }
    guard placement.isScrolledByMark else { return }
    // The mark is as long, and stands as far down, in the window's edge as the window in its content.
    let (rows, all) = (placement.rect.size.rows, content.rect.size.rows)
    let length = max(1, rows * rows / all)
    let start = all == rows ? 0 : offset.row * (rows - length) / (all - rows)
    let column = placement.rect.size.columns - 1
    canvas.drawLine(downFrom: CellPoint(column: column, row: 0), rows: rows, CellStyle(attributes: .dim))
    for row in start..<start + length { canvas.write("█", at: CellPoint(column: column, row: row), .plain) }
  }
}
