import GRDB
import StarlingCore
import StarlingEngine

/// A store or a backup, opened for reading beside whoever uses it.
struct StoredCopy {
  private let paths: LogPaths
  private let database: DatabaseQueue
  /// Nil where somebody uses the store, or for a backup.
  private let lock: StoreLock?
  /// What its files show to be missing.
  private let missing: LogError?

  /// - Parameter path: the directory of a store, or the file of a backup.
  /// - Throws: `LogError` where there is none.
  init(at path: String) throws {
    let isDirectory = SystemDisk().isDirectory(path)
    paths = isDirectory ? LogPaths(directory: path) : LogPaths(file: path)
    guard let identity = try paths.disk.identity(of: paths.database), identity.byteCount > 0 else {
      throw LogError(
        .misuse,
        isDirectory
          ? "'\(path)' holds no store: there is no '\(paths.database)', or it is empty."
          : "'\(path)' is not there, or is empty. Name the directory of a store, or the file of a backup.")
    }
    var isInUse = false
    if isDirectory {
      do {
        lock = try StoreLock(paths)
      } catch let error as LogError where error.code == .busy {
        (lock, isInUse) = (nil, true)
      } catch is SystemError {
        // A disk that cannot be written.
        lock = nil
      }
    } else {
      lock = nil
    }
    // While somebody writes, the files beside the database say nothing that lasts.
    missing = isInUse ? nil : try LogFile.missing(in: paths)
    database = try LogFile.connectForReading(paths, isInUse: isInUse)
  }

  /// Copies it as it is at one moment, into a file that stands by itself.
  func copy(to file: String, _ progress: @escaping (Double) -> Void) throws {
    if let missing { throw missing }
    _ = try paths.disk.open(file, .making)
    let target = try LogFile.connect(to: file, on: paths.disk)
    try database.read { db in
      try target.writeWithoutTransaction { target in
        // In the transaction of this read: what is written in between is not copied, and does not begin it again.
        try db.backup(to: target, pagesPerStep: 4096) {
          progress(Double($0.completedPageCount) / Double(max(1, $0.totalPageCount)))
        }
      }
    }
    try target.writeWithoutTransaction { db in
      // One file, without a write-ahead log beside it; and nobody uses it.
      try db.execute(sql: "PRAGMA journal_mode = DELETE")
      try db.inTransaction {
        if var meta = try MetaRow(db) {
          meta.isOpen = false
          try meta.write(to: db)
        }
        return .commit
      }
    }
    try target.close()
  }

  /// Reads all of it; the last call.
  func check(_ progress: @escaping (Double) -> Void) throws -> StoreReport {
    var report = StoreReport()
    report.byteCount = try paths.disk.identity(of: paths.database)?.byteCount ?? 0
    if let missing { report.faults.append(missing) }
    // It closes the database when it ends, which must not be during the read.
    var reader: LogFile?
    defer { withExtendedLifetime(reader) {} }
    do {
      try database.read { db in
        for fault in try String.fetchAll(db, sql: "PRAGMA integrity_check(16)") where fault != "ok" {
          report.faults.append(LogError.corrupt(paths.database, "is damaged (SQLite: \(fault))"))
        }
        let contents = try LogContents(db, at: paths.database)
        report.store = contents.meta.store
        let file = LogFile(
          paths: paths, contents: contents, replica: nil, database: database, machine: nil, lock: nil,
          refusal: LogError(.misuse, "It is only read."), isReadOnly: true)
        reader = file
        let count = contents.documents.values.reduce(0) { $0 + $1.row.recordCount + 1 }
        var checkedCount: Int64 = 0
        for document in contents.documents.values.sorted(by: { $0.row.name.name < $1.row.name.name }) {
          report.documents.append(file.check(document, db))
          checkedCount += document.row.recordCount + 1
          progress(Double(checkedCount) / Double(max(1, count)))
        }
      }
    } catch {
      report.faults.append(LogError(error, at: paths.database, while: "checking it"))
    }
    return report
  }
}

extension LogFile {
  /// Compares what is stored of a document with what was written, and keeps none of it.
  fileprivate func check(_ document: LoggedDocument, _ db: Database) -> StoreReport.Document {
    var found = StoreReport.Document(name: document.row.name, isForgotten: document.row.isForgotten)
    found.operationCount = document.head.entries.reduce(0) { $0 &+ $1.counter }
    do {
      if let damage = document.damage { throw damage }
      _ = try snapshot(of: document, db)
      _ = try members(of: document, db)
      _ = try leases(of: document, db)
      try RecordSelection(db, "FROM record WHERE document = ? ORDER BY id").run(document.row.id, in: document.row) {
        row, _ in
        found.recordCount += 1
        found.byteCount += try verified(row, of: document).record.bytes.count
      }
      guard found.recordCount == document.row.recordCount else {
        throw LogError.corrupt(
          paths.database, "holds \(found.recordCount) of the \(document.row.recordCount) records of '\(found.name)'")
      }
    } catch {
      found.damage = LogError(error, at: paths.database, while: "reading '\(found.name)'")
    }
    return found
  }
}
