/// The live state of one document, and the rules by which changes merge into it
/// (Protocol/merge.md).
///
/// ```
/// objects ── id → row ──┐            slots ── (object, key) → row
///                       │ firstSlot                 next ▲ │
///                       └──────────────────────────► row ┴─┤ object, key, greatest entry
///                                                          │
///                              only where there is more:   ▼
///                                         compound ── siblings, counter shares, derived objects
///
/// sequences ── of lists and texts: the order of their items (SequenceRow)
/// keys, replicas: each once, named by handles everywhere else
/// ```
///
/// It holds what is live and one version, no history, and of what was removed only items of sequences that
/// others rest on or that not everybody has heard of. Everything is a value: a copy is a fork, and costs nothing
/// until one of both is written.
public struct Document: Sendable {
  var replicas = ReplicaTable()
  var keys = KeyTable()
  var objects = ObjectTable()
  var slots = SlotTable()
  var sequences = RowTable<SequenceRow>()
  var moves = Moves()
  let root: ObjectHandle

  /// The operations that are merged or committed here.
  public internal(set) var version = VersionVector()
  /// The latest dots that no other covers, ascending: what the next change will have seen.
  public internal(set) var frontier: [Dot] = []
  var clock = HybridClock()
  var hinted = HintedSlots()
  /// What is left in the stored snapshot that the document was opened from; nil if nothing is.
  var unopened: UnopenedSlots?
  @usableFromInline var open = OpenChange()
  /// The greatest rank of the marks of null that were forgotten here: others may still hold them.
  var forgottenRankMax: UInt64 = 0
  /// How much may still be added before somebody could not receive the document.
  var capacity = SnapshotCapacity()
  /// The chain of the object that was last asked for: changes within one object share the array.
  var latestChain = DefinitionChain()

  /// Slots and objects that the present call may have emptied; their rows are given
  /// back at its end.
  var emptied = EmptiedRows()

  #if DEBUG
    /// Whether it is checked after every call while it is small. Tests that draw worlds by the thousand do that where
    /// they choose to.
    package var checksEveryCall = true
  #endif

  /// A document in which nothing was ever written.
  public init() {
    root = objects.insert(ObjectRow(id: .root, kind: .map, slot: .none))
  }

  /// How many slots hold several entries beside each other, among those that were read from a stored snapshot so far.
  public var conflictCount: Int { slots.conflictCount }

  // Inlined, as is what else writers ask of the open change with each write: who calls a getter in another module hands
  // it a copy of the document's eight hundred bytes.
  /// Whether a change is open.
  @inlinable public var isWriting: Bool { open.depth > 0 }

  /// How many calls of `begin` wait for their `commit`.
  package var openDepth: Int { open.depth }

  /// Whether the open change holds something.
  package var hasUncommittedWrites: Bool { isWriting && !open.operations.isEmpty }

  /// What was written in the open change since a copy of the document was made. The operation before that is among it,
  /// as it may have grown.
  package func openOperations(since copy: borrowing Document) -> ArraySlice<Operation> {
    open.operations.dropFirst(max(0, copy.open.operations.count - 1))
  }

  /// The greatest stamp ever merged or written.
  public var latestStamp: Stamp { clock.seen }

  /// Whether `stamp` lies so far ahead of the wall clock that its writer's clock must be wrong. It
  /// merges all the same.
  ///
  /// - Parameters:
  ///   - stamp: The stamp to check.
  ///   - now: Milliseconds since 1970-01-01 UTC.
  public func isFarFuture(_ stamp: Stamp, now: UInt64) -> Bool {
    clock.isFarFuture(stamp, now: now)
  }
}

/// Rows that may have been emptied.
struct EmptiedRows: Sendable {
  var slots: ContiguousArray<SlotHandle> = []
  var objects: ContiguousArray<ObjectHandle> = []
  /// Empty slots that the latest patch speaks of. They keep their rows as long as it may go on.
  var lingering: ContiguousArray<SlotHandle> = []
  /// How many slot rows were ever given back.
  var releaseCount: UInt64 = 0
}

/// How much a document's tables hold, for those who watch memory: rows in use, and rows there are.
package struct DocumentExtent: Hashable, Sendable {
  package var slots: Int
  package var compounds: Int
  /// Values that stand apart from their slots.
  package var values: Int
  package var objects: Int
  package var keys: Int
  package var replicas: Int
  /// Items of sequences, live and removed.
  package var items: Int

  /// What a slot with one entry takes, apart from its place in the index and from texts and other long values.
  package static var bytesPerSlot: Int { MemoryLayout<SlotRow>.stride }
}

extension Document {
  /// Rows in use.
  package var rowCount: DocumentExtent {
    DocumentExtent(
      slots: slots.count, compounds: slots.compoundCount, values: slots.valueCount, objects: objects.count,
      keys: keys.count,
      replicas: replicas.count, items: itemCount)
  }

  private var itemCount: Int { sequenceHandles.reduce(0) { $0 + sequences[$1].tree.itemCount } }

  /// How many runs and elements removals from sequences have looked at so far (`BareRanges`).
  package var removalLookCount: Int { sequenceHandles.reduce(0) { $0 + sequences[$1].bare.lookCount } }

  /// How many empty slots it remembers, for the sake of the latest patch.
  package var lingeringCount: Int { emptied.lingering.count }

  /// Rows there is memory for, used and free.
  package var rowExtent: DocumentExtent {
    DocumentExtent(
      slots: slots.extent, compounds: slots.compoundExtent, values: slots.valueExtent, objects: objects.extent,
      keys: keys.extent,
      replicas: replicas.count, items: itemCount)
  }
}
