import GRDB
import StarlingCore
import StarlingEngine

/// The tables of the log, and what marks a file as one.
///
/// ```
///   meta ── one row                document ──┬── record: in the order of appending, by id
///   store, documents, isOpen       id, name   ├── snapshot: one at most; its version is the log start
///                                             ├── checkpoint: one at most, its bytes in checkpointPiece
///                                             ├── members: one row at most, for all of them
///                                             └── leases: one row at most, for all of them
/// ```
///
/// Every row carries a checksum of the rest of it, and every parent the number of its children:
/// a row that was altered, and a row that is gone, are both found. Replica ids and counters are
/// SQLite's signed integers by bit pattern; counters stay below 2^63 and so keep their order.
enum Schema {
  /// "Stlg", as the file's application id.
  static let applicationID: Int64 = 0x5374_6C67
  /// Raised by a change of the tables; a file of a later format is not opened.
  static let format: Int64 = 5

  private static let members = "CREATE TABLE members(document INTEGER PRIMARY KEY, checksum INTEGER, bytes BLOB)"
  private static let leases = "CREATE TABLE leases(document INTEGER PRIMARY KEY, checksum INTEGER, bytes BLOB)"

  /// The row counts the records that the checkpoint covers, and says their weight and that of the pieces. Pieces of
  /// another number are those of a checkpoint that is being written, or was when the program ended.
  private static let checkpoints = [
    """
    CREATE TABLE checkpoint(
      document INTEGER PRIMARY KEY, number INTEGER, records INTEGER, recordByteCount INTEGER, isOrdered INTEGER,
      byteCount INTEGER, version BLOB, checksum INTEGER)
    """,
    """
    CREATE TABLE checkpointPiece(
      document INTEGER, number INTEGER, place INTEGER, checksum INTEGER, bytes BLOB,
      PRIMARY KEY(document, number, place))
    """,
  ]

  static let statements = [
    // A row of its own: `isOpen` is 1 from open to close, in the database file itself, so that a
    // file without the write-ahead log that it had then is recognised.
    "CREATE TABLE meta(id INTEGER PRIMARY KEY, store INTEGER, documents INTEGER, isOpen INTEGER, checksum INTEGER)",
    // `isCompacted` is 1 where there is a snapshot, 2 more where there are members, and 4 where there are leases;
    // it is 8, and the document has nothing else, where it is forgotten (since format 4); 16 more where there is a
    // checkpoint (since format 5).
    """
    CREATE TABLE document(
      id INTEGER PRIMARY KEY, name TEXT, records INTEGER, isFolded INTEGER, checksum INTEGER)
    """,
    """
    CREATE TABLE record(
      id INTEGER PRIMARY KEY, document INTEGER, replica INTEGER, first INTEGER, last INTEGER, checksum INTEGER,
      bytes BLOB)
    """,
    // Finds what one peer lacks without reading what it holds.
    "CREATE INDEX recordByWriter ON record(document, replica, last)",
    // The version comes first: to read it, the state's pages are not touched.
    """
    CREATE TABLE snapshot(
      document INTEGER PRIMARY KEY, version BLOB, versionChecksum INTEGER, checksum INTEGER, bytes BLOB)
    """,
    members,
    leases,
    checkpoints[0],
    checkpoints[1],
    "PRAGMA application_id = \(applicationID)",
    "PRAGMA user_version = \(format)",
  ]

  /// - Throws: `LogError` where the file is not a log, or one of a later format.
  static func check(_ db: Database, at path: String) throws {
    let application = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    guard application == applicationID else { throw LogError.corrupt(path, "is a database, but not a Starling store") }
    let found = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    guard found <= format else {
      throw LogError(
        .tooNew,
        "'\(path)' has format \(found); this program reads up to \(format). Open it with the program that wrote it, or "
          + "a later one.")
    }
    guard found >= 1 else { throw LogError.corrupt(path, "has format \(found), which never was") }
  }

  /// Brings a file of an earlier format, which nothing was written to yet, to the present one.
  static func upgrade(_ db: Database) throws {
    guard let found = try Int64.fetchOne(db, sql: "PRAGMA user_version"), found < format else { return }
    try db.inTransaction {
      if found < 2 { try db.execute(sql: members) }
      if found < 3 { try db.execute(sql: leases) }
      if found < 5 { for statement in checkpoints { try db.execute(sql: statement) } }
      try db.execute(sql: "PRAGMA user_version = \(format)")
      return .commit
    }
  }
}

/// The one row of `meta`.
struct MetaRow {
  var store: StoreID
  var documentCount: Int64
  var isOpen: Bool

  init(store: StoreID, documentCount: Int64, isOpen: Bool) {
    self.store = store
    self.documentCount = documentCount
    self.isOpen = isOpen
  }

  /// Nil if it is not there or not as it was written.
  init?(_ db: Database) throws {
    guard
      let row = try Row.fetchOne(db, sql: "SELECT store, documents, isOpen, checksum FROM meta WHERE id = 1")
    else { return nil }
    store = StoreID(rawValue: UInt64(bitPattern: try row.decode(Int64.self, atIndex: 0)))
    documentCount = try row.decode(Int64.self, atIndex: 1)
    isOpen = try row.decode(Int64.self, atIndex: 2) == 1
    guard try row.decode(Int64.self, atIndex: 3) == checksum else { return nil }
  }

  func write(to db: Database) throws {
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO meta(id, store, documents, isOpen, checksum) VALUES(1, ?, ?, ?, ?)"
    ).execute(arguments: [Int64(bitPattern: store.rawValue), documentCount, isOpen ? 1 : 0, checksum])
  }

  private var checksum: Int64 {
    var sum = CRC32C()
    sum.add(store.rawValue)
    sum.add(UInt64(bitPattern: documentCount))
    sum.add(isOpen ? 1 : 0)
    return Int64(sum.value)
  }
}

/// A row of `document`.
struct DocumentRow {
  var id: Int64
  var name: DocumentID
  var recordCount: Int64 = 0
  var isCompacted = false
  var hasMembers = false
  var hasLeases = false
  /// Only its name is kept.
  var isForgotten = false
  var hasCheckpoint = false

  func write(to db: Database) throws {
    let statement = try RawStatement(
      "INSERT OR REPLACE INTO document(id, name, records, isFolded, checksum) VALUES(?, ?, ?, ?, ?)", db)
    statement.bind(id, at: 1)
    statement.bind(recordCount, at: 3)
    statement.bind(marks, at: 4)
    statement.bind(checksum, at: 5)
    var name = name.name
    try name.withUTF8 { try statement.run(UnsafeRawBufferPointer($0), .text, at: 2) }
  }

  private var marks: Int64 {
    (isCompacted ? 1 : 0) | (hasMembers ? 2 : 0) | (hasLeases ? 4 : 0) | (isForgotten ? 8 : 0)
      | (hasCheckpoint ? 16 : 0)
  }

  private var checksum: Int64 {
    var sum = CRC32C()
    sum.add(UInt64(bitPattern: id))
    sum.add(UInt64(bitPattern: recordCount))
    sum.add(UInt64(bitPattern: marks))
    sum.add(Array(name.name.utf8))
    return Int64(sum.value)
  }
}

extension DocumentRow {
  static let columns = "id, name, records, isFolded, checksum"

  /// Nil if the row is not as it was written.
  init?(_ row: Row) throws {
    guard let name = DocumentID(try row.decode(String.self, atIndex: 1)) else { return nil }
    let marks = try row.decode(Int64.self, atIndex: 3)
    self.init(
      id: try row.decode(Int64.self, atIndex: 0), name: name, recordCount: try row.decode(Int64.self, atIndex: 2),
      isCompacted: marks & 1 != 0, hasMembers: marks & 2 != 0, hasLeases: marks & 4 != 0,
      isForgotten: marks & 8 != 0, hasCheckpoint: marks & 16 != 0)
    guard try row.decode(Int64.self, atIndex: 4) == checksum else { return nil }
  }
}
