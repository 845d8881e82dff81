import StarlingCore
import StarlingGuard
import StarlingSession

// Writing under a replica id on loan.
extension DocumentHandle {
  /// Goes on under an id that has written up to `counter`, if nothing was written here yet.
  func takeUp(_ replica: ReplicaID, after counter: UInt64) -> Replication.TakingUp {
    state.withLock { state in
      guard !state.hasWritten, state.document.version[replica] <= counter else { return .tooLate }
      guard state.document.version[replica] == counter else { return .notYet }
      state.replica = replica
      return .taken
    }
  }

  /// Whether changes of that writer wait for what they stand on.
  func holdsBack(_ replica: ReplicaID) -> Bool { state.withLock { $0.gate.holdsBack(replica) } }
}

extension DocumentHandle.State {
  /// The change of a transaction that is open bears the present id.
  fileprivate var hasWritten: Bool { document.isWriting || document.version[replica] > 0 }
}
