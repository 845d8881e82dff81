/// A document's state at one moment, for whoever goes through all of it while the document is written on
/// (Documentation/Decisions/states-are-cut-by-pieces.md).
///
/// ```
///                rows, in pieces of 512              indices
/// document   ──► │ a │ b'│ c │ d │ ...               its own: whoever walks through everything looks nothing up
///                  ▲       ▲   ▲
/// cut        ──►   a   b   c   d  ...                none
///                      └ since then a row of this piece was written: the document has a copy of its own
/// ```
///
/// Taking it copies no rows. A write to the document copies the pieces that it writes to, if the cut still has them,
/// and nothing that grows with the document but the list of its pieces, a 64th of a byte for a row.
package struct DocumentCut: Sendable {
  private let document: Document

  fileprivate init(_ document: Document) { self.document = document }

  package var version: VersionVector { document.version }
  /// By which whoever has it gone through knows how long that takes.
  package var slotCount: Int { document.slots.count }

  package func snapshot() -> Snapshot { document.snapshot() }
  package func digest() -> Digest { document.digest() }
}

extension Document {
  /// The state as it stands. No change may be open, and nothing be left in a stored snapshot.
  ///
  /// - Complexity: O(*n* / 512)
  package func cut() -> DocumentCut {
    precondition(!isWriting, "A cut holds whole changes; commit the open one first.")
    precondition(unopened == nil, "A cut is taken of what was read; open the document fully first.")
    var rows = self
    rows.slots.keepRowsAlone()
    rows.keys.keepRowsAlone()
    rows.objects.keepRowsAlone()
    rows.hinted = HintedSlots()
    return DocumentCut(rows)
  }
}

/// A state that is written down object by object, none of which must be held as a whole.
package protocol SnapshotSource {
  associatedtype Slots: SnapshotSlots

  var version: VersionVector { get }
  var frontier: [Dot] { get }
  var latestStamp: Stamp { get }
  /// Ascending by id.
  var outlines: [Snapshot.Outline] { get }

  /// Ascending by key.
  func slots(of outline: Snapshot.Outline) -> Slots
  func sequence(of outline: Snapshot.Outline) -> Snapshot.Sequence?
}

/// The slots of one object, made a few at a time.
package protocol SnapshotSlots {
  var count: Int { get }
  subscript(places: Range<Int>) -> ArraySlice<Snapshot.Slot> { get }
}

extension Snapshot {
  /// An object without what stands in it.
  package struct Outline: Sendable {
    package var id: ObjectID
    package var origin: Origin
    /// By which its source knows it.
    let number: Int
  }
}

extension Array: SnapshotSlots where Element == Snapshot.Slot {}

extension Snapshot: SnapshotSource {
  package var outlines: [Outline] {
    objects.enumerated().map { Outline(id: $0.element.id, origin: $0.element.origin, number: $0.offset) }
  }

  package func slots(of outline: Outline) -> [Slot] { objects[outline.number].slots }
  package func sequence(of outline: Outline) -> Sequence? { objects[outline.number].sequence }
}

extension DocumentCut: SnapshotSource {
  package var frontier: [Dot] { document.frontier }
  package var latestStamp: Stamp { document.latestStamp }

  package var outlines: [Snapshot.Outline] {
    let document = document
    return document.outlines { object in
      document.sequence(of: object).map { !document.sequences[$0].isEmpty } ?? false
    }
  }

  package func slots(of outline: Snapshot.Outline) -> Slots {
    Slots(document: document, order: document.orderedSlots(of: ObjectHandle(outline.number)))
  }

  package func sequence(of outline: Snapshot.Outline) -> Snapshot.Sequence? {
    document.sequenceOfSnapshot(ObjectHandle(outline.number), isCanonical: false)
  }

  package struct Slots: SnapshotSlots {
    fileprivate let document: Document
    fileprivate let order: ContiguousArray<SlotHandle>

    package var count: Int { order.count }
    package subscript(places: Range<Int>) -> ArraySlice<Snapshot.Slot> {
      order[places].map { document.slotOfSnapshot($0) }[...]
    }
  }
}

// Long texts, for whoever writes them into a store leaf by leaf.
extension DocumentCut {
  /// Whether there is a text of so many spans without marks.
  package func hasOrders(spanCountMin: Int) -> Bool {
    document.sequenceHandles.contains { hasOrder(document.sequences[$0], spanCountMin) }
  }

  /// The order of such a text; nil for others.
  package func order(of outline: Snapshot.Outline, spanCountMin: Int) -> OrderToStore? {
    let document = document
    guard let sequence = document.sequence(of: ObjectHandle(outline.number)),
      hasOrder(document.sequences[sequence], spanCountMin)
    else { return nil }
    return OrderToStore(document.sequences[sequence].tree) { document.replicas[$0] }
  }

  private func hasOrder(_ row: SequenceRow, _ spanCountMin: Int) -> Bool {
    row.tree.holdsText && row.marks.isEmpty && row.tree.count > 0 && row.tree.spanCount >= spanCountMin
  }
}

// For tests: what a write after a cut copies.
extension DocumentCut {
  /// How many buckets of indices it shares with the document, all of which the next insertion would copy.
  package var sharedBucketCount: Int {
    document.slots.indexExtent + document.keys.indexExtent + document.objects.indexExtent
  }

  /// How many pieces of rows the document has for itself that it shared when this cut was taken.
  package func copiedPieceCount(in document: Document) -> Int {
    self.document.slots.pieceCount(apartFrom: document.slots)
      + self.document.keys.pieceCount(apartFrom: document.keys)
      + self.document.objects.pieceCount(apartFrom: document.objects)
  }
}
