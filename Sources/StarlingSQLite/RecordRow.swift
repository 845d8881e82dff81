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

/// Appends rows of `record`.
struct RecordInsertion {
  private let statement: RawStatement

  init(_ db: Database) throws {
    statement = try RawStatement(
      """
      INSERT INTO record(id, document, replica, first, last, checksum, bytes) VALUES(?, ?, ?, ?, ?, ?, ?)
      """, db)
  }

  func run(_ row: RecordRow) throws {
    statement.bind(row.id, at: 1)
    statement.bind(row.document, at: 2)
    statement.bind(Int64(bitPattern: row.record.replica.rawValue), at: 3)
    statement.bind(Int64(bitPattern: row.record.firstCounter), at: 4)
    statement.bind(Int64(bitPattern: row.record.lastCounter), at: 5)
    statement.bind(row.checksum, at: 6)
    try row.record.bytes.withUnsafeBytes { try statement.run($0, .blob, at: 7) }
  }
}

/// Finds rows of `record`.
struct RecordSelection {
  private let db: Database
  private let statement: RawStatement

  /// - Parameter condition: what stands after the columns of `record`, with one argument.
  init(_ db: Database, _ condition: String, and columns: String = "") throws {
    self.db = db
    statement = try RawStatement(
      """
      SELECT record.id, record.document, record.replica, record.first, record.last, record.checksum, record.bytes\(columns)
      \(condition)
      """, db)
  }

  /// Calls `body` for each row. Nil stands for a row that is not as it was written, or belongs to
  /// another document; `integer` reads one of the further columns, counted from 0.
  func run(
    _ argument: Int64, in document: DocumentRow, _ body: (RecordRow?, _ integer: (Int32) -> Int64) throws -> Void
  ) throws {
    let pointer = statement.pointer
    defer { sqlite3_reset(pointer) }
    statement.bind(argument, at: 1)
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
