import StarlingGuard
import StarlingSession

/// In which something was written or said here, on whatever thread, since somebody last looked.
final class WrittenDocuments: Sendable {
  private let documents = Guarded<[DocumentNumber]>([])

  func add(_ document: DocumentNumber) {
    documents.withLock { if $0.last != document { $0.append(document) } }
  }

  func take() -> [DocumentNumber] {
    documents.withLock { documents in
      defer { documents = [] }
      return documents
    }
  }
}
