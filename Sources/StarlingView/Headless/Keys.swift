extension KeyEquivalent {
  /// The key as a shortcut names it; nil for one that no shortcut names.
  init?(_ key: HeadlessHost.Key) {
    switch key {
    case .tab, .backTab, .delete, .menu: return nil
    case .return: self = .return
    case .space: self = .space
    case .escape: self = .escape
    case .up: self = .upArrow
    case .down: self = .downArrow
    case .left: self = .leftArrow
    case .right: self = .rightArrow
    case .character(let character): self.init(character)
    }
  }
}

extension Element {
  /// Whether a key means something to it, so that it is no shortcut while this has the focus.
  func takes(_ key: HeadlessHost.Key) -> Bool {
    switch (kind, key) {
    case (_, .escape): false
    case (.field, _), (_, .return), (_, .space): true
    case (.picker, _), (.tabs, _), (.stepper, _), (.slider, _):
      switch key {
      case .up, .down, .left, .right: true
      default: false
      }
    default: false
    }
  }

  /// What a key does to it while it has the focus.
  @MainActor func press(_ key: HeadlessHost.Key) {
    if case .field(let text, _, _, let isMultiline) = kind {
      switch key {
      case .return where !isMultiline: actions.submit?()
      case .return: actions.type?(text + "\n")
      case .space: actions.type?(text + " ")
      case .delete: actions.type?(String(text.dropLast()))
      case .character(let character): actions.type?(text + String(character))
      default: break
      }
      return
    }
    switch key {
    case .return, .space: actions.tap?()
    case .up, .right: step(isUp: true)
    case .down, .left: step(isUp: false)
    default: break
    }
  }

  @MainActor private func step(isUp: Bool) {
    if let step = actions.step { return step(isUp) }
    switch kind {
    case .picker(let selected, _):
      guard !children.isEmpty else { return }
      let place = (selected ?? (isUp ? -1 : children.count)) + (isUp ? 1 : -1)
      actions.choose?(min(max(place, 0), children.count - 1))
    case .tabs(let labels, let selected):
      actions.choose?(min(max(selected + (isUp ? 1 : -1), 0), labels.count - 1))
    default: break
    }
  }
}
