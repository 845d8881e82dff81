/// What a session asks of the terminal, and takes back at its end.
package struct TerminalModes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A screen of its own; what was there before comes back with the end.
  package static let alternateScreen = TerminalModes(rawValue: 1)
  /// The cursor is seen only where a frame shows it.
  package static let hiddenCursor = TerminalModes(rawValue: 2)
  /// Pasted text is told from typed text.
  package static let bracketedPaste = TerminalModes(rawValue: 4)
  /// The window's focus is reported.
  package static let focus = TerminalModes(rawValue: 8)
  /// Presses, drags and the wheel are reported. The terminal's own selection of text then needs shift.
  package static let mouse = TerminalModes(rawValue: 16)
  /// Keys are told apart that send the same bytes otherwise, by terminals that can.
  package static let exactKeys = TerminalModes(rawValue: 32)

  package static let screen: TerminalModes = [.alternateScreen, .hiddenCursor, .bracketedPaste]

  /// What turns the modes on.
  package var enteringBytes: [UInt8] {
    guard !isEmpty else { return [] }
    var text = contains(.alternateScreen) ? ControlSequence.set(.alternateScreen) : ""
    // A glyph that a terminal takes for wider than we do stays on its line.
    text += ControlSequence.reset(.autowrap)
    if contains(.hiddenCursor) { text += ControlSequence.reset(.cursorShown) }
    for mode in reports { text += ControlSequence.set(mode) }
    if contains(.exactKeys) { text += ControlSequence.pushExactKeys }
    return Array(text.utf8)
  }

  /// What turns them off and everything else to where a shell has it, wherever a frame broke off: the first escape
  /// cuts short what was not finished.
  package var leavingBytes: [UInt8] {
    guard !isEmpty else { return [] }
    var text = ControlSequence.reset(.outputSynchronized) + ControlSequence.plain
    if contains(.exactKeys) { text += ControlSequence.popExactKeys }
    for mode in reports.reversed() { text += ControlSequence.reset(mode) }
    text += ControlSequence.set(.cursorShown) + ControlSequence.set(.autowrap)
    if contains(.alternateScreen) { text += ControlSequence.reset(.alternateScreen) }
    return Array(text.utf8)
  }

  private var reports: [ControlSequence.Mode] {
    (contains(.bracketedPaste) ? [.pastesBracketed] : []) + (contains(.focus) ? [.focusReported] : [])
      + (contains(.mouse) ? [.mouseButtons, .mouseDrags, .mouseDecimal] : [])
  }
}
