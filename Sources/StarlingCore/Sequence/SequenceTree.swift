/// The order of a replicated list or text: Fugue, as a value.
///
/// Items hang in a tree. Each is the left or the right child of another one or of the root, for ever,
/// and the sequence is the tree read in order: left children, the item, right children.
///
/// ```
///            root                    order:   d  b  a  e  c
///              ╲ right
///               a                    depth:   3  2  1  3  2
///        left ╱   ╲ right            gap:     0  2  1  1  2
///            b     c
///     left ╱      ╱ left
///        d       e
/// ```
///
/// The tree is never built. Two numbers for each item, its depth and its *gap* (the depth of the lowest
/// common ancestor of it and the item before it), say all of the tree that merging asks for:
///
/// - What stands below an item of depth *d* is the widest stretch around it without a gap less than *d*.
/// - Of that stretch, each gap of exactly *d* parts two children, or a child and the item itself.
/// - The parent of an item is the nearest one before it (of a right child) or after it (of a left
///   child) that is less deep.
/// - A new right child of an item of depth *d* brings a gap of *d*; a new left child takes over the
///   gap of what follows, which gets *d*. No other number ever changes.
///
/// Items lie in runs (`Span`), these in leaves (`Leaf`), and over the leaves stands a B+tree (`Branch`)
/// that knows how much each part holds and its least depth and gap. So every question above is a
/// search in O(log n), and the next edit beside the last one is found without any.
///
/// Copies share all that neither has written since: rows of leaves, branches and steps of the index.
struct SequenceTree: Sendable {
  let holdsText: Bool
  /// How many items are live.
  var count: Int { Int(totals.live) }
  /// How many bytes and how many UTF-16 code units the text has; 0 for lists.
  var utf8Count: Int { Int(totals.utf8) }
  var utf16Count: Int { Int(totals.utf16) }
  /// How many items there are, live and dead.
  var itemCount = 0
  var spanCount = 0

  var leaves = LeafTable()
  var branches = RowTable<Branch>()
  /// None while there is one leaf at most.
  var root = BranchHandle.none
  var firstLeaf = LeafHandle.none
  var lastLeaf = LeafHandle.none
  var totals = Sums()
  var dots = DotIndex()
  var cursor = Cursor()

  /// The span that was written last, in a leaf that is read: an edit beside it needs no search.
  struct Cursor: Sendable {
    var leaf = LeafHandle.none
    var span = 0
    /// How many live items stand before the leaf.
    var start = 0
    /// How many live items, and how many of their bytes, stand in the leaf before the span.
    var live = 0
    var utf8 = 0
  }

  /// Depths, lengths and sums fit 31 bits.
  static var itemCountMax: Int { 1 << 31 - 2 }
  static var utf8CountMax: Int { Int(UInt32.max) }

  init(holdsText: Bool) {
    self.holdsText = holdsText
  }

  /// An item: the `offset`-th of a span.
  struct Position: Hashable {
    var leaf: LeafHandle
    var span: Int
    var offset: Int

    var boundary: Boundary { Boundary(leaf: leaf, span: span) }
  }

  /// The start of a span.
  struct Boundary: Hashable {
    var leaf: LeafHandle
    var span: Int
  }

  @inline(__always)
  subscript(boundary: Boundary) -> Span { leaves.span(boundary.span, of: boundary.leaf) }

  @inline(__always)
  func span(_ position: Position) -> Span { leaves.span(position.span, of: position.leaf) }

  @inline(__always)
  func depth(_ position: Position) -> Int { span(position).depth &+ position.offset }

  @inline(__always)
  func item(_ position: Position) -> DotRow { span(position).first.advanced(by: position.offset) }

  // MARK: Looking up

  /// The item that is visible at `index`.
  func item(at index: Int) -> DotRow {
    item(position(at: index))
  }

  /// Whether there is such an item, visible or not.
  // Inlined, for a call would be handed a copy of the tree.
  @inline(__always)
  func contains(_ item: DotRow) -> Bool { locate(item) != nil }

  /// Whether the item is visible; nil if it is unknown.
  func liveness(of item: DotRow) -> Bool? {
    locate(item).map { span($0).isLive }
  }

  /// The visible index of the item or, if it is dead, of the first live one after it; nil if it is unknown.
  func index(of item: DotRow) -> Int? {
    locate(item).map(index(of:))
  }

  func index(of position: Position) -> Int {
    start(of: position.leaf)
      + leaves.withSpans(of: position.leaf) { spans in
        Leaf.measure(spans[..<position.span]).live + (spans[position.span].isLive ? position.offset : 0)
      }
  }

  /// Whether `former` stands before `latter`, live or dead; nil if either is unknown.
  func isBefore(_ former: DotRow, _ latter: DotRow) -> Bool? {
    guard let former = locate(former), let latter = locate(latter) else { return nil }
    if former.boundary == latter.boundary { return former.offset < latter.offset }
    return isBefore(former.boundary, latter.boundary)
  }

  /// Where the item was inserted; nil if it is unknown.
  func place(of item: DotRow) -> Place? {
    locate(item).map(place(of:))
  }

  /// Whether an item has that one as its parent; false if it is unknown.
  func hasChildren(_ item: DotRow) -> Bool {
    guard let position = locate(item) else { return false }
    let span = span(position)
    return position.offset + 1 < span.length || hasRightChildren(lastOf: position.boundary)
      || position.offset == 0 && span.gap >= span.depth
  }

  /// The live items of a visible range, in order, in as few runs as they make.
  // Mutating though it alters nothing: a method that is not would be handed a copy of the tree.
  mutating func runs(in range: Range<Int>) -> ItemRuns {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) is not within 0..<\(count).")
    guard !range.isEmpty else { return ItemRuns() }
    var position = position(at: range.lowerBound)
    var left = range.count
    if position.offset + left <= self.span(position).length {
      return ItemRuns(ItemRun(first: item(position), count: left))
    }
    var runs = ItemRuns()
    while true {
      let span = span(position)
      if span.isLive {
        let run = ItemRun(first: item(position), count: min(left, span.length - position.offset))
        runs.join(run)
        left -= run.count
        if left == 0 { return runs }
      }
      // There are `left` more live items, so a next span stands.
      let next = boundary(after: position.boundary)!
      position = Position(leaf: next.leaf, span: next.span, offset: 0)
    }
  }
}
