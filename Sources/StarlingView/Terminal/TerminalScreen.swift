import Foundation
import StarlingTerminal

/// What a person sees of a tree of views in a terminal, and what their keys do: everything about it but the terminal.
///
/// ```
///   elements ── TerminalBlocks ──► blocks ── Layout ──► placement ── Picture ──► cells
///       ▲                                                   ▲
///       └── actions ◄── keys, the mouse ── focus, fields ───┘ how far windows are scrolled
/// ```
@MainActor final class TerminalScreen {
  let tree: ViewTree
  var size: CellSize
  var offsets: Placement.Offsets = [:]
  var fields: [ElementID: EditedField] = [:]
  var picture: Picture?
  var placement: Placement?
  /// What the focus was last seen on: when it moves, it is scrolled into sight.
  private var shownFocus: ElementID?
  var isFocusSought = false
  /// Where the focus was before something lay over the rest.
  private var focusBelow: ElementID?
  private var hadSheet = false
  /// What is being dragged, from where, and whether it has moved.
  var dragged: (id: ElementID, start: CellPoint, isMoved: Bool)?

  init(_ tree: ViewTree, size: CellSize) {
    self.tree = tree
    self.size = size
  }

  /// What is to be seen now.
  ///
  /// - Complexity: O(elements and cells)
  func draw() -> Canvas {
    let points = CGSize(
      width: TerminalLength.points(columns: size.columns), height: TerminalLength.points(rows: size.rows))
    tree.size.store(points)
    // What depends on the space that it gets is evaluated again; a space that depends on that in turn is left as it is.
    for _ in 0..<Self.measureCountMax {
      drawOnce()
      if !measure() { break }
    }
    return picture?.canvas ?? Canvas(size: size)
  }

  /// Frames that what depends on its space may take.
  private static let measureCountMax = 4

  /// Tells what depends on its space how large that is.
  ///
  /// - Returns: Whether something is to be evaluated again.
  private func measure() -> Bool {
    guard let placement else { return false }
    var rects: [BlockID: CellRect] = [:]
    placement.collect(at: .zero, into: &rects)
    for element in tree.drawn {
      element.forEach { element in
        guard let measured = element.actions.measured, let rect = rects[BlockID(element.id)] else { return }
        measured(
          CGRect(
            x: TerminalLength.points(columns: rect.origin.column), y: TerminalLength.points(rows: rect.origin.row),
            width: TerminalLength.points(columns: rect.size.columns),
            height: TerminalLength.points(rows: rect.size.rows)))
      }
    }
    return tree.isDue
  }

  private func drawOnce() {
    let elements = settledElements()
    let focused = tree.focus.focused
    follow(elements, focused)
    var layout = StarlingTerminal.Layout(
      TerminalBlocks.screen(elements, focused: focused, editors: fields.mapValues(\.editor)))
    let placement = layout.place(for: Proposal(columns: size.columns, rows: size.rows))
    offsets = placement.bounded(offsets)
    if let focused, isFocusSought || focused != shownFocus {
      offsets = placement.revealing(BlockID(focused), offsets)
    }
    (isFocusSought, shownFocus) = (false, focused)
    let picture = Picture(placement, size: size, offsets: offsets)
    for (id, editor) in picture.editors { fields[ElementID(node: id.thing)]?.editor = editor }
    self.placement = placement
    self.picture = picture
  }

  /// The elements, once the focus is where a person can move it: on what lies on top.
  private func settledElements() -> [Element] {
    let elements = tree.elements
    let sheet = elements.topSheet
    guard (sheet != nil) != hadSheet || sheet != nil else { return elements }
    let focused = tree.focus.focused
    if let sheet {
      if !hadSheet { focusBelow = focused }
      let inside = [sheet].focusable
      if !inside.contains(where: { $0.id == focused }) { tree.focus.move(to: inside.first?.id, in: tree) }
    } else if focused == nil, let focusBelow, elements.focusable.contains(where: { $0.id == focusBelow }) {
      tree.focus.move(to: focusBelow, in: tree)
    }
    hadSheet = sheet != nil
    return tree.elements
  }

  /// Keeps fields in step with what their bindings say.
  private func follow(_ elements: [Element], _ focused: ElementID?) {
    var present: [ElementID: EditedField] = [:]
    for element in elements {
      element.forEach { element in
        guard case .field(let text, _, _, _) = element.kind else { return }
        var field = fields[element.id] ?? EditedField(text)
        field.follow(text, isFocused: element.id == focused)
        present[element.id] = field
      }
    }
    fields = present
  }

  // MARK: What a person does

  /// Takes what a person did.
  ///
  /// - Returns: Whether it meant something here.
  @discardableResult func take(_ input: TerminalInput) -> Bool {
    switch input {
    case .key(let key): return press(key)
    case .paste(let text): return edit { $0.insert(text, keepingLines: $1) }
    case .mouse(let report): return point(report)
    case .focus: return false
    }
  }

  var elements: [Element] { tree.elements.topSheet.map { [$0] } ?? tree.elements }

  func element(_ id: ElementID) -> Element? {
    elements.all.last { $0.id == id && ($0.isFocusable || $0.actions.tap != nil) }
  }

  var focusedElement: Element? { tree.focus.focused.flatMap { element($0) } }
}

extension Placement {
  /// Where blocks with names stand on the screen, as if nothing were scrolled.
  fileprivate func collect(at origin: CellPoint, into rects: inout [BlockID: CellRect]) {
    let rect = rect.moved(by: origin)
    if let target { rects[target] = rect }
    for child in children { child.collect(at: rect.origin, into: &rects) }
  }
}
extension [Element] {
  /// Each of them and all inside.
  var all: [Element] {
    var all: [Element] = []
    for element in self { element.forEach { all.append($0) } }
    return all
  }

  /// What lies over all the rest.
  var topSheet: Element? {
    all.last { element in
      switch element.kind {
      case .sheet, .alert: true
      default: false
      }
    }
  }
}
