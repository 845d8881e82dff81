/// What stands below one child of a branch, in all.
package struct Sums: Hashable, Sendable {
  package var live: UInt32 = 0
  package var utf8: UInt32 = 0
  package var utf16: UInt32 = 0
  /// The least `depth` and the least `gap` of a span.
  package var minDepth: UInt32 = .max
  package var minGap: UInt32 = .max

  package init() {}

  @inline(__always)
  init(_ span: Span) {
    live = UInt32(truncatingIfNeeded: span.liveLength)
    utf8 = span.utf8Count
    utf16 = span.utf16Count
    minDepth = UInt32(truncatingIfNeeded: span.depth)
    minGap = UInt32(truncatingIfNeeded: span.gap)
  }

  init(_ spans: UnsafeBufferPointer<Span>) {
    for span in spans { add(Sums(span)) }
  }

  @inline(__always)
  mutating func add(_ other: Sums) {
    live &+= other.live
    utf8 &+= other.utf8
    utf16 &+= other.utf16
    minDepth = min(minDepth, other.minDepth)
    minGap = min(minGap, other.minGap)
  }

  /// Takes away what was counted; the least depth and gap stay.
  @inline(__always)
  mutating func subtract(_ other: Sums) {
    live &-= other.live
    utf8 &-= other.utf8
    utf16 &-= other.utf16
  }
}

/// An inner node of a sequence's tree: up to 32 branches, or up to 32 leaves.
struct Branch: Sendable {
  struct Child: Sendable {
    /// Handle of a leaf or of a branch.
    var handle: UInt32
    var sums: Sums
  }

  var children: ContiguousArray<Child> = []
  var parent = BranchHandle.none
  var holdsLeaves = true
  /// Which child of its parent it was when somebody looked last.
  var slot = 0

  static var childCountMax: Int { 32 }

  /// Which child that is, by a first look at `guess`.
  @inline(__always)
  func slot(of handle: UInt32, guess: Int) -> Int {
    guess < children.count && children[guess].handle == handle ? guess : slot(of: handle)
  }

  @inline(__always)
  func slot(of handle: UInt32) -> Int {
    children.withUnsafeBufferPointer { children in
      var slot = 0
      while slot < children.count, children[slot].handle != handle { slot &+= 1 }
      return slot
    }
  }

  var sums: Sums {
    var sums = Sums()
    for child in children { sums.add(child.sums) }
    return sums
  }
}
