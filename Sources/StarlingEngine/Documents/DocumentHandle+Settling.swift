package import StarlingCore
import StarlingGuard

// A state that another replica holds at our own version, and that differs from ours.
extension DocumentHandle {
  /// Settles with a state of this document's version (`Document.settle`), and tells the readers what changed.
  ///
  /// - Returns: the outcome; nil where it is of another version by now, or a transaction is open: then it is
  ///   merged as any other state, and the difference shows again.
  package func settle(
    with other: Document, authority: Document.Authority
  ) throws(MergeError) -> Settlement? {
    var patch = Patch()
    let receivers = listeners.withLock { $0.merge }
    let left = takeLeftReaders()
    let outcome: Result<Settlement?, MergeError> = state.withLock { state in
      guard state.document.version == other.version, !state.document.isWriting else { return .success(nil) }
      state.keepViews(besides: left)
      defer { state.readers.note(merge: patch, in: state.document) }
      do throws(MergeError) {
        let settlement = try state.document.settle(with: other, authority: authority, patch: &patch)
        for receiver in receivers { receiver(patch) }
        return .success(settlement)
      } catch {
        return .failure(error)
      }
    }
    tell(patch)
    return try outcome.get()
  }
}
