/// One thing that a local transaction did, with what it takes to do the opposite: its own name, and what stood before.
///
/// Everything is named by the dots it had when the record was made; `IDRemappings` tells what took their place.
enum UndoRecord: Sendable {
  case wrote(SlotUndoRecord)
  case counted(CountUndoRecord)
  /// Items of a list or text came.
  case inserted(InsertUndoRecord)
  /// Items of a list or text went, with what stood below them.
  case removed([Piece])
  case moved(MoveUndoRecord)
  case marked(MarkUndoRecord)
}

/// An object, and the way to it: what is derived from an object that comes back under another id is derived
/// from that one then.
struct Location: Sendable {
  var id: ObjectID
  /// From the outermost derived object down to this one; empty for the root and for assigned objects.
  var chain: [ObjectDefinition]
}

/// An entry was put into a slot, or what stood there was taken away.
struct SlotUndoRecord: Sendable {
  var location: Location
  var key: Key
  /// The entry; nil where nothing was put.
  var mine: Dot?
  /// The other entries that stood in the slot afterwards.
  var left: [Dot] = []
  var taken = SlotContent()
  /// What was cleared in the objects below, and what stood in assigned objects that went.
  var below: [Piece] = []
}

struct CountUndoRecord: Sendable {
  var location: Location
  var key: Key
  var amount: Int64
  /// The share that it was added to, by the increment that began it.
  var share: Dot
  /// Whether this increment did.
  var began: Bool
  /// The entry that a reader saw before, if one; the counter may hide it since.
  var former: Dot?
}

struct InsertUndoRecord: Sendable {
  var location: Location
  /// The dots of all items run on from this one.
  var first: Dot
  var count: Int
  /// Where a text without a line break was put in one place: the item it was put behind, `Dot.origin` at the beginning.
  var typedBehind: Dot?

  var last: Dot { Dot(first.replica, first.counter + UInt64(count - 1)) }
}

struct MoveUndoRecord: Sendable {
  var location: Location
  var element: Dot
  /// The candidate that the move made, and the one that was seen before.
  var mine: Dot
  var former: Dot
  var gap: Gap
}

struct MarkUndoRecord: Sendable {
  var location: Location
  var name: Key
  var mine: Dot
  /// Whether the mark covers nothing and only took others away; it may have been collected since.
  var isRetraction: Bool
  /// The marks it took away, the lesser ones first.
  var taken: [TakenMark]
}

/// A place between items, by those that a reader saw beside it: items of a text, elements of a list.
struct Gap: Sendable {
  /// `Dot.origin` at the beginning.
  var before: Dot
  /// `Dot.origin` at the end.
  var after: Dot
  var index: Int
}

// MARK: What went

/// A part of what a write took away. Each comes after the object that it stands in.
enum Piece: Sendable {
  case slot(Location, Key, SlotContent)
  case elements(ElementsPiece)
  case text(TextPiece)
}

struct SlotContent: Sendable {
  struct Count: Sendable {
    var total: Int64
    /// The increments that began the shares.
    var births: [Dot]
    /// Whether a reader saw it, rather than an entry.
    var isVisible: Bool
  }

  /// The lesser ones first.
  var entries: [Entry] = []
  var count: Count?

  var isEmpty: Bool { entries.isEmpty && count == nil }
}

struct ElementsPiece: Sendable {
  struct Element: Sendable {
    var name: Dot
    /// The candidate at which it stood.
    var item: Dot
    var content: SlotContent
  }

  var location: Location
  var gap: Gap
  var elements: [Element]
}

struct TextPiece: Sendable {
  var location: Location
  var gap: Gap
  var text: String
  /// The dots of its scalars.
  var runs: [DotRun]
  var covers: [MarkCover]
  /// The greatest rank of the text's marks.
  var rankMax: UInt64
}

/// Consecutive dots.
struct DotRun: Hashable, Sendable {
  var first: Dot
  var count: Int
}

/// A mark that lies, in part or whole, over a range.
struct MarkCover: Sendable {
  var range: Range<Int>
  var dot: Dot
  var name: Key
  var value: Value
  var rank: UInt64
}

struct TakenMark: Sendable {
  var dot: Dot
  var value: Value
  var rank: UInt64
  /// Both rest on items that were live when it went.
  var start: Edge
  var end: Edge
}

// MARK: Size

extension UndoRecord {
  /// What it takes in memory, roughly.
  var byteCount: Int {
    let own = MemoryLayout<UndoRecord>.stride
    switch self {
    case .wrote(let undoRecord):
      return own + 64 + undoRecord.key.weight + undoRecord.taken.byteCount + undoRecord.below.byteCount
    case .counted, .inserted, .moved: return own + 64
    case .removed(let pieces): return own + pieces.byteCount
    case .marked(let undoRecord): return own + 64 + undoRecord.taken.reduce(0) { $0 + 96 + $1.value.weight }
    }
  }
}

extension [Piece] {
  var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}

extension Piece {
  fileprivate var byteCount: Int {
    switch self {
    case .slot(_, let key, let content): 96 + key.weight + content.byteCount
    case .elements(let piece): 128 + piece.elements.reduce(0) { $0 + 64 + $1.content.byteCount }
    case .text(let piece):
      128 + piece.text.utf8.count + 24 * piece.runs.count + piece.covers.reduce(0) { $0 + 96 + $1.value.weight }
    }
  }
}

extension SlotContent {
  fileprivate var byteCount: Int {
    entries.reduce(0) { $0 + 56 + $1.value.weight } + (count.map { 32 + 16 * $0.births.count } ?? 0)
  }
}
