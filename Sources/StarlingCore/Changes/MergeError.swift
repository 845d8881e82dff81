/// Why something that came from elsewhere cannot be merged. Whatever throws it has altered nothing.
public struct MergeError: Error, Hashable, Sendable {
  public enum Code: Hashable, Sendable {
    /// The change contradicts itself or the rules of writing (Protocol/merge.md, "Changes").
    case malformedChange
    /// The change begins among operations that are already merged and ends beyond them: its writer's
    /// name was used twice.
    case overlappingCounters
    /// The change writes below a derived object that nobody defined.
    case undefinedObject
    /// The change claims to have seen what the document has not, outside its frontier.
    case unseenDot
    /// It was written under the name of the replica that has a change open here.
    case replicaInUse
    /// A list or text would hold more items than `ChangeLimits.itemCountMax`.
    case tooManyItems
    /// The snapshot contradicts itself or is not in canonical form (Protocol/merge.md, "Snapshots").
    case inconsistentSnapshot
  }

  /// What was at fault.
  public enum Location: Hashable, Sendable {
    case change(Dot)
    case operation(Dot)
    case object(ObjectID)
    case slot(ObjectID, Key)
    case snapshot
  }

  public var code: Code
  public var message: String
  public var `where`: Location

  public init(_ code: Code, _ message: String, where location: Location) {
    self.code = code
    self.message = message
    self.where = location
  }
}

extension MergeError: CustomStringConvertible {
  public var description: String { "\(message) (\(code), \(self.where))" }
}

/// The outcome of offering a change for merging.
public enum MergeOutcome: Hashable, Sendable {
  case merged
  /// The document held it already.
  case duplicate
  /// The change rests on dots that the document does not hold; it merges once they have.
  case notYet(missing: [Dot])
  /// The change anchors something on items of sequences that were collected here: it merges once a state
  /// was merged in which they are (Protocol/merge.md, "Tombstone collection").
  case lacksAnchors([Dot])
}
