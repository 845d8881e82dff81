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
  /// The derived objects that the operations touch, with their derived ancestors, each after its
  /// parent: a replica that never heard of one learns here where it stands.
  public var objects: [ObjectDefinition]
  /// Never empty.
  public var operations: [Operation]
  public var message: String?

  public init(
    replica: ReplicaID, firstCounter: UInt64, stamp: Stamp, frontier: [Dot], objects: [ObjectDefinition],
    operations: [Operation], message: String? = nil
  ) {
    self.replica = replica
    self.firstCounter = firstCounter
    self.stamp = stamp
    self.frontier = frontier
    self.objects = objects
    self.operations = operations
    self.message = message
  }

  /// The counter of the last operation.
  public var lastCounter: UInt64 { firstCounter + UInt64(operations.count) - 1 }
  public var last: Dot { Dot(replica, lastCounter) }
}

/// One step of a change. Its dot follows from its place in the change.
public struct Operation: Hashable, Sendable {
  public var object: ObjectID
  public var key: Key
  public var action: Action

  public init(object: ObjectID, key: Key, action: Action) {
    self.object = object
    self.key = key
    self.action = action
  }
}

/// What an operation does to the slot at (object, key).
public enum Action: Hashable, Sendable {
  /// Puts one entry in place of those it saw. `clearing` is present only where derived containers
  /// or counters under the key held something: everything there that it covers goes too.
  case set(Value, replacing: [Dot], clearing: Version?)
  /// Takes away the entries it saw, and what `clearing` covers beneath.
  case remove(replacing: [Dot], clearing: Version?)
  /// Adds to this writer's share of a counter. `birth` is the counter of the writer's operation
  /// that began the share: this operation's own where it begins one.
  case increment(Int64, birth: UInt64)
}

/// Where a derived object stands. Its id is a function of these three, so two stores that make
/// "the same" object concurrently make one.
public struct ObjectDefinition: Hashable, Sendable {
  public let id: ObjectID
  public let parent: ObjectID
  public let key: Key
  public let kind: Kind

  public init(parent: ObjectID, key: Key, kind: Kind) {
    id = .derived(parent: parent, key: key, kind: kind)
    self.parent = parent
    self.key = key
    self.kind = kind
  }
}
