/// Consecutive changes of one writer to one text, each of which saw nothing new of anybody else: what
/// somebody types in a while, held as what it comes to instead of change by change.
///
/// ```
/// changes    | "D" | "u" | "n" | "m" |  ⌫  | "e" |      6, each with a stamp
/// strokes    |    insert 4 × 1       | ⌫ 1 | + 1 |      3
/// text         D     u     n     m           e
/// ```
///
/// It says the same as its changes: they can be had back, each with its dots, its stamp and its bounds.
/// Whoever merges it needs the strokes only: an item keeps no stamp, and of removals only the items count.
public struct TextHistory: Hashable, Sendable {
  public var replica: ReplicaID
  public var firstCounter: UInt64
  public var object: ObjectID
  /// The definitions of each change.
  public var objects: [ObjectDefinition]
  /// How many operations the changes have, in order.
  public var operationCounts: [OperationCounts]
  public var strokes: [Stroke]
  /// What the insertions insert, in order.
  public var text: Scalars
  /// Of each change.
  public var stamps: Stamps

  /// So many changes in a row have so many operations each.
  public struct OperationCounts: Hashable, Sendable {
    public var changes: Int
    public var operations: Int

    public init(changes: Int, operations: Int) {
      self.changes = changes
      self.operations = operations
    }
  }

  /// Operations that follow upon each other at one place and are of one size.
  public struct Stroke: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
      /// Each behind the first on the right of the last item of the one before.
      case insert(at: Edge)
      /// Each begins right behind the one before; the first with this item.
      case removeForwards(from: Dot)
      /// Each ends right before the one before; the first begins with this item.
      case removeBackwards(from: Dot)
    }

    public var action: Action
    public var operationCount: Int
    /// How many items each operation inserts or removes.
    public var size: UInt64

    public init(_ action: Action, operationCount: Int, size: UInt64) {
      self.action = action
      self.operationCount = operationCount
      self.size = size
    }

    public var itemCount: UInt64 { UInt64(operationCount) * size }

    /// How many counters it takes.
    public var counterCount: UInt64 {
      if case .insert = action { itemCount } else { UInt64(operationCount) }
    }

    /// The least item that a removal removes.
    public var firstRemoved: Dot? {
      switch action {
      case .insert: nil
      case .removeForwards(let first): first
      case .removeBackwards(let first): Dot(first.replica, first.counter - (itemCount - size))
      }
    }
  }

  /// More operations than these no stroke of removals has, so that few bytes never unfold into many changes.
  public static let removalsPerStrokeMax = 32

  public init(
    replica: ReplicaID, firstCounter: UInt64, object: ObjectID, objects: [ObjectDefinition],
    operationCounts: [OperationCounts], strokes: [Stroke], text: Scalars, stamps: Stamps
  ) {
    self.replica = replica
    self.firstCounter = firstCounter
    self.object = object
    self.objects = objects
    self.operationCounts = operationCounts
    self.strokes = strokes
    self.text = text
    self.stamps = stamps
  }

  /// The last counter that the changes take.
  ///
  /// - Complexity: O(strokes)
  public var lastCounter: UInt64 { strokes.reduce(firstCounter &- 1) { $0 &+ $1.counterCount } }
}
