import StarlingCore
import StarlingGuard
public import Synchronization

// A document that is forgotten for good (Protocol/conversation.md, "Forgetting"). Whoever holds its handle reads an
// empty document, and what is written there is dropped.
extension DocumentHandle {
  /// Whether the document is forgotten: what is written to it is dropped.
  @inlinable public var isForgotten: Bool { forgotten.load(ordering: .acquiring) }

  /// Empties the document, and tells its readers so. Nothing of it is sent or logged any more.
  ///
  /// - Returns: false while a transaction is open, whose half nobody may see: call it again.
  func forget() -> Bool {
    forgotten.store(true, ordering: .releasing)
    let receivers = listeners.withLock { $0.merge }
    let left = takeLeftReaders()
    let patch: Patch? = state.withLock { state in
      guard state.emptied == nil else { return Patch() }
      guard !state.document.isWriting else { return nil }
      state.keepViews(besides: left)
      let patch = state.empty(now: now())
      for receiver in receivers { receiver(patch) }
      state.readers.note(merge: patch, in: state.document)
      return patch
    }
    guard let patch else { return false }
    tell(patch)
    return true
  }
}

extension DocumentHandle.State {
  fileprivate mutating func empty(now: UInt64) -> Patch {
    var patch = Patch()
    // Each by itself: all might be more than one change holds.
    for key in document.keys(in: .root).sorted() {
      document.begin(as: replica, now: now)
      document.remove(key, in: .root, patch: &patch)
      _ = document.takeRefusal()
      _ = document.commit()
    }
    emptied = document
    isEmptied = true
    outbox = []
    origins = []
    backlog.outbox.store(0, ordering: .relaxed)
    history = history == nil ? nil : UndoHistory()
    return patch
  }
}
