import StarlingCore
import StarlingGuard
import StarlingSession

// A fork, written again in part in the document that it was taken from.
extension DocumentHandle {
  /// Takes `document` in place of this one and writes on under another id. Tells the readers of the difference: for
  /// them objects that were written again come in place of the former ones. Steps to undo are forgotten.
  ///
  /// No transaction may be open.
  ///
  /// - Complexity: O(slots and items of both)
  func goOn(from document: Document, as replica: ReplicaID) {
    var patch = Patch()
    let receivers = listeners.withLock { $0.merge }
    let left = takeLeftReaders()
    state.withLock { state in
      state.keepViews(besides: left)
      state.document.giveWay(to: document, patch: &patch)
      state.gate = CausalGate()
      state.replica = replica
      state.history?.removeAll()
      for receiver in receivers { receiver(patch) }
      state.readers.note(merge: patch, in: state.document)
    }
    tell(patch)
    announce(Committed(altersHistory: true))
  }
}
