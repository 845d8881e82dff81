public import StarlingCore

/// A write that became part of a transaction which another thread has open, because waiting for its end would not have
/// ended: it travels, is undone and is read in the history with that.
public struct JoinedTransaction: Sendable, Hashable, CustomStringConvertible {
  /// Why waiting for the transaction's end would not have ended.
  public enum Reason: Sendable, Hashable {
    /// The transaction waits, itself or over others, for one that the writing thread has open.
    case deadlock
    /// The transaction was open for `EngineConfiguration.transactionTimeout` and longer while the write waited: it may
    /// be waiting for the writing thread in a way that is not seen here.
    case timeout
  }

  /// The document that was written to.
  public var document: DocumentID
  /// Why the write did not wait for the transaction's end.
  public var reason: Reason
  /// The thread that wrote, and the one that has the transaction open, as the system numbers them.
  public var writer: UInt
  /// The thread that has the transaction open, as the system numbers it.
  public var holder: UInt

  public var description: String {
    let cause =
      switch reason {
      case .deadlock: "which waits for one that thread \(writer) has open"
      case .timeout: "which did not end in time: it may be waiting for thread \(writer)"
      }
    return "a write to '\(document)' by thread \(writer) joined the transaction of thread \(holder), \(cause)"
  }
}
