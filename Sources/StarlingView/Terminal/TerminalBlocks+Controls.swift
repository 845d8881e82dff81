import Foundation
import StarlingTerminal

extension TerminalBlocks {
  /// What a person can use.
  mutating func control(_ element: Element, _ look: TerminalLook) -> Block {
    let hasFocus = element.id == focused
    let mark: CellAttributes = hasFocus ? [.reversed] : []
    let brackets = hasFocus ? ("›", "‹") : ("[", "]")
    func inBrackets(_ block: Block, part: Int? = nil) -> Block {
      let style = look.with(mark)
      var row = Block.row([.text(brackets.0, style), block, .text(brackets.1, style)], spacing: 0)
      row.target = part.map { BlockID(element.id, part: $0) }
      return row
    }
    let label = labelBlocks(element.children, look)
    switch element.kind {
    case .button(let role):
      var inner = look
      inner.style.attributes.formUnion(mark)
      inner.lineLimit = inner.lineLimit ?? 1
      if role == .destructive, !element.style.isDisabled { inner.style.foreground = .indexed(1) }
      let content = labelBlocks(element.children, inner)
      let spoken = content.isEmpty ? [Block.text(element.label, inner.style)] : content
      if element.style.isPlain { return .row(spoken) }
      return inBrackets(.row([.text(" ", inner.style), .row(spoken), .text(" ", inner.style)], spacing: 0))
    case .toggle(let isOn):
      return .row([inBrackets(.text(isOn ? "x" : " ", look.with(mark)))] + label)
    case .field(let text, let prompt, let isSecret, let isMultiline):
      let field = BlockField(
        editors[element.id] ?? LineEditor(text), prompt: prompt ?? "", isSecret: isSecret, isMultiline: isMultiline,
        showsCursor: hasFocus, look.style)
      return .row(named(label, look) + [inBrackets(Block(.field(field), target: BlockID(element.id, part: 0)))])
    case .stepper:
      return .row(
        label + [inBrackets(.text("-", look.with(mark)), part: 0), inBrackets(.text("+", look.with(mark)), part: 1)])
    case .slider(let value, let bounds):
      let length = bounds.upperBound - bounds.lowerBound
      let gauge = Block(
        .gauge(fraction: length > 0 ? (value - bounds.lowerBound) / length : 0, CellStyle(foreground: look.tint)),
        target: BlockID(element.id, part: 0))
      return .row(named(label, look) + [inBrackets(gauge), .text(Self.number(value), look.style, lineCountMax: 1)])
    case .picker(let selected, let names):
      let chosen = selected.map { element.children[$0].label } ?? "–"
      return .row(
        named(labelBlocks(names, look), look)
          + [inBrackets(.text(" \(chosen) ▾ ", look.with(mark), lineCountMax: 1))])
    case .progress(let fraction):
      let gauge = fraction.map { [Block(.gauge(fraction: $0, CellStyle(foreground: look.tint)))] } ?? []
      let done = fraction.map { "\(Int(($0 * 100).rounded()))%" } ?? "…"
      return .row(label + gauge + [.text(done, look.style)])
    case .tabs(let labels, let selected): return tabs(element, labels, selected, look)
    default: return .column(label)
    }
  }

  /// A row of labels, a line, and the content of the one that is selected.
  private mutating func tabs(
    _ element: Element, _ labels: [[Element]], _ selected: Int, _ look: TerminalLook
  ) -> Block {
    let hasFocus = element.id == focused
    let row = labels.enumerated().map { place, label in
      let isSelected = place == selected
      let style = isSelected ? look.with(hasFocus ? [.bold, .reversed] : .bold) : look.style
      let brackets = isSelected ? (hasFocus ? ("›", "‹") : ("[", "]")) : (" ", " ")
      return Block(
        .text(Paragraph(brackets.0 + Element.label(of: label) + brackets.1, style, lineCountMax: 1)),
        target: BlockID(element.id, part: place))
    }
    let head = Block(.stack(.horizontal, spacing: 0, alignment: .leading), row, target: BlockID(element.id))
    var whole = Block.column([head, Block(.divider(look.with(.dim)))] + blocks(element.children, .vertical, look))
    // What is pointed at, and shown when it has the focus, is the row alone.
    whole.target = BlockID(element.id, part: -1)
    return whole
  }

  /// A label's picture says what its title says; it is drawn where there is nothing else.
  private mutating func labelBlocks(_ elements: [Element], _ look: TerminalLook) -> [Block] {
    let visible = elements.filter { !$0.style.isHidden }
    let words = visible.filter { !$0.isPicture }
    return blocks(words.isEmpty ? visible : words, .horizontal, look)
  }

  /// A label before something, with a colon if there is one.
  private func named(_ label: [Block], _ look: TerminalLook) -> [Block] {
    label.isEmpty ? [] : [.row(label + [.text(":", look.style)], spacing: 0)]
  }

  /// Up to two digits behind the point.
  private static func number(_ value: Double) -> String {
    value.formatted(
      .number.precision(.fractionLength(0...2)).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
  }
}

extension Element {
  fileprivate var isPicture: Bool {
    if case .image = kind, accessibilityLabel == nil { return true }
    return false
  }
}
