import StarlingCore
import StarlingGuard

// Writing under a replica id on loan.
extension DocumentHandle {
  /// What became of a loan.
  enum TakingUp {
    case taken
    /// Not everything is here yet that was ever written under the id.
    case notYet
    /// Something is written already under the present id, or more under the other than was said.
    case tooLate
  }

  /// Goes on under an id that has written up to `counter`, if nothing was written here yet.
  func takeUp(_ replica: ReplicaID, after counter: UInt64) -> TakingUp {
    state.withLock { state in
      guard !state.hasWritten, state.document.version[replica] <= counter else { return .tooLate }
      guard state.document.version[replica] == counter else { return .notYet }
      state.replica = replica
      return .taken
    }
  }

  /// Whether something was written under the present id, or is about to be.
  var hasWritten: Bool { state.withLock { $0.hasWritten } }

  /// Whether changes of that writer wait for what they stand on.
  func holdsBack(_ replica: ReplicaID) -> Bool { state.withLock { $0.gate.holdsBack(replica) } }
}

extension DocumentHandle.State {
  /// The change of a transaction that is open bears the present id.
  fileprivate var hasWritten: Bool { document.isWriting || document.version[replica] > 0 }
}
