public import StarlingCore

/// One change as those see it who read a document's history.
public struct ChangeSummary: Hashable, Sendable {
  /// The replica id under which it was written.
  public var writer: ReplicaID
  /// Its first and last operation.
  public var first: Dot
  /// The change's last operation.
  public var last: Dot
  /// When, by its writer's clock, in milliseconds since 1970-01-01 UTC.
  public var milliseconds: UInt64
  /// What its transaction was given as a message; nil for none.
  public var message: String?
  /// How many operations it holds.
  public var operationCount: Int
  /// How this replica's log stood right after it: what `at` takes to show the document as it was then.
  public var version: VersionVector
  /// The slots it wrote to; nil where the page was not asked for them.
  public var touched: [TouchedSlot]?

  init(_ change: Change, version: VersionVector, isDetailed: Bool) {
    writer = change.replica
    first = Dot(change.replica, change.firstCounter)
    last = change.last
    milliseconds = change.stamp.milliseconds
    message = change.message
    operationCount = change.operations.count
    self.version = version
    touched = isDetailed ? change.touched : nil
  }
}

/// In which direction history is read. Both are causal orders: the order in which the changes came
/// to this replica's log, or its reverse.
public enum HistoryOrder: Hashable, Sendable {
  /// The order of the log, or its reverse.
  case oldestFirst, newestFirst
}

/// A part of a document's history.
public struct HistoryPage: Sendable {
  /// The changes of the page, in the order asked for.
  public var changes: [ChangeSummary]
  /// Where the next page begins; nil after the last.
  public var next: HistoryCursor?
  /// What is known as a state alone: the changes that it covers were folded, or never came as changes.
  /// History begins above it; empty where it reaches back to the beginning.
  public var beginning: VersionVector
}

/// A place in a document's history, between two changes.
public struct HistoryCursor: Hashable, Sendable {
  let order: HistoryOrder
  /// Oldest first: what lies behind. Newest first: what lies ahead.
  let version: VersionVector
}

/// Why a version cannot be shown.
public struct HistoryError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, for a program to switch on.
  public enum Code: Sendable, Hashable {
    /// The changes were folded into a state since.
    case forgotten
    /// The version covers changes that have not come here.
    case notHere
    /// No replica ever stood there: the version cuts a transaction in two, or covers a change and not
    /// what that stands on.
    case inBetween
    /// A transaction is open, whose half nobody may see.
    case transactionOpen
    /// What the log holds cannot be read, or what was given cannot be merged.
    case unreadable
  }

  /// What went wrong, for a program to switch on.
  public var code: Code
  /// What happened and what to do, for people.
  public var message: String
  /// What caused it, where something else failed.
  public var cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  public var description: String {
    cause.map { "\(message) (\($0))" } ?? message
  }
}

/// A document's history, change by change; read from the log a page at a time, so that memory holds
/// one page however long it is.
public struct DocumentHistory: AsyncSequence, Sendable {
  public typealias Element = ChangeSummary

  let pageAfter: @Sendable (HistoryCursor?) async throws -> HistoryPage

  /// Reads one page at a time.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let pageAfter: @Sendable (HistoryCursor?) async throws -> HistoryPage
    private var changes: ArraySlice<ChangeSummary> = []
    private var cursor: HistoryCursor?
    private var isAtEnd = false

    init(pageAfter: @escaping @Sendable (HistoryCursor?) async throws -> HistoryPage) {
      self.pageAfter = pageAfter
    }

    public mutating func next() async throws -> ChangeSummary? {
      while changes.isEmpty, !isAtEnd {
        let page = try await pageAfter(cursor)
        changes = page.changes[...]
        cursor = page.next
        isAtEnd = page.next == nil
      }
      return changes.popFirst()
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(pageAfter: pageAfter)
  }
}
