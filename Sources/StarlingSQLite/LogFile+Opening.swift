import GRDB
import GRDBSQLite
import StarlingCore
import StarlingEngine

extension LogFile {
  /// Opens or makes the log, for reading alone where the disk refuses more.
  ///
  /// - Parameter machine: as `CleanShutdownMarker.machineID` tells.
  static func open(
    _ paths: LogPaths, durability: SQLiteLog.Durability, machine: String?, acceptsDamage: Bool,
    store: StoreID? = nil
  ) throws -> LogFile {
    var lock: StoreLock?
    do {
      try paths.disk.makeDirectory(paths.directory)
      lock = try StoreLock(paths)
      if let refusal = lock?.refusal { throw refusal }
      return try openForWriting(
        paths, lock, durability: durability, machine: machine, acceptsDamage: acceptsDamage, store: store)
    } catch {
      let error = LogError(error, at: paths.database, while: "opening the store for writing")
      guard error.code == .unwritable else { throw error }
      do {
        return try openForReading(paths, lock, durability: durability, machine: machine, because: error)
      } catch let reading {
        let reading = LogError(reading, at: paths.database, while: "opening the store for reading")
        throw reading.code == .unwritable ? error : reading
      }
    }
  }

  /// The same, for writing alone, by a process that holds the lock already or could not take it.
  static func open(
    _ paths: LogPaths, _ lock: StoreLock?, durability: SQLiteLog.Durability, machine: String?
  ) throws -> LogFile {
    do {
      let lock = try lock ?? StoreLock(paths)
      if let refusal = lock.refusal { throw refusal }
      return try openForWriting(paths, lock, durability: durability, machine: machine, acceptsDamage: false)
    } catch {
      throw LogError(error, at: paths.database, while: "opening the store for writing")
    }
  }

  private static func openForWriting(
    _ paths: LogPaths, _ lock: StoreLock?, durability: SQLiteLog.Durability, machine: String?, acceptsDamage: Bool,
    store: StoreID? = nil
  ) throws -> LogFile {
    var cleanShutdownMarker = try paths.disk.read(paths.cleanShutdownMarker)
    var damage = try damage(in: paths, durability)
    if let damage {
      guard acceptsDamage else { throw damage }
      cleanShutdownMarker = nil
      try putAside(paths)
    }
    if try paths.disk.identity(of: paths.database) == nil { try create(paths, store) }
    let found = try FoundFiles(paths)
    // One that is missing is missing for whoever opens next.
    let database = try connect(
      to: paths.database, on: paths.disk, keepsWriteAheadLog: found.writeAheadLog != .missing)
    let contents = try database.unsafeRead { try LogContents($0, at: paths.database) }
    if damage == nil, let missing = found.missing(contents.meta, paths) {
      guard acceptsDamage else { throw missing }
      (damage, cleanShutdownMarker) = (missing, nil)
    }
    // Gone for good before anybody hears of the id: no later open can find the marker again.
    try paths.disk.remove(paths.cleanShutdownMarker)
    // For good before the write-ahead log is emptied that it is about.
    try paths.disk.remove(paths.mark)
    try database.writeWithoutTransaction { db in
      try prepareForWriting(db, durability)
      // What a crash left behind the last commit would stand behind the next one, and look like what follows damage.
      if found.writeAheadLog != .missing { try db.emptyWriteAheadLog(paths) }
      try Schema.upgrade(db)
      try db.execute(sql: GenerationsRow.table)
    }
    let file = LogFile(
      paths: paths, contents: contents,
      replica: cleanShutdownMarker.flatMap { found.replica(provedBy: $0, contents, machine: machine) },
      database: database,
      machine: machine, lock: lock, refusal: nil)
    file.damage = damage
    try file.begin(durability)
    guard try file.standingDurability() == durability else {
      throw LogError(
        .unwritable, "SQLite does not write '\(paths.database)' as durably as was asked.",
        isTransient: false)
    }
    return file
  }

  /// What is there can be read, and the replica goes on in memory.
  private static func openForReading(
    _ paths: LogPaths, _ lock: StoreLock?, durability: SQLiteLog.Durability, machine: String?,
    because refusal: LogError
  ) throws -> LogFile {
    guard try paths.disk.identity(of: paths.database) != nil else { throw refusal }
    if let damage = try damage(in: paths, durability) { throw damage }
    let found = try FoundFiles(paths)
    let database = try connectForReading(paths, isInUse: false)
    let contents = try database.unsafeRead { try LogContents($0, at: paths.database) }
    if let missing = found.missing(contents.meta, paths) { throw missing }
    let file = LogFile(
      paths: paths, contents: contents, replica: nil, database: database, machine: machine, lock: lock,
      refusal: refusal,
      isReadOnly: true)
    try file.readGenerations()
    return file
  }

  /// What was acknowledged and is not there any more, as far as the files show it.
  private static func damage(in paths: LogPaths, _ durability: SQLiteLog.Durability) throws -> LogError? {
    if try paths.disk.identity(of: paths.database) == nil {
      let rests = try [paths.writeAheadLog, paths.mark, paths.cleanShutdownMarker].filter { path in
        try paths.disk.identity(of: path).map { $0.byteCount > 0 } ?? false
      }
      guard let rest = rests.first else { return nil }
      return .missing("'\(paths.database)' is gone, but '\(rest)', which belongs to it, is there.")
    }
    let mark = try paths.disk.read(paths.mark).flatMap { CommitMark($0) }
    guard
      let fault = try WriteAheadLog.fault(
        in: WriteAheadLog(paths.writeAheadLog, on: paths.disk), mark, durability)
    else { return nil }
    return .missing("'\(paths.writeAheadLog)' \(fault). What was written behind that is not there.")
  }

  /// Keeps what is damaged as it is, for repair by other means, and leaves SQLite what is whole of it.
  private static func putAside(_ paths: LogPaths) throws {
    if try paths.disk.identity(of: paths.writeAheadLog) != nil {
      try paths.disk.copy(paths.writeAheadLog, to: paths.damaged)
      if try paths.disk.identity(of: paths.database) == nil { try paths.disk.remove(paths.writeAheadLog) }
    }
    try paths.disk.remove(paths.cleanShutdownMarker)
    try paths.disk.remove(paths.mark)
  }

  /// Makes an empty log under another name and moves it into place once it is whole, so that a
  /// crash leaves none, and an empty file can only be damage.
  ///
  /// - Parameter store: of a store that moves here; nil for a new one.
  private static func create(_ paths: LogPaths, _ store: StoreID?) throws {
    for leftover in [paths.unfinished, paths.unfinished + "-journal"] { try paths.disk.remove(leftover) }
    _ = try paths.disk.open(paths.unfinished, .making)
    let database = try connect(to: paths.unfinished, on: paths.disk)
    try database.writeWithoutTransaction { db in
      // "Must be enabled before any tables are created" (sqlite.org/pragma.html#pragma_auto_vacuum).
      try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
      try db.inTransaction {
        for statement in Schema.statements { try db.execute(sql: statement) }
        var generator = SystemRandomNumberGenerator()
        try MetaRow(store: store ?? .random(using: &generator), documentCount: 0, isOpen: false).write(to: db)
        return .commit
      }
    }
    try database.close()
    try paths.disk.move(paths.unfinished, to: paths.database)
  }

  /// What was acknowledged and is not there any more, by the files that a store has which nobody uses.
  static func missing(in paths: LogPaths) throws -> LogError? {
    if let damage = try damage(in: paths, .full) { return damage }
    let found = try FoundFiles(paths)
    let database = try connectForReading(paths, isInUse: false)
    defer { try? database.close() }
    return try database.unsafeRead { try MetaRow($0) }.flatMap { found.missing($0, paths) }
  }

  /// - Parameter isInUse: whether somebody may write at the same time.
  static func connectForReading(_ paths: LogPaths, isInUse: Bool) throws -> DatabaseQueue {
    let isQuiet = try !isInUse && FoundFiles(paths).writeAheadLog != .filled
    return try connect(to: paths.database, on: paths.disk, readOnly: true, isImmutable: isQuiet)
  }

  static func connect(
    to path: String, on disk: any StoreDisk, readOnly: Bool = false, isImmutable: Bool = false,
    keepsWriteAheadLog: Bool = false
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.label = "Starling log"
    configuration.readonly = readOnly
    configuration.foreignKeysEnabled = false
    // Somebody may look at the file with SQLite's own shell.
    configuration.busyMode = .timeout(2)
    configuration.prepareDatabase { db in
      db.keepsWriteAheadLog(keepsWriteAheadLog)
      for setting in ["cell_size_check = ON", "trusted_schema = OFF", "temp_store = MEMORY", "secure_delete = FAST"] {
        try db.execute(sql: "PRAGMA \(setting)")
      }
    }
    let options: [String] = (isImmutable ? ["immutable=1"] : []) + (disk.vfs.map { ["vfs=\($0)"] } ?? [])
    return try DatabaseQueue(
      path: options.isEmpty ? path : uri(path) + "?" + options.joined(separator: "&"), configuration: configuration)
  }

  /// With the options of an URI: a database in WAL mode needs to write beside itself even for reading, unless it is told
  /// that nobody writes (sqlite.org/wal.html, "Read-Only Databases").
  private static func uri(_ path: String) -> String {
    let escaped = path.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"): "%" + String(byte, radix: 16)
      default: String(decoding: [byte], as: UTF8.self)
      }
    }
    return "file:\(escaped.joined())"
  }

  private static func prepareForWriting(_ db: Database, _ durability: SQLiteLog.Durability) throws {
    guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
      throw LogError(
        .unwritable, "The disk of the store does not carry a write-ahead log. Choose a local disk.",
        isTransient: false)
    }
    // Until the database says that it has none.
    db.keepsWriteAheadLog(true)
    // A large compaction leaves a large write-ahead log behind; it shrinks to this.
    try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
    try db.execute(sql: "PRAGMA fullfsync = ON")
    try db.execute(sql: "PRAGMA checkpoint_fullfsync = ON")
    // After the journal mode: setting that by GRDB's means has been seen to set this back.
    try db.setDurability(durability)
  }

  /// How durably the connection writes, as it says itself.
  func standingDurability() throws -> SQLiteLog.Durability? {
    let standing = try database.unsafeRead { try Int64.fetchOne($0, sql: "PRAGMA synchronous") }
    return SQLiteLog.Durability.allCases.first { $0.synchronous == standing }
  }
}

extension Database {
  func setDurability(_ durability: SQLiteLog.Durability) throws {
    try execute(sql: "PRAGMA synchronous = \(durability.synchronous)")
  }

  /// Whether the write-ahead log stays, empty or not, when the last connection is closed. Without it a database that
  /// says that it has one looks as if it had lost its latest records.
  func keepsWriteAheadLog(_ isKept: Bool) {
    var isKept: Int32 = isKept ? 1 : 0
    sqlite3_file_control(sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isKept)
  }

  /// For good: frames of before beside a header of later would look like damage.
  func emptyWriteAheadLog(_ paths: LogPaths) throws {
    try checkpoint(.truncate)
    try paths.disk.sync(paths.writeAheadLog)
  }
}

/// The files as they were before the database was opened.
private struct FoundFiles {
  enum WriteAheadLog { case missing, empty, filled }

  let database: FileIdentity
  let writeAheadLog: WriteAheadLog

  init(_ paths: LogPaths) throws {
    guard let database = try paths.disk.identity(of: paths.database), database.byteCount > 0 else {
      throw LogError.corrupt(paths.database, "is empty")
    }
    self.database = database
    switch try paths.disk.identity(of: paths.writeAheadLog)?.byteCount {
    case nil: writeAheadLog = .missing
    case 0: writeAheadLog = .empty
    default: writeAheadLog = .filled
    }
  }

  /// What is missing, by the database's own account; nil where nothing is.
  func missing(_ meta: MetaRow, _ paths: LogPaths) -> LogError? {
    guard meta.isOpen, writeAheadLog == .missing else { return nil }
    return .missing(
      "'\(paths.writeAheadLog)' is missing. '\(paths.database)' was in use when it was last written, and the latest "
        + "records may be there alone.")
  }

  /// The id that `cleanShutdownMarker` is about, if the facts of now are those it states.
  func replica(provedBy cleanShutdownMarker: String, _ contents: LogContents, machine: String?) -> ReplicaID? {
    guard let machine, writeAheadLog != .filled, let replica = CleanShutdownMarker.replica(in: cleanShutdownMarker)
    else { return nil }
    let facts = CleanShutdownMarker(
      store: contents.meta.store, replica: replica, machine: machine, database: database,
      documents: contents.documents.values)
    return facts.text == cleanShutdownMarker ? replica : nil
  }
}
