/// Why a document is not forgotten.
public struct ForgetError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// It is one that the replica keeps, as the main document of its group.
    case kept
    /// The replica's log cannot.
    case unsupported
    /// It is forgotten, and its name with it.
    case forgotten
    /// As many are forgotten as may be.
    case full
  }

  public var code: Code
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
