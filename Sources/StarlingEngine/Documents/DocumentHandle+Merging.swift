package import StarlingCore
import StarlingGuard
import StarlingSession

// What others wrote, on its way into the document.
extension DocumentHandle {
  /// Merges changes made elsewhere, holding back those that came too early, and tells the readers.
  ///
  /// A malformed change ends the batch; what merged before it stays merged.
  ///
  /// - Parameter onRename: called with the id that the document goes on under, where somebody else wrote under the
  ///   present one; before any reader is told, who may write at once.
  @discardableResult
  package func merge(
    _ changes: [Change], broughtBy bringer: CausalGate.Bringer? = nil, onRename: (ReplicaID) -> Void = { _ in }
  ) -> Merged {
    merge(broughtBy: bringer, onRename) { state, merged, patch throws(MergeError) in
      state.noteArrival(.changes(changes))
      try state.yieldName(to: changes, &merged)
      try state.gate.receive(changes, into: &state.document, patch: &patch, &merged.received)
    }
  }

  /// The same, of a batch; its rows merge as one where nothing stands against it.
  @discardableResult
  package func merge(
    _ parts: [Contribution], broughtBy bringer: CausalGate.Bringer? = nil, onRename: (ReplicaID) -> Void = { _ in }
  ) -> Merged {
    merge(broughtBy: bringer, onRename) { state, merged, patch throws(MergeError) in
      state.noteArrival(.parts(parts))
      for part in parts { try state.yieldName(to: part.replica, part.lastCounter, &merged) }
      try merged.merge(parts, through: &state.gate, into: &state.document, patch: &patch)
    }
  }

  private func merge(
    broughtBy bringer: CausalGate.Bringer?, _ onRename: (ReplicaID) -> Void,
    _ body: (inout State, inout Merged, inout Patch) throws(MergeError) -> Void
  ) -> Merged {
    var patch = Patch()
    let receivers = listeners.withLock { $0.merge }
    let left = takeLeftReaders()
    let merged = state.withLock { state in
      var merged = Merged()
      state.keepViews(besides: left)
      state.mergesBesideTransaction()
      state.gate.bringer = bringer
      do throws(MergeError) { try body(&state, &merged, &patch) } catch { merged.end = error }
      for receiver in receivers { receiver(patch) }
      state.readers.note(merge: patch, in: state.document)
      merged.note(state)
      return merged
    }
    if let replica = merged.renamed { onRename(replica) }
    tell(patch)
    return merged
  }

  /// Memory of changes that wait for what they stand on and that came with that key.
  func heldByteCount(of bringer: String) -> Int { state.withLock { $0.gate.byteCount(of: bringer) } }

  /// - Returns: how many changes are left that wait for what they stand on.
  func dropUnclaimed(beyond claimed: VersionVector) -> Int {
    state.withLock { state in
      state.gate.dropUnclaimed(beyond: claimed)
      return state.gate.count
    }
  }

  /// Merges a whole state (Protocol/merge.md, "States") with the changes that were held for
  /// want of it, and tells the readers.
  ///
  /// - Parameter other: what was made of the state, with nothing done to it since. Where nothing was ever merged or
  ///   written here it is taken over as it is, and writers wait for no more than what reads the patch.
  /// - Parameter onRename: as for changes.
  package func merge(
    _ other: Document, onRename: (ReplicaID) -> Void = { _ in }
  ) throws(MergeError) -> Merged {
    var patch = Patch()
    var renamed: ReplicaID?
    let left = takeLeftReaders()
    let outcome: Swift.Result<Merged, MergeError> = state.withLock { state in
      // A listener that comes from now on finds the state when it first reads.
      let (receivers, isHeard) = listeners.withLock { ($0.merge, !$0.merge.isEmpty || !$0.patch.isEmpty) }
      var merged = Merged()
      merged.isAdopted = state.document.version.isEmpty && !state.document.isWriting
      state.mergesBesideTransaction()
      state.noteArrival(.state(other))
      state.keepViews(besides: left)
      defer { state.readers.note(merge: patch, in: state.document) }
      do throws(MergeError) {
        try state.yieldName(to: state.replica, other.version[state.replica], &merged)
        try state.document.merge(other, isHeard: isHeard, patch: &patch)
      } catch {
        renamed = merged.renamed
        return .failure(error)
      }
      merged.received = state.gate.release(into: &state.document, patch: &patch)
      for receiver in receivers { receiver(patch) }
      merged.note(state)
      renamed = merged.renamed
      return .success(merged)
    }
    // Where the state was refused for another reason, the id has gone all the same.
    if let replica = renamed { onRename(replica) }
    tell(patch)
    return try outcome.get()
  }
}

extension DocumentHandle.State {
  /// Goes on under another id where operations up to `counter` under `replica` are more than were made here: somebody
  /// else writes under our id. Also where they have to wait for others, for what is written next would bear their dots.
  fileprivate mutating func yieldName(
    to replica: ReplicaID, _ counter: UInt64, _ merged: inout Merged
  ) throws(MergeError) {
    guard replica == self.replica, counter > document.version[replica] else { return }
    guard counter < 1 << 63 - 1 else {
      throw MergeError(
        .overlappingCounters, "It claims all operations of replica \(replica), which writes here.",
        where: .change(Dot(replica, counter)))
    }
    guard let spare = spareReplica else { return }
    spareReplica = nil
    if document.isWriting { nextReplica = spare } else { self.replica = spare }
    merged.renamed = spare
  }

  fileprivate mutating func yieldName(
    to changes: [Change], _ merged: inout Merged
  ) throws(MergeError) {
    let replica = replica
    let last = changes.withBorrowed { changes in
      changes.indices.reduce(0 as UInt64) {
        changes[$1].value.replica == replica ? max($0, changes[$1].value.lastCounter) : $0
      }
    }
    if last > 0 { try yieldName(to: replica, last, &merged) }
  }

  fileprivate mutating func mergesBesideTransaction() {
    if document.isWriting { acknowledgements.mergesBesideTransaction(document.version) }
  }
}

extension Merged {
  /// What stands right after.
  fileprivate mutating func note(_ state: DocumentHandle.State) {
    version = state.document.version
    hasOutbox = !state.outbox.isEmpty
  }
}
