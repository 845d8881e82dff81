import GRDB
import StarlingCore
import StarlingEngine

/// The files of one store.
struct LogPaths {
  let disk: any StoreDisk
  let directory: String
  let database: String
  /// SQLite's name for the write-ahead log of the database.
  var writeAheadLog: String { database + "-wal" }
  var lock: String { directory + "/lock" }
  var cleanShutdownMarker: String { directory + "/ticket" }
  /// How much of the write-ahead log was acknowledged; there while the store is open, and after a crash.
  var mark: String { directory + "/mark" }
  /// Where the store moves, and where it has moved.
  var moving: String { directory + "/moving" }
  var moved: String { directory + "/moved" }
  /// SQLite's index of the write-ahead log.
  var sharedMemory: String { database + "-shm" }
  /// A write-ahead log that was found damaged, as it was.
  var damaged: String { writeAheadLog + ".damaged" }
  /// A database in the making. It takes its name when it is whole.
  var unfinished: String { directory + "/unfinished.sqlite" }
  /// Where the content goes of a database that somebody removed under us.
  var rescued: String { directory + "/rescued.sqlite" }

  init(directory: String, on disk: any StoreDisk = SystemDisk()) {
    self.disk = disk
    self.directory = directory
    database = directory + "/starling.sqlite"
  }

  /// Of a backup, which is one file.
  init(file: String) {
    disk = SystemDisk()
    directory = SystemDisk.parent(of: file)
    database = file
  }
}

/// An open log: the connection, and what of the file's content is kept in memory.
final class LogFile {
  let paths: LogPaths
  let store: StoreID
  /// The id that the marker proved, if it did.
  let replica: ReplicaID?
  let database: DatabaseQueue
  private let machine: String?
  private var lock: StoreLock?
  /// Whether the disk refused more when the file was opened.
  let isReadOnly: Bool
  /// The database and its write-ahead log as they were opened.
  private var watched: [(path: String, identity: FileIdentity)] = []

  /// How often the store was started for writing, and the known starts of others.
  private(set) var generations = StoredGenerations()
  var documents: [DocumentID: LoggedDocument]
  var nextRecord: Int64
  /// Why nothing can be written any more, or never could.
  var refusal: LogError?
  /// False once a write failed: dots may be in use then that the file does not know.
  private var knowsEveryDot = true
  private var isClosed = false
  private var marker: CommitMarker?
  /// The checkpoints that are being written. A `compact`, `retract` or `forget` of the document ends one.
  var checkpointsBegun: [DocumentID: UInt64] = [:]
  var checkpointCount: UInt64 = 0
  /// What was found missing when the file was opened, and accepted.
  var damage: LogError?

  /// What is known of a document without reading its records.
  struct LoggedDocument {
    var row: DocumentRow
    /// What the snapshot covers.
    var logStart = VersionVector()
    /// Beyond which counters records stay although the snapshot covers them. Until the file is closed: what a later run
    /// appends is never below the log start.
    var kept: [ReplicaID: UInt64] = [:]
    /// How far each writer got, by its records and the log start.
    var head = VersionVector()
    /// Whether each writer's records are known to lie in the order of its counters. They do not
    /// where a crash came between a record and the state that it followed.
    var isOrdered = false
    /// The latest checkpoint; nil also where its row is not as it was written.
    var checkpoint: CheckpointRow?
    /// Why it cannot be recovered, as far as that is known before its records are read.
    var damage: LogError?
  }

  init(
    paths: LogPaths, contents: LogContents, replica: ReplicaID?, database: DatabaseQueue, machine: String?,
    lock: StoreLock?, refusal: LogError?, isReadOnly: Bool = false
  ) {
    self.paths = paths
    store = contents.meta.store
    documents = contents.documents
    nextRecord = contents.lastRecord + 1
    self.replica = replica
    self.database = database
    self.machine = machine
    self.lock = lock
    self.refusal = refusal
    self.isReadOnly = isReadOnly
  }

  /// Opens the file for writing that could only be read when it was opened.
  ///
  /// - Throws: `LogError` where it still cannot be written; this one goes on then.
  func reopened(durability: SQLiteLog.Durability) throws -> LogFile {
    if lock?.refusal != nil { lock = nil }
    let file = try LogFile.open(paths, lock, durability: durability, machine: machine)
    guard file.store == store else {
      throw LogError(.corrupt, "Somebody replaced '\(paths.database)' while it was in use. Open the store again.")
    }
    isClosed = true
    try? database.close()
    return file
  }

  deinit {
    if !isClosed { try? settle() }
  }

  // MARK: Closing

  /// Closes the file, leaves the clean-shutdown marker and gives the lock back.
  ///
  /// - Throws: `LogError` where the store could not be left in good order. It is closed all the same.
  func close(continuing replica: ReplicaID) throws {
    defer {
      isClosed = true
      lock = nil
    }
    do {
      let standing = Result { if refusal == nil { try checkFilesStand() } }
      try settle()
      try standing.get()
      guard refusal == nil, knowsEveryDot, let machine, let identity = try paths.disk.identity(of: paths.database)
      else {
        return
      }
      let cleanShutdownMarker = CleanShutdownMarker(
        store: store, replica: replica, machine: machine, database: identity, documents: documents.values)
      try paths.disk.replace(paths.cleanShutdownMarker, with: cleanShutdownMarker.text)
      try paths.disk.remove(paths.mark)
    } catch {
      throw LogError(error, at: paths.database, while: "closing the store; what was appended is kept")
    }
  }

  /// Brings everything into the database file, marks it as closed, and closes the connection.
  private func settle() throws {
    guard !isReadOnly else { return try closeDatabase() }
    do {
      // For good before the write-ahead log is emptied that it is about, as SQLite does at the latest when it closes.
      try paths.disk.remove(paths.mark)
    } catch {
      try? database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_size_limit = -1") }
      try closeDatabase()
      throw error
    }
    guard refusal == nil else { return try closeDatabase() }
    let settled = Result {
      try database.writeWithoutTransaction { db in
        // On a full disk this makes the space that the mark needs.
        _ = try? db.checkpoint(.passive)
        try mark(isOpen: false, in: db)
        db.keepsWriteAheadLog(false)
        try db.checkpoint(.truncate)
      }
    }
    try closeDatabase()
    try settled.get()
  }

  private func closeDatabase() throws {
    try database.close()
    // Not before: to close a file ends the process's locks on it, which SQLite holds.
    marker = nil
  }

  /// Marks the file as open, in the database file itself, and remembers which files these are.
  func begin(_ durability: SQLiteLog.Durability) throws {
    try database.writeWithoutTransaction { db in
      // Nobody hears of it before the write-ahead log is emptied into the database, and synced for that. Nothing else
      // is written without a sync of its own: where a loss of power leaves the second of two such transactions without
      // the first, that looks like damage.
      try db.setDurability(.normal)
      try db.inTransaction {
        generations = try GenerationsRow.read(db)
        generations.own += 1
        try GenerationsRow(generations: generations).write(to: db)
        try mark(isOpen: true, in: db)
        return .commit
      }
      try db.emptyWriteAheadLog(paths)
      try db.setDurability(durability)
    }
    watched = try [paths.database, paths.writeAheadLog].compactMap { path in
      try paths.disk.identity(of: path).map { (path, $0) }
    }
    if durability == .full { marker = try CommitMarker(paths) }
    marker?.note()
  }

  /// Of a file that can only be read: this start is not counted.
  func readGenerations() throws {
    generations = try database.unsafeRead { try GenerationsRow.read($0) }
  }

  private func mark(isOpen: Bool, in db: Database) throws {
    try MetaRow(store: store, documentCount: Int64(documents.count), isOpen: isOpen).write(to: db)
  }

  // MARK: Writing

  /// Runs one transaction; on return it is on the disk, whole.
  func write(_ task: String, _ body: (Database) throws -> Void) throws {
    if let refusal { throw refusal }
    do {
      try checkFilesStand()
      try database.writeWithoutTransaction { db in try db.inOneTransaction { try body(db) } }
      marker?.note()
    } catch {
      knowsEveryDot = false
      let error = LogError(error, at: paths.database, while: task)
      if !error.isTransient, error.code != .misuse { refusal = error }
      throw error
    }
  }

  func remember(_ others: StoredGenerations) throws {
    let known = StoredGenerations(own: max(generations.own, others.own), others: others.others)
    try write("storing the starts of stores") { db in try GenerationsRow(generations: known).write(to: db) }
    generations = known
  }

  /// The write-ahead log may have begun again.
  func noteMark() {
    marker?.note()
  }

  /// Before the write-ahead log is emptied into the database; `noteMark` follows.
  func retractMark() throws {
    try marker?.retract()
  }

  /// Runs `body` on the connection.
  func read<Result>(_ task: String, _ body: (Database) throws -> Result) throws -> Result {
    do {
      return try database.unsafeRead(body)
    } catch {
      throw LogError(error, at: paths.database, while: task)
    }
  }

  /// SQLite goes on writing to files that were removed or replaced: everything would seem well
  /// until the process ends and they are gone. Saves what there is and throws where that happened.
  private func checkFilesStand() throws {
    for (path, identity) in watched {
      if let standing = try paths.disk.identity(of: path), standing.isSameFile(as: identity) { continue }
      let outcome = path == paths.database ? rescueDatabase() : rescueWriteAheadLog()
      let error = LogError(.corrupt, "Somebody removed or replaced '\(path)' while it was in use. \(outcome)")
      refusal = error
      throw error
    }
  }

  private func rescueDatabase() -> String {
    try? marker?.retract()
    let rescued = Result {
      try database.writeWithoutTransaction { db in
        try mark(isOpen: false, in: db)
        try db.execute(sql: "VACUUM INTO ?", arguments: [paths.rescued])
      }
    }
    switch rescued {
    case .success: return "What it held is in '\(paths.rescued)' now; close the program and put it in its place."
    case .failure(let error): return "What it held could not be saved (\(error)); put back a backup."
    }
  }

  private func rescueWriteAheadLog() -> String {
    try? marker?.retract()
    let rescued = Result {
      try database.writeWithoutTransaction { db in
        try mark(isOpen: false, in: db)
        try db.checkpoint(.truncate)
      }
    }
    switch rescued {
    case .success: return "Everything appended before is in '\(paths.database)'; open the store again."
    case .failure(let error): return "What it held could not be saved (\(error)); put back a backup."
    }
  }
}
