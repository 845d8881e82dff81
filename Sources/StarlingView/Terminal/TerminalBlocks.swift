import StarlingTerminal

/// Turns elements into blocks of cells.
///
/// ```
///   Toggle     [x] Available                 Slider      Volume [██████░░░░] 0.6
///   Button     [ Save ]                      Stepper     Copies: 3 [-][+]
///   TextField  Title: [Dune      ]           Picker      Shelf: [ fiction ▾ ]
///   TabView    [General] Sharing             Progress    Loading ████░░ 66%
/// ```
///
/// What has the focus is shown in reverse, and its brackets point inwards, `›x‹`: that is seen without colours too.
struct TerminalBlocks {
  /// What has the focus.
  let focused: ElementID?
  /// Fields by what is being done in them.
  let editors: [ElementID: LineEditor]
  /// What lies over the rest, the last on top.
  private(set) var sheets: [Block] = []

  init(focused: ElementID?, editors: [ElementID: LineEditor]) {
    self.focused = focused
    self.editors = editors
  }

  /// All of them, one below the other, in a window of the size of the screen.
  ///
  /// - Returns: The screen, and what lies over it.
  static func screen(_ elements: [Element], focused: ElementID?, editors: [ElementID: LineEditor]) -> Block {
    var blocks = TerminalBlocks(focused: focused, editors: editors)
    let content = blocks.blocks(elements, .vertical, TerminalLook())
    let root = Block(.scroll(.screen, .vertical, .space), [.column(content)])
    return Block(.overlay(.leading, .leading), [root] + blocks.sheets)
  }

  // MARK: Elements

  mutating func blocks(_ elements: [Element], _ axis: BlockAxis, _ look: TerminalLook) -> [Block] {
    elements.compactMap { block($0, axis, look) }
  }

  /// - Parameter axis: Of the stack around it.
  /// - Returns: Nil for what stands elsewhere.
  private mutating func block(_ element: Element, _ axis: BlockAxis, _ outer: TerminalLook) -> Block? {
    let look = outer.inside(element.style)
    switch element.kind {
    case .drawer: return nil
    case .sheet, .alert:
      sheets.append(sheet(element, look))
      return nil
    default: break
    }
    var block = content(of: element, axis, look)
    if element.actions.tap != nil || element.actions.drag != nil || element.actions.isFocusable {
      block.target = block.target ?? BlockID(element.id)
    }
    return layered(block, element.style, look)
  }

  private mutating func content(of element: Element, _ axis: BlockAxis, _ look: TerminalLook) -> Block {
    switch element.kind {
    case .text(let text): return .text(text, look)
    case .title(let title): return .text(title, look.with(.bold))
    case .image(let name): return .text(element.accessibilityLabel ?? Self.sign(of: name), look.style)
    case .stack(let axis, let alignment, let spacing): return stack(element, BlockAxis(axis), alignment, spacing, look)
    case .overlay(let alignment):
      return Block(
        .overlay(BlockAlignment(alignment.horizontal), BlockAlignment(alignment.vertical)),
        blocks(element.children, axis, look))
    case .spacer(let minLength):
      let length = minLength ?? 0
      return Block(
        .spacer(minLength: axis == .horizontal ? TerminalLength.columns(length) : TerminalLength.rows(length)))
    case .divider: return Block(.divider(look.with(.dim)))
    case .fill(let color):
      return Block(.surface(CellStyle(background: color.isClear ? .standard : CellColor(color, tint: look.tint))))
    case .scroll(let axes):
      return Block(
        .scroll(BlockID(element.id), BlockAxes(axes), .content), [.column(blocks(element.children, .vertical, look))])
    case .list, .form: return rows(element, look)
    case .section(let header, let footer): return section(element, header, footer, look)
    case .group: return group(element, axis, look)
    case .arranged(let arrangement):
      // A child that stands elsewhere leaves its place empty.
      return Block(.arranged(arrangement), element.children.map { block($0, .vertical, look) ?? .column([]) })
    case .geometry:
      let whole = BlockFrame(
        columns: .init(greatest: .max), rows: .init(greatest: .max), columnAlignment: .leading, rowAlignment: .leading)
      return Block(.frame(whole), [.column(blocks(element.children, .vertical, look))], target: BlockID(element.id))
    case .sheet, .alert, .drawer: return .column([])
    default: return control(element, look)
    }
  }

  private mutating func stack(
    _ element: Element, _ axis: BlockAxis, _ alignment: Alignment, _ spacing: Double?, _ look: TerminalLook
  ) -> Block {
    let children = blocks(element.children, axis, look)
    switch axis {
    case .horizontal:
      return .row(
        children, spacing: spacing.map(TerminalLength.columns) ?? 1, alignment: BlockAlignment(alignment.vertical))
    case .vertical:
      return .column(
        children, spacing: spacing.map(TerminalLength.rows) ?? 0, alignment: BlockAlignment(alignment.horizontal))
    }
  }

  /// What a group holds goes on in the direction of what is around.
  private mutating func group(_ element: Element, _ axis: BlockAxis, _ look: TerminalLook) -> Block {
    var look = look
    if element.id == focused { look.style.attributes.insert(.reversed) }
    let children = blocks(element.children, axis, look)
    return axis == .horizontal ? .row(children) : .column(children)
  }

  /// A list's or a form's rows in a window. Sections stand apart from each other.
  private mutating func rows(_ element: Element, _ look: TerminalLook) -> Block {
    var rows: [Block] = []
    for (place, child) in element.children.enumerated() {
      if place > 0, child.isSection || element.children[place - 1].isSection { rows.append(.text("")) }
      if let row = row(child, look) { rows.append(row) }
    }
    return Block(.scroll(BlockID(element.id), .vertical, .width), [.column(rows)])
  }

  /// A row of a list, with what marks it. All marks are seen without colours.
  private mutating func row(_ element: Element, _ look: TerminalLook) -> Block? {
    guard var row = block(element, .vertical, look) else { return nil }
    if element.row.isEditing {
      let marks = (element.row.delete == nil ? "" : "−") + (element.row.move == nil ? "" : "↕")
      if !marks.isEmpty { row = .row([.text(marks, look.with(.dim)), row]) }
    }
    guard element.actions.isFocusable, case .group = element.kind else { return row }
    let mark = (element.id == focused ? "›" : " ") + (element.isSelected ? "✓" : " ")
    return .row([.text(mark, look.style), row])
  }

  private mutating func section(
    _ element: Element, _ header: [Element], _ footer: [Element], _ look: TerminalLook
  ) -> Block {
    var (head, foot) = (look, look)
    head.style.attributes.insert(.bold)
    foot.style.attributes.insert(.dim)
    let content = Block.column(element.children.compactMap { row($0, look) })
    let indented = Block(.padding(BlockInsets(leading: header.isEmpty ? 0 : 2)), [content])
    return .column(blocks(header, .vertical, head) + [indented] + blocks(footer, .vertical, foot))
  }

  /// A box in the middle of the screen, as wide as it must be.
  private mutating func sheet(_ element: Element, _ look: TerminalLook) -> Block {
    var content: [Block] = []
    if case .alert(let title) = element.kind { content.append(.text(title, look.with(.bold))) }
    content += blocks(element.children, .vertical, look)
    let padded = Block(.padding(BlockInsets(leading: 1, trailing: 1)), [.column(content, spacing: 0)])
    let window = Block(.scroll(BlockID(element.id), .vertical, .content), [padded])
    let box = Block(.box(look.style), [window])
    let whole = BlockFrame(columns: .init(greatest: .max), rows: .init(greatest: .max))
    // Blanks behind it, or what it covers would show through.
    return Block(.frame(whole), [Block(.background(.standard), [box])])
  }

  // MARK: Layers

  /// Puts an element's padding, frame, background and border around what it holds.
  private func layered(_ block: Block, _ style: Style, _ look: TerminalLook) -> Block {
    var block = block
    let padding = style.padding
    let insets = BlockInsets(
      top: TerminalLength.rows(Double(padding.top)), leading: TerminalLength.columns(Double(padding.leading)),
      bottom: TerminalLength.rows(Double(padding.bottom)), trailing: TerminalLength.columns(Double(padding.trailing)))
    if insets != BlockInsets() { block = Block(.padding(insets), [block]) }
    if style.frame != Style.Frame() { block = Block(.frame(BlockFrame(style.frame)), [block]) }
    if let color = style.background, !color.isClear {
      block = Block(.background(CellColor(color, tint: look.tint)), [block])
    }
    if let border = style.border {
      block = Block(.box(CellStyle(foreground: CellColor(border.color, tint: look.tint))), [block])
    }
    if style.isHidden || style.opacity <= 0 { block = Block(.invisible, [block]) }
    return block
  }

  // MARK: Signs

  /// A sign for the pictures that programs show most, and the name of any other.
  private static func sign(of name: String) -> String {
    let signs: [String: String] = [
      "plus": "+", "minus": "−", "checkmark": "✓", "xmark": "✗", "trash": "✗", "star": "☆", "star.fill": "★",
      "heart": "♡", "heart.fill": "♥", "circle": "○", "circle.fill": "●", "checkmark.circle": "✓",
      "checkmark.circle.fill": "✓", "chevron.left": "‹", "chevron.right": "›", "chevron.up": "▲", "chevron.down": "▼",
    ]
    return signs[name] ?? name
  }
}

extension Block {
  static func text(_ text: StyledText, _ look: TerminalLook) -> Block {
    var paragraph = Paragraph(lineCountMax: look.lineLimit)
    paragraph.alignment = look.alignment
    for run in text.runs { paragraph.append(run.string, look.inside(run.style).style) }
    return Block(.text(paragraph))
  }
}

extension BlockID {
  /// The window in which everything stands.
  static let screen = BlockID(thing: 0)

  init(_ id: ElementID, part: Int? = nil) {
    self.init(thing: id.node, part: part)
  }
}

extension BlockAxis {
  init(_ axis: Axis) {
    self = axis == .horizontal ? .horizontal : .vertical
  }
}

extension BlockAxes {
  init(_ axes: Axis.Set) {
    self = []
    if axes.contains(.horizontal) { insert(.horizontal) }
    if axes.contains(.vertical) { insert(.vertical) }
  }
}

extension BlockFrame {
  init(_ frame: Style.Frame) {
    // Between bounds, a length is only what would be best.
    let isExact = (
      columns: frame.minWidth == nil && frame.maxWidth == nil, rows: frame.minHeight == nil && frame.maxHeight == nil
    )
    self.init(
      columns: Length(
        least: frame.minWidth.map(TerminalLength.columns),
        exact: isExact.columns ? frame.width.map(TerminalLength.columns) : nil,
        greatest: frame.maxWidth.map(TerminalLength.columns)),
      rows: Length(
        least: frame.minHeight.map(TerminalLength.rows),
        exact: isExact.rows ? frame.height.map(TerminalLength.rows) : nil,
        greatest: frame.maxHeight.map(TerminalLength.rows)),
      columnAlignment: BlockAlignment(frame.alignment.horizontal),
      rowAlignment: BlockAlignment(frame.alignment.vertical))
  }
}

extension Element {
  fileprivate var isSection: Bool {
    if case .section = kind { return true }
    return false
  }
}
