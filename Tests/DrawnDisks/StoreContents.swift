import StarlingCore
import StarlingEngine

/// What a store holds, said as plainly as possible. It shares nothing with the log but the values of the port.
struct StoreContents: Equatable {
  struct Stored: Equatable {
    var snapshot: StoredSnapshot?
    /// In the order of appending.
    var records: [LogRecord] = []
    var checkpoint: StoredSnapshot?
    var members: [LogMember] = []
    var leases: [LogLease] = []

    /// How far each writer got.
    var head: VersionVector {
      var head = snapshot?.version ?? VersionVector()
      for record in records { head[record.replica] = max(head[record.replica], record.lastCounter) }
      return head
    }
  }

  var documents: [DocumentID: Stored] = [:]
  var forgotten: Set<DocumentID> = []
  /// What is known of the starts of others.
  var starts: [StoredGenerations.Other] = []

  /// What a reader finds, by every call that reads a whole document.
  ///
  /// - Throws: `LogError`, or a `Violation` where two calls contradict each other.
  init(readBy log: some ChangeLog, _ opened: OpenedLog) async throws {
    forgotten = Set(opened.forgotten)
    starts = opened.generations.others
    for document in opened.documents {
      let found = try await log.recover(document)
      var stored = Stored(
        snapshot: found.snapshot, records: found.records, members: found.members, leases: found.leases)
      if let latest = try await log.recoverFromCheckpoint(document) {
        stored.checkpoint = latest.snapshot
        let reached = latest.snapshot?.version ?? VersionVector()
        guard latest.records == found.records.filter({ $0.lastCounter > reached[$0.replica] }) else {
          throw Violation("behind the checkpoint of '\(document)' lie other records than in the log")
        }
      }
      let extent = try await log.extent(of: document)
      guard extent == LogExtent(logStart: found.snapshot?.version ?? VersionVector(), head: stored.head) else {
        throw Violation("'\(document)' reaches to \(extent), and its records to \(stored.head)")
      }
      documents[document] = stored
    }
  }

  init() {}

  /// In one line.
  var summary: String {
    let documents = documents.sorted { $0.key.name < $1.key.name }.map { name, stored in
      "\(name): start \(stored.snapshot?.version ?? VersionVector()), head \(stored.head), "
        + "\(stored.records.count) records, checkpoint \(stored.checkpoint.map { "\($0.version)" } ?? "none"), "
        + "\(stored.members.count) members, \(stored.leases.count) leases"
    }
    return (documents + ["forgotten \(forgotten.count), starts \(starts.count)"]).joined(separator: "; ")
  }
}

/// Something was seen that must not be.
struct Violation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
