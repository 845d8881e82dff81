import StarlingCore

/// What stands behind a `ReplicatedArray` or `ReplicatedText`: the items that are visible here, and how they lie
/// among those of the document (`Alignment`).
///
/// ```
///   merge ── under the document's lock ──► note: the edits that are not visible yet
///   delivery ── lock ─ read ─ unlock │ decode │ lock ─ still so? store ─ unlock │ tell
/// ```
class SequenceCore: KeyedCore, @unchecked Sendable {
  // Sendable: subclasses guard what they add.

  /// The key under which the sequence is derived from its owner.
  var key: Key { propertyKey }

  /// Whether nobody ever wrote the sequence: its default shows.
  func isUnwritten(in document: borrowing Document) -> Bool {
    guard let attachment else { return true }
    return document.visible(key, in: attachment.object) == .absent
  }

  /// Takes in edits that were made elsewhere. Under the document's lock, with what they made of the document.
  func note(_ edits: [SequenceEdit]) { preconditionFailure("abstract") }

  /// What is visible has nothing to do with what the document holds from now on. Under the document's lock.
  func startAnew(_ document: borrowing Document) { preconditionFailure("abstract") }

  /// What of the document is not visible here yet. Under the document's lock.
  func readItems(_ document: borrowing Document) -> AnyObject { preconditionFailure("abstract") }
  func decodeItems(_ reading: AnyObject) { preconditionFailure("abstract") }
  /// Shows what was read. Under the document's lock; false where the document has moved on since.
  func storeItems(_ reading: AnyObject, _ document: borrowing Document) -> Bool { preconditionFailure("abstract") }
  func tellItems(_ reading: AnyObject) { preconditionFailure("abstract") }
}
