import StarlingCore
import StarlingEngine
import StarlingGraph

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

  /// Belongs from now on to a document that shows nothing yet. Under the document's lock.
  func settle(besideItems count: Int) { preconditionFailure("abstract") }

  /// Shows what the document holds, as one sees it who reads on the owner's isolation: of merges that wait to become
  /// visible there it knows the edits, as if it had been open when they came.
  override func show() {
    guard let owner = attachment else { return }
    let (space, reader) = (owner.space, owner.delivery.reader)
    // What stood there goes with the lock released.
    var displaced: ObjectTable.Live?
    defer { withExtendedLifetime(displaced) {} }
    while true {
      let reading: AnyObject? = space.handle.readViews { document, views in
        guard let view = views[reader], view.shows(object) else {
          displaced = space.register(.keyed(self), at: object)
          settle(besideItems: document.count(in: object))
          return nil
        }
        settle(besideItems: view.document.count(in: object))
        return readItems(view.document)
      }
      guard let reading else {
        space.refresh([Subject(attachment: owner, itemsOf: self)])
        return
      }
      decodeItems(reading)
      let isDone = space.handle.readViews { _, views in
        guard let view = views[reader], view.shows(object), storeItems(reading, view.document) else { return false }
        for patch in view.patches {
          for edits in patch.sequences where edits.object == object { note(edits.edits) }
        }
        displaced = space.register(.keyed(self), at: object)
        return true
      }
      if isDone { return batch { tellItems(reading) } }
    }
  }

  override func showAgain() {
    guard let owner = attachment else { return }
    let displaced = owner.space.handle.read { document in
      startAgain(document)
      return owner.space.register(.keyed(self), at: object)
    }
    _ = withExtendedLifetime(displaced) { owner.space.refresh([Subject(attachment: owner, itemsOf: self)]) }
  }

  /// Whether nobody ever wrote the sequence: its default shows.
  func isUnwritten(in document: borrowing Document) -> Bool {
    guard let attachment else { return true }
    return document.visible(key, in: attachment.object) == .absent
  }

  /// How many items of the document are aligned with what is visible.
  var alignedCount: Int { preconditionFailure("abstract") }

  /// Has the sequence follow the document. Nobody tells it which items went where it went as a whole, with what it stood
  /// in; where it came back since it starts again. Under the document's lock.
  ///
  /// - Returns: False where it stands no more, and shows what it showed.
  func follows(_ document: borrowing Document) -> Bool {
    if alignedCount == document.count(in: object) { return true }
    guard lineage.isLive(in: document) else { return false }
    startAgain(document)
    return true
  }

  /// Takes in edits that were made elsewhere. Under the document's lock, with what they made of the document.
  func note(_ edits: [SequenceEdit]) { preconditionFailure("abstract") }

  /// What is visible has nothing to do with what the document holds from now on. Under the document's lock.
  func startAgain(_ document: borrowing Document) { preconditionFailure("abstract") }

  /// What of the document is not visible here yet. Under the document's lock.
  func readItems(_ document: borrowing Document) -> AnyObject { preconditionFailure("abstract") }
  func decodeItems(_ reading: AnyObject) { preconditionFailure("abstract") }
  /// Shows what was read. Under the document's lock; false where the document has moved on since.
  func storeItems(_ reading: AnyObject, _ document: borrowing Document) -> Bool { preconditionFailure("abstract") }
  func tellItems(_ reading: AnyObject) { preconditionFailure("abstract") }
}
