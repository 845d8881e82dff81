public import StarlingCore
public import StarlingReplica

extension Replica {
  /// The main document as JSON.
  public var json: JSONDocument { JSONDocument(models.handle) }

  /// Another document of the group as JSON; opens it.
  ///
  /// - Throws: `LogError` where what the log holds of it cannot be read.
  public func json(of document: DocumentID) async throws -> JSONDocument {
    try await bare.json(of: document)
  }
}
