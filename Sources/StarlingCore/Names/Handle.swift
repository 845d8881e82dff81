/// A place in one of the document's tables: four bytes that stand for an id, a key or a slot.
///
/// Handles are dense and are used again once their row is free; they never leave the document.
struct Handle<Row>: Hashable, Sendable {
  let rawValue: UInt32

  init(_ index: Int) {
    precondition(index < UInt32.max, "A document holds fewer than 2^32 - 1 of anything; this is number \(index).")
    rawValue = UInt32(truncatingIfNeeded: index)
  }

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Stands for "no row".
  static var none: Handle { Handle(rawValue: .max) }

  var isNone: Bool { rawValue == .max }
  var index: Int { Int(rawValue) }
}

typealias ReplicaHandle = Handle<ReplicaID>
typealias KeyHandle = Handle<KeyRow>
typealias ObjectHandle = Handle<ObjectRow>
typealias SlotHandle = Handle<SlotRow>
typealias CompoundHandle = Handle<CompoundRow>
