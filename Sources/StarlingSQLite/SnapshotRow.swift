import Foundation
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
      document, version.stored, Self.checksum(document, version), Self.checksum(document, snapshot.bytes),
      snapshot.bytes.stored,
    ])
  }

  /// The floor of a document; nil if its row is not there or not as it was written.
  static func version(of document: Int64, _ db: Database) throws -> Version? {
    let statement = try db.cachedStatement(sql: "SELECT version, versionChecksum FROM snapshot WHERE document = ?")
    guard let row = try Row.fetchOne(statement, arguments: [document]) else { return nil }
    let bytes = try row.storedBytes(atIndex: 0)
    guard try row.decode(Int64.self, atIndex: 1) == checksum(document, bytes) else { return nil }
    return Version(storedBytes: bytes)
  }

  /// The state of a document; nil if its row is not there or not as it was written.
  static func bytes(of document: Int64, _ db: Database) throws -> [UInt8]? {
    let statement = try db.cachedStatement(sql: "SELECT bytes, checksum FROM snapshot WHERE document = ?")
    let rows = try Row.fetchCursor(statement, arguments: [document])
    guard let row = try rows.next() else { return nil }
    let bytes = try row.storedBytes(atIndex: 0)
    return try row.decode(Int64.self, atIndex: 1) == checksum(document, bytes) ? bytes : nil
  }

  private static func checksum(_ document: Int64, _ bytes: [UInt8]) -> Int64 {
    var sum = CRC32C()
    sum.add(UInt64(bitPattern: document))
    sum.add(bytes)
    return Int64(sum.value)
  }
}

// GRDB speaks of blobs as Foundation's `Data`; the log as arrays.
extension [UInt8] {
  var stored: Data { Data(self) }
}

extension Row {
  /// The bytes of a blob; none for NULL.
  func storedBytes(atIndex index: Int) throws -> [UInt8] {
    try withUnsafeData(atIndex: index) { $0.map([UInt8].init) ?? [] }
  }
}
