/// What a person did at a terminal.
package enum TerminalInput: Hashable, Sendable {
  case key(Key)
  /// Pasted text; a long one comes in several pieces.
  case paste(String)
  case mouse(MouseReport)
  /// The terminal's window has the keyboard now, or has it no more.
  case focus(Bool)
}

/// A key with what was held down with it.
package struct Key: Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// A key that writes, and what it writes: shift is in the character.
    case character(Character)
    case enter, tab, escape, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 and so on.
    case function(Int)
  }

  package var code: Code
  package var modifiers: KeyModifiers

  package init(_ code: Code, _ modifiers: KeyModifiers = []) {
    self.code = code
    self.modifiers = modifiers
  }

  package init(_ character: Character, _ modifiers: KeyModifiers = []) {
    self.init(.character(character), modifiers)
  }

  /// Tab with shift.
  package static let backTab = Key(.tab, .shift)
}

package struct KeyModifiers: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  // The bits of xterm's modifier parameter.
  package static let shift = KeyModifiers(rawValue: 1)
  package static let alt = KeyModifiers(rawValue: 2)
  package static let control = KeyModifiers(rawValue: 4)
  package static let command = KeyModifiers(rawValue: 8)
}

/// Something the mouse did, and over which cell.
package struct MouseReport: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    case press(Button), release(Button), drag(Button), move
    /// The wheel was turned, up for negative rows.
    case wheel(columns: Int, rows: Int)
  }

  package enum Button: Hashable, Sendable { case left, middle, right, other }

  package var action: Action
  package var place: CellPoint
  package var modifiers: KeyModifiers

  package init(_ action: Action, at place: CellPoint, _ modifiers: KeyModifiers = []) {
    self.action = action
    self.place = place
    self.modifiers = modifiers
  }
}
