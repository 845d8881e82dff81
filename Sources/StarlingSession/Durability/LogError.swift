/// What went wrong in a log, in words for the person who must act on it.
public struct LogError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// Another process holds the store.
    case busy
    /// The bytes are not what was written.
    case corrupt
    /// The disk refuses: full, read-only or failing.
    case unwritable
    /// The store was written by a later version of the program.
    case tooNew
    /// This kind of log cannot do that.
    case unsupported
    /// A call out of turn: before `open`, after `close`.
    case misuse
  }

  public var code: Code
  public var message: String
  public var cause: (any Error)?
  /// Whether the same call may succeed later with nothing done to the program: a full disk, but not damage, nor a store
  /// that another process holds.
  public var isTransient: Bool

  /// - Parameters:
  ///   - code: What to switch on.
  ///   - message: What happened and what to do.
  ///   - cause: The error that led to this one.
  ///   - isTransient: nil where `code` tells: what is `unwritable` may pass.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil, isTransient: Bool? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
    self.isTransient = isTransient ?? (code == .unwritable)
  }

  public var description: String {
    cause.map { "\(message) (\($0))" } ?? message
  }
}
