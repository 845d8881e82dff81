public import StarlingCore
import StarlingEngine
import StarlingGraph

extension ModelSpace {
  /// Keeps from now on what is done here, so that it can be undone and done again: each transaction, and each write
  /// outside of one, is a step. What other replicas do never is, and undoing a step leaves alone what they have
  /// written since.
  ///
  /// The steps are this process's and end with it: after a restart there is nothing to undo. What stood before is in
  /// the document's history (`Replica.history`, `restore(to:)`).
  ///
  /// Typing is the exception: what goes on in a text where the last write ended, and nothing else in the same
  /// transaction, is one step with it, and so are characters taken away one after the other. Another place, another
  /// kind of write, a line break, a pause or `endStep` begin a step.
  ///
  /// - Parameters:
  ///   - limit: how much is kept; a document has one history, and its first limit and pause stand.
  ///   - typingPause: the longest pause within a step; nil if each write is one.
  public func undoManager(
    limit: UndoHistory.Limit = UndoHistory.Limit(), typingPause: Duration? = .seconds(1)
  ) -> ReplicatedUndoManager {
    handle.keepHistoryForUndo(limit: limit, typingPause: typingPause)
    return ReplicatedUndoManager(self)
  }
}

/// Undo and redo of what was done here to one document.
///
/// What it says there is to undo is tracked: an observer that read `canUndo` runs again when that may have changed.
public final class ReplicatedUndoManager: Sendable {
  private let space: ModelSpace
  private let home = Home()
  private let sources = KeyedSources<Int>()
  private let observation = CoarseObservation()

  init(_ space: ModelSpace) {
    self.space = space
    space.handle.onUndo { [weak self] in self?.tell() }
  }

  /// Whether there is a step to undo. It may turn out that nothing of it holds any more.
  public var canUndo: Bool { steps.canUndo }
  /// Whether there is a step to do again.
  public var canRedo: Bool { steps.canRedo }
  /// The message of the transaction that `undo` would undo.
  public var undoActionName: String? { steps.undoName }
  /// The message of the transaction that `redo` would do again.
  public var redoActionName: String? { steps.redoName }

  /// Undoes the latest step that still has an effect.
  ///
  /// - Returns: Whether anything was written; false while this thread has a transaction open.
  /// - Throws: `OversizedWrite` where what went is more than a change may hold.
  @discardableResult
  public func undo() throws(OversizedWrite) -> Bool { try space.handle.undo() }

  /// Does the latest undone step again.
  @discardableResult
  public func redo() throws(OversizedWrite) -> Bool { try space.handle.redo() }

  /// The next transaction is one step with the one before, if nothing is undone in between: as for somebody who drags
  /// something along.
  public func joinNextStep() { space.handle.joinNextStep() }

  /// The next transaction begins a step, also where it types on: as for somebody who saves, or leaves the field.
  public func endStep() { space.handle.endUndoStep() }

  /// What is begun within `body` is no step.
  public func withoutUndo<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try space.handle.withoutUndo(body)
  }

  /// Forgets all steps.
  public func removeAllActions() { space.handle.forgetUndo() }

  private var steps: DocumentHandle.UndoSteps {
    observation.note { sources.track(0, in: home) }
    return space.handle.undoSteps
  }

  private func tell() {
    sources.touch(0, in: home)
    observation.tell()
  }
}
