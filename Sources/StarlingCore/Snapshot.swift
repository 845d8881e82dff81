/// A document's whole state at one version, in canonical form: equal versions have equal snapshots
/// (Protocol/merge.md, "Snapshots").
///
/// ```
/// version, frontier, latestStamp
/// objects      ascending by id
///   slots      ascending by key
///     entries  ascending by dot
///     shares   ascending by (replica, birth)
/// ```
///
/// It holds what is live and nothing else: the root and assigned objects that have a slot, derived
/// objects that have one or stand above one that has, slots that have an entry or a share.
public struct Snapshot: Hashable, Sendable {
  public var version: Version
  /// The latest dots that no other covers, ascending.
  public var frontier: [Dot]
  /// The greatest stamp of all changes that the version covers.
  public var latestStamp: Stamp
  public var objects: [Object]

  public init(version: Version, frontier: [Dot], latestStamp: Stamp, objects: [Object]) {
    self.version = version
    self.frontier = frontier
    self.latestStamp = latestStamp
    self.objects = objects
  }

  public struct Object: Hashable, Sendable {
    public var id: ObjectID
    public var origin: Origin
    /// May be empty for a derived object that others stand beneath.
    public var slots: [Slot]

    public init(id: ObjectID, origin: Origin, slots: [Slot]) {
      self.id = id
      self.origin = origin
      self.slots = slots
    }
  }

  /// Where an object comes from.
  public enum Origin: Hashable, Sendable {
    case root
    case derived(ObjectDefinition)
    /// From the entry whose dot its id spells.
    case assigned(Kind)
  }

  public struct Slot: Hashable, Sendable {
    public var key: Key
    public var entries: [Entry]
    public var shares: [CounterShare]

    public init(key: Key, entries: [Entry], shares: [CounterShare]) {
      self.key = key
      self.entries = entries
      self.shares = shares
    }
  }
}

/// One value of a slot. Several beside each other are a conflict.
public struct Entry: Hashable, Sendable {
  /// The `set` that put it there.
  public var dot: Dot
  public var stamp: Stamp
  public var value: Value

  public init(dot: Dot, stamp: Stamp, value: Value) {
    self.dot = dot
    self.stamp = stamp
    self.value = value
  }
}

/// What one replica has added to a counter since its share began.
public struct CounterShare: Hashable, Sendable {
  public var replica: ReplicaID
  /// The counter of the increment that began the share; with the replica, its name.
  public var birth: UInt64
  /// The counter of the latest increment.
  public var last: UInt64
  /// The wrapping sum of the increments.
  public var total: Int64
  /// The stamp of the latest increment.
  public var stamp: Stamp

  public init(replica: ReplicaID, birth: UInt64, last: UInt64, total: Int64, stamp: Stamp) {
    self.replica = replica
    self.birth = birth
    self.last = last
    self.total = total
    self.stamp = stamp
  }
}
