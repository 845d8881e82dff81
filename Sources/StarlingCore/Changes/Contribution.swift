/// What one writer did, as it travels and merges: a change, a row of them that only set, or one reduced to its strokes.
public enum Contribution: Hashable, Sendable {
  case change(Change)
  // Handed on whole, and never altered then; a copy is a reference.
  indirect case sets(SetHistory)
  case history(TextHistory)

  public var replica: ReplicaID {
    switch self {
    case .change(let change): change.replica
    case .sets(let history): history.replica
    case .history(let history): history.replica
    }
  }

  public var firstCounter: UInt64 {
    switch self {
    case .change(let change): change.firstCounter
    case .sets(let history): history.firstCounter
    case .history(let history): history.firstCounter
    }
  }

  /// - Complexity: O(operations), or O(strokes) of a history.
  public var lastCounter: UInt64 {
    switch self {
    case .change(let change): change.lastCounter
    case .sets(let history): history.lastCounter
    case .history(let history): history.lastCounter
    }
  }

  /// The greatest of the changes' stamps; nil for a history of none.
  package var latestStamp: Stamp? {
    switch self {
    case .change(let change): change.stamp
    case .sets(let history): history.latestStamp
    case .history(let history): history.stamps.max()
    }
  }

  public var changeCount: Int {
    switch self {
    case .change: 1
    case .sets(let history): history.changeCount
    case .history(let history): history.stamps.count
    }
  }

  /// - Complexity: O(operations + bytes of text) of a row.
  public var changes: [Change] {
    switch self {
    case .change(let change): [change]
    case .sets(let history): history.changes
    case .history(let history): history.changes
    }
  }
}

extension Document {
  /// Merges it, with the outcome of merging its changes one after another.
  public mutating func merge(_ part: Contribution, patch: inout Patch) throws(MergeError) -> MergeOutcome {
    switch part {
    case .change(let change): try merge(change, patch: &patch)
    case .sets(let history): try merge(history, patch: &patch)
    case .history(let history): try merge(history, patch: &patch)
    }
  }
}
