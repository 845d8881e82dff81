/// Why a wait for the log or for other stores ended before what it waited for came true.
public struct FlushError: Error, Sendable, CustomStringConvertible {
  /// Why the wait ended.
  public enum Code: Sendable, Hashable {
    /// The engine was closed. What was written is in the log, if the log took it; whether others have it is not known.
    case closed
    /// The time that the caller gave is over. What was written goes on its way all the same.
    case timedOut
    /// A transaction that had written before the call was still open after `EngineConfiguration.transactionTimeout`:
    /// what it wrote is not committed. So ends a flush within a transaction which waits for that flush.
    case transactionOpen
    /// More waits for the log than `EngineConfiguration.backlogByteCountMax`, and writers are to be told.
    case full
    /// The document was forgotten during the wait.
    case forgotten
  }

  /// Why the wait ended, for a program to switch on.
  public var code: Code
  /// What happened and what to do, for people.
  public var message: String

  /// Makes an error of a code and a message.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
