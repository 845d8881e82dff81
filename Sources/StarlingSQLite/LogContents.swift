import GRDB
import StarlingCore
import StarlingEngine

/// What is read of a log on opening, in time that does not grow with the number of its records.
struct LogContents {
  var meta: MetaRow
  var documents: [DocumentID: LogFile.LoggedDocument] = [:]
  /// The id of the record appended last, 0 if there is none.
  var lastRecord: Int64

  /// - Throws: `LogError` where the file is not a log or does not say what was written.
  init(_ db: Database, at path: String) throws {
    try Schema.check(db, at: path)
    guard let meta = try MetaRow(db) else { throw LogError.corrupt(path, "has lost the row that names the store") }
    self.meta = meta
    lastRecord = try Int64.fetchOne(db, sql: "SELECT max(id) FROM record") ?? 0
    for row in try Row.fetchAll(db, sql: "SELECT \(DocumentRow.columns) FROM document ORDER BY id") {
      guard let row = try DocumentRow(row) else { throw LogError.corrupt(path, "has a damaged list of documents") }
      var document = LogFile.LoggedDocument(row: row)
      if row.isCompacted {
        if let logStart = try SnapshotRow.version(of: row.id, db) {
          document.logStart = logStart
        } else {
          document.damage = LogError.corrupt(path, "has lost the snapshot of '\(row.name)'")
        }
      }
      if row.hasCheckpoint { document.checkpoint = try CheckpointRow(of: row.id, db) }
      document.head = try Self.head(of: row.id, db)
      document.head.merge(document.logStart)
      documents[row.name] = document
    }
    guard documents.count == meta.documentCount else {
      throw LogError.corrupt(path, "lists \(documents.count) of its \(meta.documentCount) documents")
    }
  }

  /// The greatest counter of each writer: two steps down the index for each, whatever its records.
  private static func head(of document: Int64, _ db: Database) throws -> VersionVector {
    let statement = try db.cachedStatement(
      sql: """
        WITH RECURSIVE writer(replica) AS (
          SELECT (SELECT min(replica) FROM record WHERE document = ?1)
          UNION ALL
          SELECT (SELECT min(replica) FROM record WHERE document = ?1 AND replica > writer.replica)
          FROM writer WHERE writer.replica IS NOT NULL
        )
        SELECT replica, (SELECT max(last) FROM record WHERE document = ?1 AND replica = writer.replica)
        FROM writer WHERE replica IS NOT NULL
        """)
    return VersionVector(
      try Row.fetchAll(statement, arguments: [document]).map { row in
        VersionVector.Entry(
          replica: ReplicaID(rawValue: UInt64(bitPattern: try row.decode(Int64.self, atIndex: 0))),
          counter: UInt64(bitPattern: try row.decode(Int64.self, atIndex: 1)))
      })
  }
}
