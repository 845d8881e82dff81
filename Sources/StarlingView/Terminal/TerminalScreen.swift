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
  private var offsets: Placement.Offsets = [:]
  private var fields: [ElementID: EditedField] = [:]
  private var picture: Picture?
  private var placement: Placement?
  /// What the focus was last seen on: when it moves, it is scrolled into sight.
  private var shownFocus: ElementID?
  private var isFocusSought = false
  /// Where the focus was before something lay over the rest.
  private var focusBelow: ElementID?
  private var hadSheet = false
  /// What is being dragged, from where, and whether it has moved.
  private var dragged: (id: ElementID, start: CellPoint, isMoved: Bool)?

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

  // MARK: Keys

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

  private var elements: [Element] { tree.elements.topSheet.map { [$0] } ?? tree.elements }

  private func element(_ id: ElementID) -> Element? {
    elements.all.last { $0.id == id && ($0.isFocusable || $0.actions.tap != nil) }
  }

  private var focusedElement: Element? { tree.focus.focused.flatMap { element($0) } }

  private func press(_ key: Key) -> Bool {
    if let element = focusedElement, !element.style.isDisabled {
      if elements.pressed(key, around: element.id) { return true }
      if use(element, key) || useRow(of: element, key) {
        isFocusSought = true
        return true
      }
    } else if elements.pressed(key, around: nil) {
      return true
    }
    if let equivalent = KeyEquivalent(key.code), let tap = elements.tap(for: equivalent, EventModifiers(key.modifiers))
    {
      tap()
      return true
    }
    switch (key.code, key.modifiers) {
    case (.tab, []): return moveFocus(1, isCircular: true)
    case (.tab, .shift): return moveFocus(-1, isCircular: true)
    case (.down, []), (.right, []): return moveFocus(1, isCircular: false) || scroll { _ in 1 }
    case (.up, []), (.left, []): return moveFocus(-1, isCircular: false) || scroll { _ in -1 }
    case (.pageDown, _): return scroll { max(1, $0 - 1) }
    case (.pageUp, _): return scroll { -max(1, $0 - 1) }
    case (.end, _): return scroll { _ in 1 << 20 }
    case (.home, _): return scroll { _ in -(1 << 20) }
    case (.escape, _): return dismiss()
    case (.character("/"), []), (.character("f"), .control): return seek()
    default: return false
    }
  }

  /// What a key does to the row in which something has the focus.
  private func useRow(of element: Element, _ key: Key) -> Bool {
    guard let row = elements.rowActions(around: element.id) else { return false }
    switch (key.code, key.modifiers) {
    case (.delete, []), (.backspace, []):
      guard let delete = row.delete else { return false }
      let place = elements.focusable.firstIndex { $0.id == element.id }
      delete()
      focusAgain(at: place)
      return true
    case (.up, .alt): return perform(row.move) { $0(-1) }
    case (.down, .alt): return perform(row.move) { $0(1) }
    case (.character("o"), .control), (.function(10), .shift): return perform(row.openMenu) { $0() }
    default: return false
    }
  }

  /// Where what had the focus has gone, what stands in its place gets it.
  private func focusAgain(at place: Int?) {
    let candidates = elements.focusable
    guard let place, tree.focus.focused == nil, !candidates.isEmpty else { return }
    tree.focus.move(to: candidates[min(place, candidates.count - 1)].id, in: tree)
  }

  /// Goes to the field in which one searches.
  private func seek() -> Bool {
    guard let field = elements.focusable.first(where: \.actions.isSearch) else { return false }
    tree.focus.move(to: field.id, in: tree)
    return true
  }

  /// What a key does to what has the focus.
  private func use(_ element: Element, _ key: Key) -> Bool {
    if case .field(_, _, _, let isMultiline) = element.kind {
      if key.code == .enter, !isMultiline {
        element.actions.submit?()
        return true
      }
      if let step = element.actions.step, !isMultiline, key.modifiers.isEmpty, key.code == .up || key.code == .down {
        step(key.code == .up)
        return true
      }
      return edit { editor, isMultiline in
        switch key.code {
        case .enter: editor.insert("\n", keepingLines: isMultiline)
        case .up where isMultiline: return editor.moveUp() ? () : nil
        case .down where isMultiline: return editor.moveDown() ? () : nil
        default: return editor.press(key) ? () : nil
        }
        return ()
      }
    }
    guard key.modifiers.isEmpty else { return false }
    switch (element.kind, key.code) {
    case (.stepper, .left), (.slider, .left), (.stepper, .character("-")), (.slider, .character("-")):
      return perform(element.actions.step) { $0(false) }
    case (.stepper, .right), (.slider, .right), (.stepper, .character("+")), (.slider, .character("+")):
      return perform(element.actions.step) { $0(true) }
    case (.picker(let selected, _), .left): return choose(element, (selected ?? 1) - 1, of: element.children.count)
    case (.picker(let selected, _), .right): return choose(element, (selected ?? -1) + 1, of: element.children.count)
    case (.picker(let selected, _), .enter), (.picker(let selected, _), .character(" ")):
      return chooseNext(element, after: selected)
    case (.tabs(let labels, let selected), .left): return choose(element, selected - 1, of: labels.count)
    case (.tabs(let labels, let selected), .right): return choose(element, selected + 1, of: labels.count)
    case (_, .enter), (_, .character(" ")): return perform(element.actions.tap) { $0() }
    default: return false
    }
  }

  private func perform<Action>(_ action: Action?, _ body: (Action) -> Void) -> Bool {
    guard let action else { return false }
    body(action)
    return true
  }

  private func choose(_ element: Element, _ place: Int, of count: Int) -> Bool {
    guard count > 0 else { return false }
    return perform(element.actions.choose) { $0(min(max(place, 0), count - 1)) }
  }

  /// The option after the one that is chosen, and after the last the first.
  private func chooseNext(_ picker: Element, after selected: Int?) -> Bool {
    let count = picker.children.count
    return choose(picker, ((selected ?? -1) + 1) % max(count, 1), of: count)
  }

  /// Changes the field that has the focus.
  ///
  /// - Parameter change: Nil where it means nothing there.
  private func edit(_ change: (inout LineEditor, _ isMultiline: Bool) -> Void?) -> Bool {
    guard let element = focusedElement, !element.style.isDisabled,
      case .field(let text, _, _, let isMultiline) = element.kind
    else { return false }
    // Another's edit may have come since the last frame.
    var field = fields[element.id] ?? EditedField(text)
    field.follow(text, isFocused: true)
    let before = field.editor.text
    guard change(&field.editor, isMultiline) != nil else { return false }
    fields[element.id] = field
    if field.editor.text != before { element.actions.type?(field.editor.text) }
    isFocusSought = true
    return true
  }

  // MARK: Focus

  private func moveFocus(_ step: Int, isCircular: Bool) -> Bool {
    let candidates = elements.focusable.map(\.id)
    guard !candidates.isEmpty else { return false }
    let place = tree.focus.focused.flatMap { candidates.firstIndex(of: $0) }
    let next = place.map { $0 + step } ?? (step > 0 ? 0 : candidates.count - 1)
    guard isCircular || candidates.indices.contains(next) else { return false }
    tree.focus.move(to: candidates[(next + candidates.count) % candidates.count], in: tree)
    return true
  }

  private func dismiss() -> Bool {
    if let sheet = tree.elements.topSheet, let dismiss = sheet.actions.dismiss {
      dismiss()
      return true
    }
    guard tree.elements.topSheet == nil else { return false }
    // The innermost stack goes back; a field is left first.
    if let back = elements.focusable.last(where: \.actions.isBack), focusedElement?.isField != true {
      back.actions.tap?()
      return true
    }
    guard tree.focus.focused != nil else { return false }
    tree.focus.move(to: nil, in: tree)
    return true
  }

  /// Scrolls the innermost window around what has the focus that can go that way, or the one at the upper left.
  ///
  /// - Parameter distance: How far, by how many rows the window shows.
  private func scroll(_ distance: (Int) -> Int) -> Bool {
    let around = tree.focus.focused.flatMap { focused in
      picture?.targets.last { $0.id == BlockID(focused) }?.rect.origin
    }
    return scroll(at: around ?? .zero, distance)
  }

  private func scroll(at place: CellPoint, _ distance: (Int) -> Int) -> Bool {
    guard let picture, let placement else { return false }
    for (id, rect) in picture.windows.reversed() where rect.contains(place) {
      var moved = offsets
      moved[id, default: .zero].row += distance(rect.size.rows)
      moved = placement.bounded(moved)
      if moved[id, default: .zero] != offsets[id, default: .zero] {
        offsets = moved
        return true
      }
    }
    return false
  }

  // MARK: Mouse

  private func point(_ report: MouseReport) -> Bool {
    if drag(report) { return true }
    switch report.action {
    case .wheel(_, let rows) where rows != 0: return scroll(at: report.place) { _ in rows * 3 }
    case .press(.left): break
    case .press(.right):
      guard let target = target(at: report.place) else { return false }
      return perform(elements.rowActions(around: ElementID(node: target.thing))?.openMenu) { $0() }
    case .drag(.left): return slide(at: report.place)
    default: return false
    }
    guard let target = target(at: report.place), let element = element(ElementID(node: target.thing)),
      !element.style.isDisabled
    else { return false }
    if element.isFocusable { tree.focus.move(to: element.id, in: tree) }
    switch (element.kind, target.part) {
    case (.field(_, _, let isSecret, false), _):
      guard let rect = picture?.fieldRects[BlockID(element.id, part: 0)] else { return true }
      fields[element.id]?.editor.moveTo(column: report.place.column - rect.origin.column, secure: isSecret)
    case (.stepper, let part?): element.actions.step?(part == 1)
    case (.slider, _): _ = slide(at: report.place)
    case (.tabs(let labels, _), let part?) where labels.indices.contains(part): element.actions.choose?(part)
    case (.picker(let selected, _), _): _ = chooseNext(element, after: selected)
    default: element.actions.tap?()
    }
    return true
  }

  /// Tells what hears of drags where the mouse is; where it was pressed is noted, and means what it does anyway.
  private func drag(_ report: MouseReport) -> Bool {
    func hearer(_ id: ElementID) -> Element? { elements.all.last { $0.id == id && $0.actions.drag != nil } }
    var isLast = false
    switch report.action {
    case .press(.left):
      let target = picture?.targets.last {
        $0.rect.contains(report.place) && hearer(ElementID(node: $0.id.thing)) != nil
      }
      dragged = target.map { (ElementID(node: $0.id.thing), report.place, false) }
      return false
    case .drag(.left): dragged?.isMoved = true
    case .release(.left): isLast = true
    default: return false
    }
    guard let (id, start, isMoved) = dragged, isMoved, let action = hearer(id)?.actions.drag else { return false }
    if isLast { dragged = nil }
    action(GestureStep(start: start.points, location: report.place.points, isLast: isLast))
    return true
  }

  /// The target at a place, if nothing lies over it.
  private func target(at place: CellPoint) -> BlockID? {
    picture?.targets.last { target in
      target.rect.contains(place) && element(ElementID(node: target.id.thing)) != nil
    }?.id
  }

  private func slide(at place: CellPoint) -> Bool {
    guard let id = target(at: place), id.part == 0, let element = element(ElementID(node: id.thing)),
      case .slider(_, let bounds) = element.kind, let rect = picture?.targets.last(where: { $0.id == id })?.rect
    else { return false }
    let length = max(1, rect.size.columns - 1)
    let fraction = Double(place.column - rect.origin.column) / Double(length)
    return perform(element.actions.slide) {
      $0(bounds.lowerBound + fraction * (bounds.upperBound - bounds.lowerBound))
    }
  }
}

/// A field while a person may be typing into it.
///
/// A binding may refuse what was typed: a number's field takes no `1.` yet. What was typed then stays while the field
/// has the focus, until the binding says something new.
private struct EditedField {
  var editor: LineEditor
  /// What the binding said last.
  private var known: String

  init(_ text: String) {
    editor = LineEditor(text)
    known = text
  }

  mutating func follow(_ text: String, isFocused: Bool) {
    if text != known || !isFocused { editor.replaceText(with: text) }
    known = text
  }
}

extension CellPoint {
  fileprivate var points: CGPoint {
    CGPoint(x: TerminalLength.points(columns: column), y: TerminalLength.points(rows: row))
  }
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
  fileprivate var all: [Element] {
    var all: [Element] = []
    for element in self { element.forEach { all.append($0) } }
    return all
  }

  /// What lies over all the rest.
  fileprivate var topSheet: Element? {
    all.last { element in
      switch element.kind {
      case .sheet, .alert: true
      default: false
      }
    }
  }
}
