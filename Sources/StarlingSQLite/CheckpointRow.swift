import GRDB
import StarlingCore
import StarlingEngine

/// A row of `checkpoint`: where a state stands beside the records of a document, whose bytes are in pieces of their
/// own, so that no commit waits until all of them are written.
///
/// ```
///   record:           1 2 3 4 │ 5 │ 6 7      in the order of appending
///   checkpoint:  covers 1 2 3 4     6        by its version; `recordCount` is 5
///   recovery:    checkpoint, then  5   7
/// ```
struct CheckpointRow {
  var document: Int64
  /// That of its pieces.
  var number: Int64
  /// How many records of the document it covers.
  var recordCount: Int64
  /// Their weight, as whoever wrote it said.
  var recordByteCount: Int64
  /// As `LoggedDocument.isOrdered` when it was written.
  var isOrdered: Bool
  var byteCount: Int64
  var version: VersionVector

  func write(to db: Database) throws {
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO checkpoint(document, number, records, recordByteCount, isOrdered, byteCount, version, checksum)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      document, number, recordCount, recordByteCount, isOrdered ? 1 : 0, byteCount, version.storedBytes.stored,
      checksum,
    ])
  }

  /// Nil if the row is not there or not as it was written.
  init?(of document: Int64, _ db: Database) throws {
    let statement = try db.cachedStatement(
      sql: """
        SELECT number, records, recordByteCount, isOrdered, byteCount, version, checksum FROM checkpoint
        WHERE document = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [document]) else { return nil }
    guard let version = VersionVector(storedBytes: try row.storedBytes(atIndex: 5)) else { return nil }
    self.init(
      document: document, number: try row.decode(Int64.self, atIndex: 0),
      recordCount: try row.decode(Int64.self, atIndex: 1), recordByteCount: try row.decode(Int64.self, atIndex: 2),
      isOrdered: try row.decode(Int64.self, atIndex: 3) != 0, byteCount: try row.decode(Int64.self, atIndex: 4),
      version: version)
    guard try row.decode(Int64.self, atIndex: 6) == checksum else { return nil }
  }

  init(
    document: Int64, number: Int64, recordCount: Int64, recordByteCount: Int64, isOrdered: Bool, byteCount: Int64,
    version: VersionVector
  ) {
    self.document = document
    self.number = number
    self.recordCount = recordCount
    self.recordByteCount = recordByteCount
    self.isOrdered = isOrdered
    self.byteCount = byteCount
    self.version = version
  }

  private var checksum: Int64 {
    var sum = CRC32C()
    for word in [document, number, recordCount, recordByteCount, isOrdered ? 1 : 0, byteCount] {
      sum.add(UInt64(bitPattern: word))
    }
    sum.add(version.storedBytes)
    return Int64(sum.value)
  }

  // MARK: Pieces

  /// So much of a state is written in one transaction.
  static let pieceByteCount = 256 << 10

  static func write(_ bytes: ArraySlice<UInt8>, of document: Int64, number: Int64, place: Int64, to db: Database) throws
  {
    let bytes = Array(bytes)
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO checkpointPiece(document, number, place, checksum, bytes) VALUES(?, ?, ?, ?, ?)"
    ).execute(arguments: [document, number, place, checksum(of: bytes, document, number, place), bytes.stored])
  }

  /// The state; nil if a piece is not there or not as it was written.
  func bytes(_ db: Database) throws -> [UInt8]? {
    let statement = try db.cachedStatement(
      sql: "SELECT place, checksum, bytes FROM checkpointPiece WHERE document = ? AND number = ? ORDER BY place")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(clamping: min(byteCount, 1 << 30)))
    var place: Int64 = 0
    // A cursor's row owns the bytes; a fetched one is a copy.
    let rows = try Row.fetchCursor(statement, arguments: [document, number])
    while let row = try rows.next() {
      let piece = try row.storedBytes(atIndex: 2)
      guard try row.decode(Int64.self, atIndex: 0) == place,
        try row.decode(Int64.self, atIndex: 1) == Self.checksum(of: piece, document, number, place)
      else { return nil }
      bytes += piece
      place += 1
    }
    return bytes.count == byteCount ? bytes : nil
  }

  /// Removes the pieces of a document but for those of one number; at most so many.
  ///
  /// - Returns: whether none is left.
  static func removePieces(of document: Int64, but number: Int64?, atMost countMax: Int = .max, _ db: Database) throws
    -> Bool
  {
    try db.cachedStatement(
      sql: """
        DELETE FROM checkpointPiece WHERE rowid IN (
          SELECT rowid FROM checkpointPiece WHERE document = ? AND number <> ? LIMIT ?)
        """
    ).execute(arguments: [document, number ?? -1, countMax])
    return db.changesCount < countMax
  }

  private static func checksum(of bytes: [UInt8], _ document: Int64, _ number: Int64, _ place: Int64) -> Int64 {
    var sum = CRC32C()
    for word in [document, number, place] { sum.add(UInt64(bitPattern: word)) }
    sum.add(bytes)
    return Int64(sum.value)
  }
}
