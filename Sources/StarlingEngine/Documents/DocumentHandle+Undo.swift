package import StarlingCore
import StarlingGuard

// What was done to the document here, to be undone and done again. What comes from elsewhere is never part of it.

extension DocumentHandle {
  /// What there is to undo and to do again.
  package struct UndoSteps: Hashable, Sendable {
    package var canUndo = false
    package var canRedo = false
    package var undoName: String?
    package var redoName: String?
  }

  /// Keeps from now on what changes made here did; one history for the document, whose first limit and pause stand.
  package func keepHistoryForUndo(limit: UndoHistory.Limit, typingPause: Duration? = nil) {
    state.withLock { state in
      if state.history == nil { state.history = UndoHistory(limit: limit, typingPause: typingPause) }
    }
  }

  package var undoSteps: UndoSteps {
    state.withLock { state in
      guard let history = state.history else { return UndoSteps() }
      return UndoSteps(
        canUndo: history.canUndo, canRedo: history.canRedo, undoName: history.undoName, redoName: history.redoName)
    }
  }

  /// Undoes the latest step that still has an effect, as a change, and tells the readers as of a merge.
  ///
  /// - Returns: Whether anything was written; false while this thread has a transaction open: the step would become a
  ///   part. Those of other threads are waited for.
  /// - Throws: where what went is more than a change may hold. What fits came back; `redo` takes it away again.
  package func undo() throws(OversizedWrite) -> Bool {
    try step { $0.undo(in: &$1, patch: &$2) }
  }

  /// Does the latest undone step again; as `undo`.
  package func redo() throws(OversizedWrite) -> Bool {
    try step { $0.redo(in: &$1, patch: &$2) }
  }

  private func step(
    _ body: (inout UndoHistory, inout Document, inout Patch) -> Bool
  ) throws(OversizedWrite) -> Bool {
    let receivers = listeners.withLock { $0.merge }
    var patch = Patch()
    let origin = tracer?.origin()
    let left = takeLeftReaders()
    let (hasWritten, refusal, committed): (Bool, OversizedWrite?, Committed) = inTurn {
      state.withLock { state in
        // Taken out while it is at work: a copy of it would be made otherwise, and the change be taken for a step.
        guard !state.document.isWriting, var history = state.history.take() else { return (false, nil, Committed()) }
        state.keepViews(besides: left)
        state.begin(now)
        let hasWritten = body(&history, &state.document, &patch)
        let refusal = state.document.takeRefusal()
        for receiver in receivers { receiver(patch) }
        state.readers.note(merge: patch, in: state.document)
        var committed = state.commit(message: nil)
        state.note(origin, of: committed)
        state.history = history
        committed.altersHistory = true
        return (hasWritten, refusal, committed)
      }
    }
    tell(patch)
    announce(committed)
    if let refusal { throw refusal }
    return hasWritten
  }

  /// The next change made here is one step with the one before, if nothing was undone in between.
  package func joinNextStep() {
    state.withLock { $0.joinsPrevious = true }
  }

  /// The next change made here begins a step.
  package func endUndoStep() {
    state.withLock { state in
      state.joinsPrevious = false
      state.history?.endStep()
    }
  }

  /// Changes that this thread begins within `body` are no steps.
  package func withoutUndo<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let thread = ThreadNumber.current
    state.withLock { $0.undoPauses.append(thread) }
    defer { state.withLock { _ = $0.undoPauses.remove(at: $0.undoPauses.lastIndex(of: thread)!) } }
    return try body()
  }

  /// Forgets all steps.
  package func forgetUndo() {
    state.withLock { $0.history?.removeAll() }
    announce(Committed(altersHistory: true))
  }

  /// Calls `receiver` when what there is to undo or to do again may have changed, outside the lock.
  package func onUndo(_ receiver: @escaping @Sendable () -> Void) {
    listeners.withLock { $0.undo.append(receiver) }
  }
}
