import StarlingCore
import StarlingEngine
import StarlingWire

/// Reads a document by content from what a disk holds of it, as a process does that opens the store. What it read
/// before, and finds there again byte by byte, it does not merge again:
///
/// ```
///   snapshot │ record │ record │ record │ record
///   ─────── the same as before ──────── ─ merged ─      anything else than before: all is read from the beginning
/// ```
struct DiskReader {
  private var snapshot: StoredSnapshot?
  private var records: [LogRecord] = []
  /// What these give; nil where they cannot be read, and before anything was.
  private var document: Document?

  /// The witnesses that stand in the document; nil where it cannot be read.
  mutating func witnesses(in stored: RecoveredDocument) -> Set<Int>? {
    if document == nil || stored.snapshot != snapshot || !stored.records.starts(with: records) {
      (document, records) = (Self.beginning(from: stored.snapshot), [])
    }
    for record in stored.records.dropFirst(records.count) where document != nil {
      var unread = Patch()
      if (try? Batch.merge(record.bytes, into: &document!, patch: &unread, limits: WireLimits())) == nil {
        document = nil
      }
    }
    (snapshot, records) = (stored.snapshot, stored.records)
    return document.map { Witness.all(in: $0) }
  }

  private static func beginning(from snapshot: StoredSnapshot?) -> Document? {
    var document: Document? = Document()
    if let snapshot { document = try? SnapshotCoding.open(snapshot.bytes, limits: WireLimits()) }
    // Others may have moved what is removed in a change before.
    document?.holdsRemovedObjects = true
    return document
  }
}
