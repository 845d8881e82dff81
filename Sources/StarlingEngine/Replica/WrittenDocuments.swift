import StarlingCore
import StarlingGuard

/// In which something was written or said here, on whatever thread, since somebody last looked.
final class WrittenDocuments: Sendable {
  private let documents = Guarded<[DocumentID]>([])

  func add(_ document: DocumentID) {
    documents.withLock { if $0.last != document { $0.append(document) } }
  }

  func take() -> [DocumentID] {
    documents.withLock { documents in
      defer { documents = [] }
      return documents
    }
  }
}
