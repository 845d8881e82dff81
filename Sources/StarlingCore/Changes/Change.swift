/// What one transaction did, as every replica merges it (Protocol/merge.md, "Changes").
///
/// ```
/// dots:        first ─────────────────────► last
/// operations:  [ 0 ][ 1 ][   2   ][ 3 ] ...  in order; an insertion takes a counter for each item
/// ```
public struct Change: Hashable, Sendable {
  public var replica: ReplicaID
  /// The counter of the first operation; each takes the counters after those of the one before.
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
  public var message: String? {
    get { words }
    set { words = newValue }
  }
  fileprivate var words: String?

  /// How many counters the operations take.
  ///
  /// - Complexity: O(operations)
  public var counterCount: UInt64 {
    var count: UInt64 = 0
    operations.forEachBorrowed { count &+= $0.value.action.counterCount }
    return count
  }

  /// The last counter that an operation takes.
  public var lastCounter: UInt64 { firstCounter &+ counterCount &- 1 }
  public var last: Dot { Dot(replica, lastCounter) }
}

extension Change {
  // One that assigned the properties in turn would be compiled to copy the finished value, with a retain and a release
  // for each array. This hands all on to the one that the compiler makes, which is this file's own.
  public init(
    replica: ReplicaID, firstCounter: UInt64, stamp: Stamp, frontier: [Dot], objects: [ObjectDefinition],
    operations: [Operation], message: String? = nil
  ) {
    self.init(
      replica: replica, firstCounter: firstCounter, stamp: stamp, frontier: frontier, objects: objects,
      operations: operations, words: message)
  }
}

/// One step of a change. Its dot follows from its place in the change.
public struct Operation: Sendable {
  public var object: ObjectID
  /// The slot that it acts on; of an insertion the anchor; of a removal of items the first of them; of a mark its name.
  public var key: Key
  /// Where a document may look for the slot first. It says nothing, and any is right.
  package var hint = SlotHint.none
  public var action: Action

  /// How many counters it takes: one, an insertion one for each item.
  @inlinable public var counterCount: UInt64 {
    action.counterCount
  }

  public init(object: ObjectID, key: Key, action: Action) {
    self.object = object
    self.key = key
    self.action = action
  }

  @inline(__always)
  package init(object: ObjectID, key: Key, hint: SlotHint, action: Action) {
    self.object = object
    self.key = key
    self.hint = hint
    self.action = action
  }
}

extension Operation: Hashable {
  public static func == (left: Operation, right: Operation) -> Bool {
    left.object == right.object && left.key == right.key && left.action == right.action
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(object)
    hasher.combine(key)
    hasher.combine(action)
  }
}

/// What an operation does to the slot at (object, key), or to the sequence of the object.
public enum Action: Hashable, Sendable {
  /// Puts one entry in place of those it saw. `clearing` is present only where derived containers
  /// or counters under the key held something: everything there that it covers goes too.
  case set(Value, replacing: DotSet, clearing: VersionVector?)
  /// Takes away the entries it saw, and what `clearing` covers below.
  case remove(replacing: DotSet, clearing: VersionVector?)
  /// Adds to this writer's share of a counter. `birth` is the counter of the writer's operation
  /// that began the share: this operation's own where it begins one.
  case increment(Int64, birth: UInt64)
  /// Puts a run of new items into a list or text, on one side of the item that the key names.
  case insert(Content, side: Side)
  /// Takes away the items of a text, or the elements of a list, whose dots run on from the key's.
  case removeRun(count: UInt64)
  /// Gives the list's element under the key another place, instead of those it was seen at.
  case move(to: Edge, replacing: [Dot])
  /// Gives a range of a text the property that the key names.
  // Apart, as it is rare and would make every operation half as large again.
  indirect case mark(MarkOperation)
}

extension Action {
  /// Whether it acts on items, not on a slot.
  @inlinable @inline(__always)
  package var isOnSequence: Bool {
    switch self {
    case .set, .remove, .increment: false
    case .insert, .removeRun, .move, .mark: true
    }
  }

  @inlinable var counterCount: UInt64 {
    if case .insert(let content, _) = self { UInt64(content.count) } else { 1 }
  }
}

/// What an insertion puts into a sequence; never empty.
public enum Content: Hashable, Sendable {
  /// One item a Unicode scalar.
  case text(Scalars)
  /// One element a value.
  case values([Value])

  /// How many items it is.
  public var count: Int {
    switch self {
    case .text(let scalars): scalars.count
    case .values(let values): values.count
    }
  }
}

/// A place next to an item of a sequence, or at an end of it.
public struct Edge: Hashable, Sendable {
  /// The item, or `Dot.origin`.
  public var item: Dot
  public var side: Side

  public init(_ side: Side, of item: Dot) {
    self.item = item
    self.side = side
  }

  /// Before everything, whatever is inserted.
  public static let start = Edge(.right, of: .origin)
  /// Behind everything, whatever is inserted.
  public static let end = Edge(.left, of: .origin)
}

/// A property of a range of a text (Protocol/merge.md, "Texts").
public struct MarkOperation: Hashable, Sendable {
  public var start: Edge
  public var end: Edge
  /// Greater than the ranks that its writer saw in the text, and than the number of operations that it had merged.
  public var rank: UInt64
  /// Null takes the property away.
  public var value: Value
  /// The marks of the same name that lay within this one, ascending.
  public var replacing: [Dot]

  public init(start: Edge, end: Edge, rank: UInt64, value: Value, replacing: [Dot]) {
    self.start = start
    self.end = end
    self.rank = rank
    self.value = value
    self.replacing = replacing
  }
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

  /// - Parameter id: the one that follows from the rest, of an object that stands.
  init(known id: ObjectID, parent: ObjectID, key: Key, kind: Kind) {
    self.id = id
    self.parent = parent
    self.key = key
    self.kind = kind
  }
}
