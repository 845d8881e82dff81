import StarlingCore
import StarlingSession
import StarlingWire

/// Merges what was written in a fork into the document that it was taken from. Nobody is told of it here.
struct ForkMerge {
  let fork: ForkedDocument
  /// The document's.
  let handle: DocumentHandle

  init(of fork: ForkedDocument, into handle: DocumentHandle) {
    self.fork = fork
    self.handle = handle
  }

  /// Change by change, as far as every member can merge them.
  ///
  /// - Parameter acknowledged: what this replica may have acknowledged of the document.
  /// - Returns: what merged, and whether that is all; `finish` says what is to be done about the rest.
  func changes(acknowledged: VersionVector) throws -> (merged: Merged, isWhole: Bool) {
    let version = handle.version
    guard version.covers(fork.base) else {
      throw HistoryError(.notHere, "The fork of '\(fork.id)' stands at \(fork.base), which has not come here yet.")
    }
    let changes = fork.changes().filter { $0.lastCounter > version[$0.replica] }
    let count = try mergeableCount(of: changes, acknowledged)
    return (handle.merge(Array(changes.prefix(count))), count == changes.count)
  }

  /// How many of the changes, from the first on, a member can merge that has forgotten all it may. Others may have
  /// forgotten what this replica still has: it has acknowledged the removal, and promised to write nothing that rests
  /// on it.
  private func mergeableCount(of changes: [Change], _ acknowledged: VersionVector) throws -> Int {
    if fork.base.covers(acknowledged) { return changes.count }
    guard var member = handle.copy() else { throw HistoryError.transactionOpen(fork.id) }
    member.collectTombstones(stable: acknowledged)
    let incomplete = Set(member.incompleteObjects)
    var gate = CausalGate()
    var patch = Patch()
    for (place, change) in changes.enumerated() {
      do throws(MergeError) {
        let received = try gate.receive(change, into: &member, patch: &patch)
        if !received.anchorsLacking.isEmpty { return place }
      } catch {
        return changes.count
      }
      if !incomplete.isSuperset(of: member.incompleteObjects) { return place }
    }
    return changes.count
  }

  /// Called once what merged is handed over. What the rest stands on is forgotten, here or elsewhere. The fork's state
  /// has it, but a relay takes no states from a writer.
  ///
  /// - Parameter draw: a new replica id for the fork, where it is to go on under another.
  func finish(_ merged: Merged, isWhole: Bool, goingOnAs draw: () -> ReplicaID) throws {
    if let refused = merged.refused { throw unreadable(refused) }
    if !isWhole || !merged.anchorsLacking.isEmpty { try writeAgain(draw) }
  }

  /// In one step.
  func state() throws -> Merged {
    guard let cut = fork.handle.cut() else { throw HistoryError.transactionOpen(fork.id) }
    do {
      return try handle.merge(Document(cut.snapshot()))
    } catch {
      throw unreadable(error)
    }
  }

  /// Writes what a reader of the fork sees and the document lacks, both merged, as our own change. The fork goes on
  /// from there: nobody else may ever receive its changes beside this one.
  private func writeAgain(_ draw: () -> ReplicaID) throws {
    // The engine's thread is not to stand still for a transaction of another.
    guard !handle.isWrittenElsewhere, !fork.handle.isWrittenElsewhere else {
      throw HistoryError.transactionOpen(fork.id)
    }
    try handle.inTurn {
      try fork.handle.inTurn {
        guard let cut = fork.handle.cut(), var merged = handle.copy() else {
          throw HistoryError.transactionOpen(fork.id)
        }
        do {
          var unread = Patch()
          try merged.merge(cut.snapshot(), patch: &unread)
        } catch {
          throw unreadable(error)
        }
        try handle.rewrite(message: nil) { $0.restore(like: merged, patch: &$1) }
        guard let present = handle.copy() else { preconditionFailure("Nobody else writes in this turn.") }
        fork.goOn(from: present, as: draw())
      }
    }
  }

  private func unreadable(_ cause: any Error) -> HistoryError {
    HistoryError(.unreadable, "The fork of '\(fork.id)' cannot be merged.", cause: cause)
  }
}

extension HistoryError {
  static func transactionOpen(_ document: DocumentID) -> Self {
    Self(.transactionOpen, "A transaction of '\(document)' is open, whose half nobody may see.")
  }
}
