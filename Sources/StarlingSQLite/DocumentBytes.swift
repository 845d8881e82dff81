import Foundation
import GRDB
import StarlingEngine

/// The bytes that a table keeps for each document, with a checksum that covers whose they are.
enum DocumentBytes {
  static func write(_ bytes: [UInt8], of document: Int64, to table: String, _ db: Database) throws {
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO \(table)(document, checksum, bytes) VALUES(?, ?, ?)")
      .execute(arguments: [document, checksum(document, bytes), bytes.stored])
  }

  /// Nil if the row is not there or not as it was written.
  static func read(of document: Int64, from table: String, _ db: Database) throws -> [UInt8]? {
    let statement = try db.cachedStatement(sql: "SELECT bytes, checksum FROM \(table) WHERE document = ?")
    // A cursor's row owns the bytes, and there may be many; a fetched one is a copy.
    let rows = try Row.fetchCursor(statement, arguments: [document])
    guard let row = try rows.next() else { return nil }
    let bytes = try row.storedBytes(atIndex: 0)
    return try row.decode(Int64.self, atIndex: 1) == checksum(document, bytes) ? bytes : nil
  }

  /// The same without a look at the checksum.
  static func readUnproved(of document: Int64, from table: String, _ db: Database) throws -> [UInt8]? {
    let statement = try db.cachedStatement(sql: "SELECT bytes FROM \(table) WHERE document = ?")
    let rows = try Row.fetchCursor(statement, arguments: [document])
    // The row keeps its bytes only as long as its cursor lives.
    return try withExtendedLifetime(rows) { try rows.next()?.storedBytes(atIndex: 0) }
  }

  /// How many they are; 0 if the row is not there.
  static func count(of document: Int64, from table: String, _ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT length(bytes) FROM \(table) WHERE document = ?", arguments: [document]) ?? 0
  }

  static func checksum(_ document: Int64, _ bytes: [UInt8]) -> Int64 {
    var sum = CRC32C()
    sum.add(UInt64(bitPattern: document))
    sum.add(bytes)
    return Int64(sum.value)
  }
}

// GRDB speaks of blobs as Foundation's `Data`; the log as arrays.
extension [UInt8] {
  var stored: Data { Data(self) }

  /// Least significant byte first.
  mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

extension ArraySlice<UInt8> {
  /// Takes eight bytes off the front, the least significant first; nil if there are fewer.
  mutating func takeWord() -> UInt64? {
    guard count >= 8 else { return nil }
    defer { removeFirst(8) }
    return prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension Row {
  /// The bytes of a blob; none for NULL.
  func storedBytes(atIndex index: Int) throws -> [UInt8] {
    try withUnsafeData(atIndex: index) { $0.map([UInt8].init) ?? [] }
  }
}
