extension Replica {
  /// What the main document holds, as JSON for a person: objects by key, lists and sets as arrays, texts as strings,
  /// counters as numbers; where values conflict, the visible one (`JSONDocument.conflicts` has the others).
  ///
  /// - Throws: `JSONDocumentError` while a transaction is open.
  /// - Complexity: O(*n* log *n*) in what the document holds.
  public func dump() throws -> String {
    try json.value().lines
  }
}
