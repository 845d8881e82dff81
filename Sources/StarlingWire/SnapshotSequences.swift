import StarlingCore

// The sequence of a list or text in a snapshot (Protocol/wire-format.md, "Sequences").
//
// ```
// count of runs   bytes of runs   run ...   text of all live items   marks
// ```
//
// In the order of the items a run mostly goes on where another left off:
//
// ```
// order:     aaa        xx         aaa
// dots:      1...3      9, 10      4...6
// anchor:    origin     left of 4  right of 3
// spelled:              "before    "the one awaited,
//                       the next"   right of its own predecessor"
// ```
//
// So a run costs a byte for how it hangs, one for how many items it is, and its dot where that jumps.

/// A dot by the place of its replica in the snapshot's version.
struct ItemPlace: Equatable {
  var replica: Int
  var counter: UInt64

  static let origin = ItemPlace(replica: -1, counter: 0)

  /// The dot right after it.
  var next: ItemPlace { ItemPlace(replica: replica, counter: counter + 1) }
}

/// The first byte of a run.
///
/// ```
///  7       6     4   3   2   1       0
/// | count | anchor | first | content |
/// ```
enum RunHead {
  static let contentMask: UInt8 = 3
  static let text: UInt8 = 0
  static let removed: UInt8 = 1
  static let elements: UInt8 = 2
  static let moved: UInt8 = 3

  static let firstMask: UInt8 = 3 << 2
  /// A short dot.
  static let wholeDot: UInt8 = 0 << 2
  /// So far beyond the dot right after the item before.
  static let dotDifference: UInt8 = 1 << 2
  /// The dot right after the item before.
  static let dotNext: UInt8 = 2 << 2
  /// The item awaited.
  static let awaited: UInt8 = 3 << 2

  static let anchorMask: UInt8 = 7 << 4
  /// On the right of the dot right before the run's first.
  static let rightOfPredecessor: UInt8 = 0 << 4
  /// On the right of the item before, or of the origin.
  static let rightOfBefore: UInt8 = 1 << 4
  /// On the left of the dot right after the item before.
  static let leftOfNext: UInt8 = 2 << 4
  /// On the left of the item awaited.
  static let leftOfAwaited: UInt8 = 3 << 4
  static let rightOfGiven: UInt8 = 4 << 4
  static let leftOfGiven: UInt8 = 5 << 4

  /// Otherwise one item.
  static let countGiven: UInt8 = 1 << 7
}

/// What a run is spelled against.
struct RunLine {
  /// The last item of the run before.
  var before = ItemPlace.origin
  /// The items on whose left runs were anchored and that are still to come, the next one last.
  private var awaitedItems: [ItemPlace] = []

  var awaited: ItemPlace? { awaitedItems.last }

  mutating func begin(at first: ItemPlace) {
    if awaitedItems.last == first { awaitedItems.removeLast() }
  }

  mutating func end(at last: ItemPlace, leftOf anchor: ItemPlace?) {
    before = last
    if let anchor, anchor != .origin, awaitedItems.last != anchor { awaitedItems.append(anchor) }
  }
}

extension Snapshot.Origin {
  /// Whether the object is a list or a text.
  var isSequence: Bool { kind == .list || isText }

  var isText: Bool { kind == .text }

  private var kind: Kind? {
    switch self {
    case .root: nil
    case .derived(let definition): definition.kind
    case .assigned(let kind), .orphan(let kind): kind
    }
  }
}
