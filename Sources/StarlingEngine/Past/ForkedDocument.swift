public import StarlingCore
import StarlingGuard

/// An independent copy of a document, in memory, that is written to under a replica id of its own.
/// Nobody hears of what is written here until it is merged back (`ReplicaEngine.merge`).
public final class ForkedDocument: Sendable {
  public let handle: DocumentHandle
  /// What the document had merged when the copy was taken.
  public let base: Version
  /// What was written here since, in order. Kept, so that it can be merged into several documents.
  private let written = Guarded<[Change]>([])

  init(handle: DocumentHandle) {
    self.handle = handle
    base = handle.version
  }

  public var id: DocumentID { handle.id }
  public var replica: ReplicaID { handle.replica }

  /// What was written here since the fork, but for a transaction that is open.
  func changes() -> [Change] {
    written.withLock { written in
      written += handle.takeOutbox()
      return written
    }
  }
}
