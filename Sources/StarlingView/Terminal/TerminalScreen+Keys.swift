import StarlingTerminal

/// What a key does: to what has the focus, to the row around it, or to the whole.
extension TerminalScreen {
  func press(_ key: Key) -> Bool {
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
  func useRow(of element: Element, _ key: Key) -> Bool {
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
  func focusAgain(at place: Int?) {
    let candidates = elements.focusable
    guard let place, tree.focus.focused == nil, !candidates.isEmpty else { return }
    tree.focus.move(to: candidates[min(place, candidates.count - 1)].id, in: tree)
  }

  /// Goes to the field in which one searches.
  func seek() -> Bool {
    guard let field = elements.focusable.first(where: \.actions.isSearch) else { return false }
    tree.focus.move(to: field.id, in: tree)
    return true
  }

  /// What a key does to what has the focus.
  func use(_ element: Element, _ key: Key) -> Bool {
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

  func perform<Action>(_ action: Action?, _ body: (Action) -> Void) -> Bool {
    guard let action else { return false }
    body(action)
    return true
  }

  func choose(_ element: Element, _ place: Int, of count: Int) -> Bool {
    guard count > 0 else { return false }
    return perform(element.actions.choose) { $0(min(max(place, 0), count - 1)) }
  }

  /// The option after the one that is chosen, and after the last the first.
  func chooseNext(_ picker: Element, after selected: Int?) -> Bool {
    let count = picker.children.count
    return choose(picker, ((selected ?? -1) + 1) % max(count, 1), of: count)
  }

  /// Changes the field that has the focus.
  ///
  /// - Parameter change: Nil where it means nothing there.
  func edit(_ change: (inout LineEditor, _ isMultiline: Bool) -> Void?) -> Bool {
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
}
