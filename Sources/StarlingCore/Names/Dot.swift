/// The name of one operation: who wrote it, and as the how-manieth.
public struct Dot: Hashable, Comparable, Sendable {
  public var replica: ReplicaID
  /// Counts from 1; the top bit is never set (`ObjectID` uses it).
  public var counter: UInt64

  public init(_ replica: ReplicaID, _ counter: UInt64) {
    self.replica = replica
    self.counter = counter
  }

  /// The beginning of every sequence, on which its first items are anchored; no operation has this name.
  public static let origin = Dot(ReplicaID(rawValue: 0), 0)

  public static func < (left: Dot, right: Dot) -> Bool {
    (left.replica, left.counter) < (right.replica, right.counter)
  }
}

extension Dot: CustomStringConvertible {
  public var description: String { "\(replica):\(counter)" }
}
