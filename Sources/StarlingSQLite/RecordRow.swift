import GRDB
import GRDBSQLite
import StarlingCore
import StarlingEngine

/// A row of `record`.
struct RecordRow {
  var id: Int64
  var document: Int64
  var record: LogRecord

  var checksum: Int64 {
    var sum = CRC32C()
    sum.add(UInt64(bitPattern: id))
    sum.add(UInt64(bitPattern: document))
    sum.add(record.replica.rawValue)
    sum.add(record.firstCounter)
    sum.add(record.lastCounter)
    sum.add(record.bytes)
    return Int64(sum.value)
  }
}

/// The two statements that run for every record: they are bound, stepped and read by SQLite's own
/// calls. GRDB's boxes for each value of each row took three times what SQLite takes to insert it.
struct RecordInsertion {
  private let db: Database
  private let statement: Statement

  init(_ db: Database) throws {
    self.db = db
    statement = try db.cachedStatement(
      sql: """
        INSERT INTO record(id, document, replica, first, last, checksum, bytes) VALUES(?, ?, ?, ?, ?, ?, ?)
        """)
  }

  func run(_ row: RecordRow) throws {
    let pointer = statement.sqliteStatement
    sqlite3_bind_int64(pointer, 1, row.id)
    sqlite3_bind_int64(pointer, 2, row.document)
    sqlite3_bind_int64(pointer, 3, Int64(bitPattern: row.record.replica.rawValue))
    sqlite3_bind_int64(pointer, 4, Int64(bitPattern: row.record.firstCounter))
    sqlite3_bind_int64(pointer, 5, Int64(bitPattern: row.record.lastCounter))
    sqlite3_bind_int64(pointer, 6, row.checksum)
    let code = row.record.bytes.withUnsafeBytes { bytes in
      // No destructor means SQLITE_STATIC: SQLite reads the bytes where they are, until the step returns.
      sqlite3_bind_blob64(pointer, 7, bytes.baseAddress, UInt64(bytes.count), nil)
      defer {
        sqlite3_reset(pointer)
        sqlite3_bind_null(pointer, 7)
      }
      return sqlite3_step(pointer)
    }
    guard code == SQLITE_DONE else { throw db.failure(code) }
  }
}

/// See `RecordInsertion`.
struct RecordSelection {
  private let db: Database
  private let statement: Statement

  /// - Parameter condition: what stands after the columns of `record`, with one argument.
  init(_ db: Database, _ condition: String, and columns: String = "") throws {
    self.db = db
    statement = try db.cachedStatement(
      sql: """
        SELECT record.id, record.document, record.replica, record.first, record.last, record.checksum, record.bytes\(columns)
        \(condition)
        """)
  }

  /// Calls `body` for each row. Nil stands for a row that is not as it was written, or belongs to
  /// another document; `integer` reads one of the further columns, counted from 0.
  func run(
    _ argument: Int64, in document: DocumentRow, _ body: (RecordRow?, _ integer: (Int32) -> Int64) throws -> Void
  ) throws {
    let pointer = statement.sqliteStatement
    defer { sqlite3_reset(pointer) }
    sqlite3_bind_int64(pointer, 1, argument)
    while true {
      switch sqlite3_step(pointer) {
      case SQLITE_ROW: try body(row(pointer, in: document)) { sqlite3_column_int64(pointer, 7 + $0) }
      case SQLITE_DONE: return
      case let code: throw db.failure(code)
      }
    }
  }

  /// Values of another kind than was written come as something else, and the checksum tells.
  private func row(_ pointer: OpaquePointer, in document: DocumentRow) -> RecordRow? {
    func word(_ column: Int32) -> UInt64 { UInt64(bitPattern: sqlite3_column_int64(pointer, column)) }
    let blob = sqlite3_column_blob(pointer, 6)
    let bytes = UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : Int(sqlite3_column_bytes(pointer, 6)))
    let row = RecordRow(
      id: sqlite3_column_int64(pointer, 0), document: sqlite3_column_int64(pointer, 1),
      record: LogRecord(
        document: document.name, replica: ReplicaID(rawValue: word(2)), firstCounter: word(3), lastCounter: word(4),
        bytes: [UInt8](bytes)))
    return row.document == document.id && row.checksum == sqlite3_column_int64(pointer, 5) ? row : nil
  }
}

extension Database {
  fileprivate func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage)
  }
}
