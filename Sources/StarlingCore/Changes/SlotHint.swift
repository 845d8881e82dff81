/// The number under which whoever made an operation knows its slot: a decoder in its table of slots, a document among
/// its rows.
///
/// The receiver of the operation, a document or an encoder, remembers where it found the slot that last came under a
/// number, looks there first, and holds what it finds against the operation's object and key: a hint that is right
/// spares hashing the key and looking it up, and one that is wrong costs a comparison.
@usableFromInline
package struct SlotHint: Hashable, Sendable {
  @usableFromInline let rawValue: UInt32

  /// - Parameter number: 0 or greater.
  @inline(__always)
  package init(_ number: Int) {
    rawValue = UInt32(truncatingIfNeeded: number)
  }

  package static var none: SlotHint { SlotHint(-1) }
}

/// Where a slot was found, to look there first the next time. It says nothing, and any is right.
package struct SlotPlace: Sendable {
  var slot = SlotHandle.none

  package init() {}
}

/// Where the slots were that operations with hints acted on.
@usableFromInline
package struct HintedSlots: Sendable {
  @usableFromInline var places: ContiguousArray<UInt32> = []

  package init() {}

  /// As many numbers as a stream gives out; hints beyond are not remembered.
  private static var countMax: Int { 65_536 }

  /// Where the slot was that last came with `hint`; `UInt32.max` where none did.
  @inlinable @inline(__always)
  package subscript(hint: SlotHint) -> UInt32 {
    hint.rawValue < places.count ? places[Int(hint.rawValue)] : .max
  }

  package mutating func remember(_ place: UInt32, for hint: SlotHint) {
    guard hint.rawValue < Self.countMax else { return }
    while places.count <= hint.rawValue { places.append(.max) }
    places[Int(hint.rawValue)] = place
  }
}
