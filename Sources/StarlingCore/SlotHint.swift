/// The number under which whoever read an operation knows its slot, such as a decoder in its table of slots.
///
/// A document remembers where it found the slot that was last written under a number, looks there first, and
/// holds what it finds against the operation's object and key: a hint that is right spares hashing the key
/// and looking it up, and one that is wrong costs a comparison.
package struct SlotHint: Hashable, Sendable {
  fileprivate let rawValue: UInt32

  /// - Parameter number: 0 or greater.
  @inline(__always)
  package init(_ number: Int) {
    rawValue = UInt32(truncatingIfNeeded: number)
  }

  package static var none: SlotHint { SlotHint(-1) }
}

/// Where the slots were that operations with hints acted on.
struct HintedSlots: Sendable {
  private var slots: ContiguousArray<SlotHandle> = []

  /// As many numbers as a stream gives out; hints beyond are not remembered.
  private static var countMax: Int { 65_536 }

  @inline(__always)
  subscript(hint: SlotHint) -> SlotHandle? {
    hint.rawValue < slots.count ? slots[Int(hint.rawValue)] : nil
  }

  mutating func remember(_ slot: SlotHandle, for hint: SlotHint) {
    guard hint.rawValue < Self.countMax else { return }
    while slots.count <= hint.rawValue { slots.append(.none) }
    slots[Int(hint.rawValue)] = slot
  }
}
