/// What one transaction did, as every replica merges it (Protocol/merge.md, "Changes").
///
/// ```
/// dots:        first ───────────────► last
/// operations:  [ 0 ][ 1 ][ 2 ] ...  one counter each, in order
/// ```
public struct Change: Hashable, Sendable {
  public var replica: ReplicaID
  /// The counter of the first operation; operation *i* is named `Dot(replica, firstCounter + i)`.
  public var firstCounter: UInt64
  public var stamp: Stamp
  /// The latest dots that the writer had seen and that no other covers, in ascending order,
  /// without the writer's own previous dot, which is implied.
  public var frontier: [Dot]
  /// Never empty.
  public var operations: [Operation]
  public var message: String?

  public init(
    replica: ReplicaID, firstCounter: UInt64, stamp: Stamp, frontier: [Dot], operations: [Operation],
    message: String? = nil
  ) {
    self.replica = replica
    self.firstCounter = firstCounter
    self.stamp = stamp
    self.frontier = frontier
    self.operations = operations
    self.message = message
  }

  /// The counter of the last operation.
  public var lastCounter: UInt64 { firstCounter + UInt64(operations.count) - 1 }
  public var last: Dot { Dot(replica, lastCounter) }
}

/// One step of a change. Its dot follows from its place in the change.
public struct Operation: Hashable, Sendable {
  public var object: ObjectAddress
  public var key: Key
  public var action: Action

  public init(object: ObjectAddress, key: Key, action: Action) {
    self.object = object
    self.key = key
    self.action = action
  }
}

/// What an operation does to the slot at (object, key).
public enum Action: Hashable, Sendable {
  /// Puts one entry in place of those it saw. `clearing` is present only where derived containers
  /// under the key held something: everything beneath that it covers goes too.
  case set(Value, replacing: [Dot], clearing: Version?)
  /// Takes away the entries it saw, and what `clearing` covers beneath.
  case remove(replacing: [Dot], clearing: Version?)
  /// Adds to this writer's share of a counter. `birth` names the writer's operation that began
  /// the share: this operation's own counter where it begins one.
  case increment(Int64, birth: UInt64)
}

/// Which object an operation edits, with the path by which a replica that never heard of it can derive it.
public indirect enum ObjectAddress: Hashable, Sendable {
  case root
  /// Declared or named: its identity follows from where it stands.
  case derived(parent: ObjectAddress, key: Key, kind: Kind)
  /// Brought into being by the entry with this dot.
  case assigned(Dot)
}
