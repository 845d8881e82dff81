/// Neighbours in a sequence that one replica inserted one after the other, each the right child of the
/// one before, all live or all dead.
///
/// ```
///  0          8        12        16        20        24        28        32
/// +----------+---------+---------+---------+---------+---------+---------+
/// | counter  | replica | length  | depth   | gap     | UTF-8   | UTF-16  |
/// +----------+---------+---------+---------+---------+---------+---------+
///                                 bit 31:   bit 31:   lengths, 0 for dead ones
///                                 left?     dead?     and in lists
/// ```
///
/// `depth` is that of the first item in the tree; the root's is 0, and each further item of the span
/// stands one deeper. `gap` is the depth of the lowest common ancestor of the first item and the item
/// before it. `SequenceTree` says what these two numbers are for.
struct Span: Sendable {
  var counter: UInt64
  let replica: ReplicaHandle
  private var rawLength: UInt32
  private var depthAndSide: UInt32
  private var gapAndLife: UInt32
  var utf8Count: UInt32
  var utf16Count: UInt32

  private static var flag: UInt32 { 1 << 31 }

  init(_ run: ItemRun, side: Side, depth: Int, gap: Int, isLive: Bool) {
    counter = run.first.counter
    replica = run.first.replica
    rawLength = UInt32(run.count)
    depthAndSide = UInt32(depth) | (side == .left ? Self.flag : 0)
    gapAndLife = UInt32(gap) | (isLive ? 0 : Self.flag)
    utf8Count = 0
    utf16Count = 0
  }

  var length: Int {
    @inline(__always) get { Int(rawLength) }
    @inline(__always) set { rawLength = UInt32(truncatingIfNeeded: newValue) }
  }

  var depth: Int {
    @inline(__always) get { Int(depthAndSide & ~Self.flag) }
    @inline(__always) set { depthAndSide = depthAndSide & Self.flag | UInt32(truncatingIfNeeded: newValue) }
  }

  var gap: Int {
    @inline(__always) get { Int(gapAndLife & ~Self.flag) }
    @inline(__always) set { gapAndLife = gapAndLife & Self.flag | UInt32(truncatingIfNeeded: newValue) }
  }

  /// On which side of its parent the first item stands.
  var side: Side {
    @inline(__always) get { depthAndSide & Self.flag == 0 ? .right : .left }
    @inline(__always) set { depthAndSide = depthAndSide & ~Self.flag | (newValue == .left ? Self.flag : 0) }
  }

  var isLive: Bool {
    @inline(__always) get { gapAndLife & Self.flag == 0 }
    @inline(__always) set { gapAndLife = gapAndLife & ~Self.flag | (newValue ? 0 : Self.flag) }
  }

  /// How many of its items are visible: all or none.
  @inline(__always)
  var liveLength: Int { isLive ? length : 0 }

  @inline(__always)
  var first: DotRow { DotRow(replica: replica, counter: counter) }

  /// One past the last counter.
  @inline(__always)
  var end: UInt64 { counter &+ UInt64(rawLength) }

  @inline(__always)
  var lastDepth: Int { depth &+ length &- 1 }

  @inline(__always)
  var isASCII: Bool { utf8Count == rawLength }

  @inline(__always)
  func contains(_ item: DotRow) -> Bool {
    item.counter &- counter < UInt64(rawLength) && item.replica == replica
  }

  /// A part of the span as one of its own, without text.
  @inline(__always)
  func part(_ offset: Int, _ count: Int) -> Span {
    var part = self
    part.counter &+= UInt64(truncatingIfNeeded: offset)
    part.length = count
    (part.utf8Count, part.utf16Count) = (0, 0)
    if offset > 0 {
      part.depth = depth &+ offset
      part.gap = depth &+ offset &- 1
      part.side = .right
    }
    return part
  }

  /// Whether `next`, which follows at once, goes on with this span.
  ///
  /// Of two neighbours the latter is the right child of the former exactly if the former is their
  /// lowest common ancestor and the latter stands one deeper.
  @inline(__always)
  func joins(_ next: Span) -> Bool {
    next.counter == end && next.replica == replica && next.gap == lastDepth && next.depth == next.gap &+ 1
      && next.isLive == isLive
  }

  /// Takes over the items and the text of the next span, which this one joins.
  @inline(__always)
  mutating func append(_ next: Span) {
    length = length &+ next.length
    utf8Count &+= next.utf8Count
    utf16Count &+= next.utf16Count
  }
}
