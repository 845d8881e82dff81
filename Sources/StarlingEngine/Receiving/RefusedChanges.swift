import StarlingCore
import StarlingWire

/// Changes of this store that the group refuses for good, because their replica id is somebody else's.
///
/// ```
///   id r    1 ───── the group has these │ ── refused ──   and all of ours that stands on them, under whatever id
///                                    counters[r]
/// ```
struct RefusedChanges: Sendable {
  /// For each id, the last counter that the group has.
  var counters: [ReplicaID: UInt64] = [:]
  /// The ids under which this store ever wrote the document.
  var own: Set<ReplicaID> = []

  var isEmpty: Bool { counters.isEmpty }

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
    /// - Returns: false where a change of somebody else's stands on what is refused, or where some of the record's changes
    ///   do and others do not: then there is no such document, or no such log.
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

/// What the log is to be told at once, after changes were given up here and what they did was written again.
struct Retraction {
  /// What the log loses.
  var counters: [ReplicaID: UInt64]
  /// What it gets: what waited for it and is not given up, and last our own change.
  var records: [LogRecord]
  /// Nil where nobody sees any difference.
  var change: Change?
  /// What stands right after that.
  var version: Version
  /// What is told to the operator afterwards.
  var events: [EngineEvent]
}
