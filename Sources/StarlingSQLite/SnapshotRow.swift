import GRDB
import StarlingCore
import StarlingEngine

/// A row of `snapshot`.
struct SnapshotRow {
  var document: Int64
  var snapshot: StoredSnapshot

  func write(to db: Database) throws {
    let version = snapshot.version.storedBytes
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO snapshot(document, version, versionChecksum, checksum, bytes) VALUES(?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      document, version.stored, DocumentBytes.checksum(document, version),
      DocumentBytes.checksum(document, snapshot.bytes),
      snapshot.bytes.stored,
    ])
  }

  /// The log start of a document; nil if its row is not there or not as it was written.
  static func version(of document: Int64, _ db: Database) throws -> VersionVector? {
    let statement = try db.cachedStatement(sql: "SELECT version, versionChecksum FROM snapshot WHERE document = ?")
    guard let row = try Row.fetchOne(statement, arguments: [document]) else { return nil }
    let bytes = try row.storedBytes(atIndex: 0)
    guard try row.decode(Int64.self, atIndex: 1) == DocumentBytes.checksum(document, bytes) else { return nil }
    return VersionVector(storedBytes: bytes)
  }

  /// The state of a document; nil if its row is not there or not as it was written.
  static func bytes(of document: Int64, _ db: Database) throws -> [UInt8]? {
    try DocumentBytes.read(of: document, from: "snapshot", db)
  }
}
