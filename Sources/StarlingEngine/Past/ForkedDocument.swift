public import StarlingCore
import StarlingGuard

/// An independent copy of a document, in memory, that is written to under a replica id of its own.
/// Nobody hears of what is written here until it is merged back (`ReplicaEngine.merge`).
public final class ForkedDocument: Sendable {
  /// Reads and writes the copy.
  public let handle: DocumentHandle
  private let state: Guarded<State>

  private struct State {
    var base: VersionVector
    /// What was written here since, in order. Kept, so that it can be merged into several documents.
    var written: [Change] = []
  }

  init(handle: DocumentHandle) {
    self.handle = handle
    state = Guarded(State(base: handle.version))
  }

  /// The id of the document that was copied.
  public var id: DocumentID { handle.id }

  /// The id under which it is written. Another one after a merge that had to write the fork's contents again.
  public var replica: ReplicaID { handle.replica }

  /// What the document had merged when the copy was taken, or when the fork's contents were written again there.
  public var base: VersionVector { state.withLock { $0.base } }

  /// What was written here since the fork, but for a transaction that is open.
  func changes() -> [Change] {
    state.withLock { state in
      state.written += handle.takeOutbox()
      return state.written
    }
  }

  /// All that was written here stands in `document`, under other names.
  func goOn(from document: Document, as replica: ReplicaID) {
    state.withLock { $0 = State(base: document.version) }
    handle.goOn(from: document, as: replica)
  }
}
