package import StarlingCore
import StarlingGuard

// Changes of ours that the group refuses for good (Documentation/Decisions/refused-changes-are-written-again.md).
extension DocumentHandle {
  /// How writing again ended.
  package enum WritingAgain: Sendable {
    /// The change is nil where a reader sees no difference without what was given up.
    case done(Change?, version: VersionVector)
    /// Something was written since, or a transaction is open.
    case notNow
    /// It is more than one change may hold. Nothing was altered.
    case tooLarge(OversizedWrite)
  }

  /// Whether a transaction is open.
  var isWriting: Bool { state.withLock { $0.document.isWriting } }

  /// Takes `remainder` in place of the document, which lacks some of our own changes, and writes what a reader sees
  /// differently there: as one change that is not put into the outbox. Tells the readers: for them, objects that those
  /// changes made go and others come in their places. Steps to undo are forgotten.
  ///
  /// - Parameter version: what the document holds, those changes included.
  /// - Complexity: O(slots and items of both)
  package func writeAgain(on remainder: Document, insteadOf version: VersionVector) -> WritingAgain {
    var patch = Patch()
    let receivers = listeners.withLock { $0.merge }
    let left = takeLeftReaders()
    let outcome: WritingAgain = state.withLock { state in
      guard !state.document.isWriting, state.outbox.isEmpty, state.document.version == version else { return .notNow }
      var next = remainder
      next.begin(as: state.replica, now: now())
      var written = Patch()
      next.restore(like: state.document, patch: &written)
      if let refusal = next.takeRefusal() { return .tooLarge(refusal) }
      let change = next.commit()
      state.keepViews(besides: left)
      state.document.giveWay(to: next, patch: &patch)
      state.history?.removeAll()
      for receiver in receivers { receiver(patch) }
      state.readers.note(merge: patch, in: state.document)
      return .done(change, version: state.document.version)
    }
    guard case .done = outcome else { return outcome }
    tell(patch)
    announce(Committed(altersHistory: true))
    return outcome
  }
}
