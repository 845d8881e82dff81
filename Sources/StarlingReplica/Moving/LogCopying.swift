import StarlingCore
import StarlingEngine

/// Copies one log into another that is empty, and compares the two.
///
/// ```
///   source ── snapshot, records, checkpoint, members, leases of each document ──► target
///          ── forgotten names, starts of stores ─────────────────────────────►
/// ```
///
/// Records and states are copied as the bytes that they are: where these are equal, so are versions and digests.
struct LogCopying {
  let source: any ChangeLog
  let opened: OpenedLog
  let target: any ChangeLog

  /// How many bytes of records are appended at once.
  private static let byteCountAtOnce = 1 << 20

  /// - Parameter progress: told after each document how many are done, of as many.
  /// - Complexity: O(bytes), in the memory of the largest document.
  func copy(_ progress: (Int, Int) -> Void) async throws {
    for (number, document) in opened.documents.enumerated() {
      let stored = try await source.recover(document)
      if let snapshot = stored.snapshot {
        try await target.compact(document, into: snapshot, keeping: Self.kept(of: stored, below: snapshot.version))
      }
      var rest = stored.records[...]
      while !rest.isEmpty {
        var byteCount = 0
        let batch = rest.prefix { record in
          defer { byteCount += record.bytes.count }
          return byteCount < Self.byteCountAtOnce
        }
        try await target.append(Array(batch))
        rest = rest.dropFirst(batch.count)
      }
      if target.keepsCheckpoints, let latest = try await source.recoverFromCheckpoint(document),
        let state = latest.snapshot, let history = latest.history
      {
        try await target.checkpoint(document, at: state, recordByteCount: history.byteCount)
      }
      if !stored.members.isEmpty { try await target.remember(stored.members, of: document) }
      if !stored.leases.isEmpty { try await target.remember(leases: stored.leases, of: document) }
      progress(number + 1, opened.documents.count)
    }
    for document in opened.forgotten { try await target.forget(document) }
    try await target.remember(opened.generations)
  }

  /// Beyond which counters records stay that the snapshot covers.
  private static func kept(of stored: RecoveredDocument, below version: VersionVector) -> [ReplicaID: UInt64] {
    var kept: [ReplicaID: UInt64] = [:]
    for record in stored.records where record.lastCounter <= version[record.replica] {
      kept[record.replica] = min(kept[record.replica] ?? .max, record.firstCounter - 1)
    }
    return kept
  }

  /// Compares all that was copied.
  ///
  /// - Parameter documents: those that the target says that it has.
  /// - Returns: how many operations of all writers there are.
  /// - Throws: `LogError(.corrupt)`, naming what differs.
  func compare() async throws -> UInt64 {
    var operationCount: UInt64 = 0
    for document in opened.documents {
      let (wanted, found) = (try await source.recover(document), try await target.recover(document))
      guard found.snapshot == wanted.snapshot, found.records == wanted.records,
        Set(found.members) == Set(wanted.members), Set(found.leases) == Set(wanted.leases)
      else { throw differs(document, "what is stored") }
      let (extent, wantedExtent) = (try await target.extent(of: document), try await source.extent(of: document))
      guard extent == wantedExtent else { throw differs(document, "its version") }
      operationCount += extent.head.entries.reduce(0) { $0 &+ $1.counter }
      guard target.keepsCheckpoints, source.keepsCheckpoints else { continue }
      let (latest, wantedLatest) = (
        try await target.recoverFromCheckpoint(document), try await source.recoverFromCheckpoint(document)
      )
      guard latest?.snapshot == wantedLatest?.snapshot, latest?.records == wantedLatest?.records else {
        throw differs(document, "its checkpoint")
      }
    }
    return operationCount
  }

  private func differs(_ document: DocumentID, _ what: String) -> LogError {
    LogError(
      .corrupt,
      "The copy of '\(document)' is not what was copied: \(what) differs. Nothing was moved; the store is as it was.")
  }
}
