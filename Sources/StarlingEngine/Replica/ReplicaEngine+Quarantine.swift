import StarlingCore

// A document of which what the log holds is damaged (Documentation/Operating.md, "When the disk fails"). It is not served,
// and nothing of it is changed: written to, it could use dots a second time that are in what cannot be read.
extension ReplicaEngine {
  /// Opens what the log holds, but for what is damaged.
  ///
  /// - Throws: where nothing of it can be opened.
  func openAll(_ documents: [DocumentID]) async throws {
    var damage: (any Error)?
    for document in documents {
      do {
        _ = try await open(document)
      } catch {
        guard quarantined[document] != nil else { throw error }
        damage = damage ?? error
      }
    }
    if let damage, self.documents.isEmpty { throw damage }
  }

  func quarantine(_ document: DocumentID, _ error: any Error) {
    guard let error = error as? LogError, error.code == .corrupt, quarantined[document] == nil else { return }
    quarantined[document] = error
    report(.quarantined(document, error))
  }
}
