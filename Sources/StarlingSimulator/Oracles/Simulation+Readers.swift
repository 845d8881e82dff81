import StarlingCore
import StarlingEngine

// Readers of what a replica has open: one that must be told of every change, and one that writes when told.
extension Simulation {
  /// Has the document of a process looked at from now on; once for each.
  func attend(to handle: DocumentHandle, at replica: SimulatedReplica) {
    guard !closesDocuments(replica), replica.attended.insert(handle.id).inserted else { return }
    handle.keepHistoryForUndo(limit: UndoHistory.Limit(stepCountMax: 50))
    if schedule.looksAtReaders { replica.readers[handle.id] = ToldReader(handle) }
    guard replica.hasWritingObserver else { return }
    let reader = replica.readers[handle.id]
    handle.onPatch { [weak handle, weak reader] patch in
      guard let handle, let title = patch.entries.first(where: { $0.object == .root && $0.key == "a" }),
        case .value(let value, _) = title.to, !value.isObject
      else { return }
      handle.write { $0.set(value, for: "echo", in: .root, patch: &$1) }
      reader?.look(at: handle)
    }
  }

  /// Nothing may have changed that no reader was told of.
  func willWrite(to handle: DocumentHandle, at replica: SimulatedReplica) {
    replica.readers[handle.id]?.verify(handle)
  }

  func didWrite(to handle: DocumentHandle, at replica: SimulatedReplica) {
    replica.readers[handle.id]?.look(at: handle)
  }
}

extension Value {
  fileprivate var isObject: Bool {
    switch self {
    case .object, .derived: true
    default: false
    }
  }
}
