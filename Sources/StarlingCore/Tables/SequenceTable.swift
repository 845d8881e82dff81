/// What a list or a text holds besides its slots.
///
/// ```
///            ┌ tree     all items in their order; live are those that a reader sees
/// object ────┤ moved    element → its candidates, for elements that were moved      ┐ lists
///            │ elements item → the element it is a candidate for, where not its own ┘
///            └ marks                                                                  texts
/// ```
///
/// The value of an element stands in an ordinary slot of the list, under the element's key; that slot is
/// there exactly as long as the element stands.
struct SequenceRow: Sendable {
  let object: ObjectHandle
  var tree: SequenceTree
  var moved: [DotRow: Candidates] = [:]
  var elements: [DotRow: DotRow] = [:]
  /// Ascending by name, then rank, then dot.
  var marks: ContiguousArray<MarkRow> = []
  /// Items that were removed and not yet found to be stable.
  var removals = Removals()
  /// Tombstones that collection has come to.
  var tombstones = StableTombstones()
  /// Where removals need not look.
  var bare = BareRanges()

  init(object: ObjectHandle, holdsText: Bool) {
    self.object = object
    tree = SequenceTree(holdsText: holdsText)
  }

  /// Whether nothing stands here, not even a tombstone.
  var isEmpty: Bool { tree.itemCount == 0 && marks.isEmpty }

  /// The element that stands at the item, or would if the item is not its candidate any more.
  @inline(__always)
  func element(at item: DotRow) -> DotRow {
    elements.isEmpty ? item : elements[item] ?? item
  }
}

/// The items that an element may stand at; never empty.
typealias Candidates = ContiguousArray<Candidate>

/// An item that an element was moved to, or inserted with.
struct Candidate: Hashable, Sendable {
  var item: DotRow
  /// That of the move; 0 for the item that the element was inserted with.
  var stamp: Stamp
}

struct MarkRow: Sendable {
  var dot: DotRow
  var name: Key
  var start: EdgeRow
  var end: EdgeRow
  var rank: UInt64
  var value: Value
}

/// `Edge`, as the tables know it: the item is `DotRow.start` for the origin.
struct EdgeRow: Hashable, Sendable {
  var item: DotRow
  var side: Side

  static let start = EdgeRow(item: .start, side: .right)
  static let end = EdgeRow(item: .start, side: .left)
}

/// Items that went, and what one has merged who knows it.
struct Removal: Sendable {
  var run: ItemRun
  var cause: Cause

  enum Cause: Sendable {
    case operation(DotRow)
    /// Whoever has merged the move and all of this; of the item of a move whose element was gone when the move merged.
    /// Which operation took the element is not known any more, but this has it.
    case lateMove(DotRow, after: VersionVector)
    /// Whoever has merged all of this; of items that came removed, or went, with a state.
    case state(VersionVector)
  }
}

typealias SequenceHandle = Handle<SequenceRow>

extension RowTable where Row == SequenceRow {
  mutating func remove(_ handle: SequenceHandle) {
    remove(handle, leaving: SequenceRow(object: .none, holdsText: false))
  }
}
