import StarlingTerminal

/// Where the focus goes, what is left, and how far windows are scrolled.
extension TerminalScreen {
  func moveFocus(_ step: Int, isCircular: Bool) -> Bool {
    let candidates = elements.focusable.map(\.id)
    guard !candidates.isEmpty else { return false }
    let place = tree.focus.focused.flatMap { candidates.firstIndex(of: $0) }
    let next = place.map { $0 + step } ?? (step > 0 ? 0 : candidates.count - 1)
    guard isCircular || candidates.indices.contains(next) else { return false }
    tree.focus.move(to: candidates[(next + candidates.count) % candidates.count], in: tree)
    return true
  }

  func dismiss() -> Bool {
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
  func scroll(_ distance: (Int) -> Int) -> Bool {
    let around = tree.focus.focused.flatMap { focused in
      picture?.targets.last { $0.id == BlockID(focused) }?.rect.origin
    }
    return scroll(at: around ?? .zero, distance)
  }

  func scroll(at place: CellPoint, _ distance: (Int) -> Int) -> Bool {
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
}
