import StarlingCore
import StarlingSession
import StarlingWire

extension RefusedChanges {
  /// A document in the making without such changes.
  struct Remainder: Sendable {
    var document: Document
    /// With those of our ids whose changes turned out to stand on what is refused.
    private(set) var refused: RefusedChanges

    init(document: Document, refused: RefusedChanges) {
      self.document = document
      self.refused = refused
    }

    /// Merges the record's changes, or refuses them.
    ///
    /// - Returns: false where a change of somebody else's stands on what is refused, or where some of the record's
    ///   changes do and others do not: then there is no such document, or no such log.
    mutating func take(_ record: LogRecord) throws -> Bool {
      let refusedBefore = refused.counters[record.replica]
      if let counter = refusedBefore, record.firstCounter > counter { return true }
      do {
        for change in try Batch.decode(record.bytes, limits: .own) {
          if let counter = refused.counters[record.replica], change.lastCounter > counter { return false }
          var patch = Patch()
          switch try document.merge(change, patch: &patch) {
          case .merged, .duplicate: continue
          case .notYet, .lacksAnchors:
            guard refused.own.contains(record.replica), change.firstCounter == record.firstCounter else { return false }
            refused.counters[record.replica] = record.firstCounter - 1
            return true
          }
        }
        return true
      } catch {
        throw HistoryError(.unreadable, "A change in the log of '\(record.document)' cannot be merged.", cause: error)
      }
    }
  }
}
