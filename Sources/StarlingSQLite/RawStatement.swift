import GRDB
import GRDBSQLite

/// A statement that runs for every commit, or for every record: bound and stepped by SQLite's own calls. GRDB prepares
/// `BEGIN` and `COMMIT` each time, and its boxes for each value of each row took three times what SQLite takes to insert
/// it.
struct RawStatement {
  private let db: Database
  private let statement: Statement

  /// Prepared once for a connection.
  init(_ sql: String, _ db: Database) throws {
    self.db = db
    statement = try db.cachedStatement(sql: sql)
  }

  var pointer: OpaquePointer { statement.sqliteStatement }

  /// - Parameter place: of the argument, counted from 1.
  func bind(_ value: Int64, at place: Int32) {
    sqlite3_bind_int64(pointer, place, value)
  }

  /// Runs a statement that returns no rows.
  func run() throws {
    defer { sqlite3_reset(pointer) }
    let code = sqlite3_step(pointer)
    guard code == SQLITE_DONE else { throw db.failure(code) }
  }

  /// The same with bytes for the argument at `place`, which SQLite reads where they are.
  func run(_ bytes: UnsafeRawBufferPointer, _ encoding: Encoding, at place: Int32) throws {
    // No destructor means SQLITE_STATIC: the bytes stay until the step returns.
    switch encoding {
    case .blob: sqlite3_bind_blob64(pointer, place, bytes.baseAddress, UInt64(bytes.count), nil)
    case .text:
      sqlite3_bind_text64(pointer, place, bytes.baseAddress, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
    }
    defer { sqlite3_bind_null(pointer, place) }
    try run()
  }

  enum Encoding { case blob, text }
}

extension Database {
  /// Runs `body` in one transaction, which is on the disk when this returns, or taken back when it throws.
  func inOneTransaction(_ body: () throws -> Void) throws {
    try RawStatement("BEGIN IMMEDIATE", self).run()
    do {
      try body()
      try RawStatement("COMMIT", self).run()
    } catch {
      // Of some errors SQLite takes it back itself.
      if isInsideTransaction { try? RawStatement("ROLLBACK", self).run() }
      throw error
    }
  }

  func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage)
  }
}
