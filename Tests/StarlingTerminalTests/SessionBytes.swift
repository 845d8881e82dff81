@testable import StarlingTerminal
import StarlingTestSupport

extension PseudoTerminal {
  /// What a session writes as it begins, and at its end.
  static func begin(_ modes: TerminalModes = .screen) -> String { shown(modes.enteringBytes) }
  static func end(_ modes: TerminalModes = .screen) -> String { shown(modes.leavingBytes) }
}
