/// What one writer did, as it travels and merges: a change, or a row of them reduced to their strokes.
public enum Contribution: Hashable, Sendable {
  case change(Change)
  case history(TextHistory)

  public var replica: ReplicaID {
    switch self {
    case .change(let change): change.replica
    case .history(let history): history.replica
    }
  }

  public var firstCounter: UInt64 {
    switch self {
    case .change(let change): change.firstCounter
    case .history(let history): history.firstCounter
    }
  }

  /// - Complexity: O(operations), or O(strokes) of a history.
  public var lastCounter: UInt64 {
    switch self {
    case .change(let change): change.lastCounter
    case .history(let history): history.lastCounter
    }
  }

  public var changeCount: Int {
    switch self {
    case .change: 1
    case .history(let history): history.stamps.count
    }
  }

  /// - Complexity: O(operations + bytes of text) of a history.
  public var changes: [Change] {
    switch self {
    case .change(let change): [change]
    case .history(let history): history.changes
    }
  }
}
