/// Why there is no session.
package struct TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// What was to be the terminal is none: a file, a pipe.
    case notATerminal
    /// This process has a session already; its terminal's modes are given back once.
    case busy
    /// The system refused.
    case unavailable
  }

  package let code: Code
  package let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
