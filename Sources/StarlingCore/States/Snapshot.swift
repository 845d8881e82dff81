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
  public var version: VersionVector
  /// The latest dots that no other covers, ascending.
  public var frontier: [Dot]
  /// The greatest stamp of all changes that the version covers.
  public var latestStamp: Stamp
  public var objects: [Object]

  public init(version: VersionVector, frontier: [Dot], latestStamp: Stamp, objects: [Object]) {
    self.version = version
    self.frontier = frontier
    self.latestStamp = latestStamp
    self.objects = objects
  }

  public struct Object: Hashable, Sendable {
    public var id: ObjectID
    public var origin: Origin
    /// May be empty for a derived object that others stand below.
    public var slots: [Slot]
    /// The items of a list or text; nil for other kinds, and where it never had any.
    public var sequence: Sequence?

    public init(id: ObjectID, origin: Origin, slots: [Slot], sequence: Sequence? = nil) {
      self.id = id
      self.origin = origin
      self.slots = slots
      self.sequence = sequence
    }
  }

  /// The items of a list or text, in their order, and the marks of a text.
  public struct Sequence: Hashable, Sendable {
    public var runs: [Run]
    /// That of all runs of text, one after the other.
    public var text: Scalars
    /// Ascending by dot.
    public var marks: [Mark]

    public init(runs: [Run], text: Scalars = Scalars(""), marks: [Mark] = []) {
      self.runs = runs
      self.text = text
      self.marks = marks
    }

    /// Calls `body` with each run and its part of the text, as UTF-8; the text must be as long as its runs.
    package func forEachRun(_ body: (Run, ArraySlice<UInt8>) -> Void) {
      let utf8 = text.utf8
      var end = 0
      for run in runs {
        let begin = end
        if case .text(let count) = run.content { end = text.utf8Offset(of: count, from: begin) ?? utf8.count }
        body(run, utf8[begin..<end])
      }
    }
  }

  /// Items with consecutive dots, each but the first on the right of the one before, of like content; as many as there
  /// are.
  public struct Run: Hashable, Sendable {
    public var first: Dot
    public var anchor: Edge
    public var content: Content

    public init(first: Dot, anchor: Edge, content: Content) {
      self.first = first
      self.anchor = anchor
      self.content = content
    }

    public enum Content: Hashable, Sendable {
      /// Tombstones, which others are anchored on or which not everybody knows to be removed.
      case removed(count: Int)
      /// As many scalars of the sequence's text.
      case text(count: Int)
      /// Items of a list; each still holds the element that it was inserted with.
      case elements(count: Int)
      /// One item that is a candidate for an element that was moved to it.
      case moved(element: Dot, stamp: Stamp)

      /// How many items it stands for; not positive if the run is malformed.
      package var count: Int {
        switch self {
        case .removed(let count), .text(let count), .elements(let count): count
        case .moved: 1
        }
      }
    }
  }

  /// Where an object comes from.
  public enum Origin: Hashable, Sendable {
    case root
    case derived(ObjectDefinition)
    /// From the entry whose dot its id spells.
    case assigned(Kind)
    /// The same, of one that was removed and is held for those who may not know yet.
    case orphan(Kind)
  }

  public struct Slot: Hashable, Sendable {
    public var key: Key
    public var entries: Entries
    public var shares: [CounterShare]

    public init(key: Key, entries: some Swift.Sequence<Entry>, shares: [CounterShare]) {
      self.init(key: key, Entries(entries), shares: shares)
    }

    /// One that holds the entry and nothing else.
    @inlinable
    package init(key: Key, entry: Entry) { self.init(key: key, Entries(entry), shares: []) }

    @usableFromInline
    package init(key: Key, _ entries: Entries, shares: [CounterShare]) {
      self.key = key
      self.entries = entries
      self.shares = shares
    }

    /// What stands in it, where that is an entry and nothing else.
    @inlinable
    package var plainEntry: Entry? { shares.isEmpty ? entries.only : nil }
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

/// A property of a range of a text, as it stands.
public struct Mark: Hashable, Sendable {
  public var dot: Dot
  public var name: Key
  public var start: Edge
  public var end: Edge
  public var rank: UInt64
  public var value: Value

  public init(dot: Dot, name: Key, start: Edge, end: Edge, rank: UInt64, value: Value) {
    self.dot = dot
    self.name = name
    self.start = start
    self.end = end
    self.rank = rank
    self.value = value
  }
}
