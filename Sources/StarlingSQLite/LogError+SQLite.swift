import GRDB
import StarlingEngine

extension LogError {
  /// Says in the words of the log what SQLite or the system refused while `task` was under way.
  ///
  /// - Parameters:
  ///   - path: of the database, or of the store's directory.
  ///   - task: completes "while …".
  init(_ cause: any Error, at path: String, while task: String) {
    switch cause {
    case let error as LogError: self = error
    case let error as DatabaseError: self.init(error, at: path, while: task)
    case let error as SystemError: self.init(error, while: task)
    default: self = .corrupt(path, "holds values of the wrong kind, found while \(task)", cause: cause)
    }
  }

  private init(_ error: DatabaseError, at path: String, while task: String) {
    switch error.extendedResultCode {
    case .SQLITE_IOERR_SHORT_READ, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_ERROR, .SQLITE_CONSTRAINT:
      self = .corrupt(path, "is damaged, found while \(task)", cause: error)
    // The shared memory beside the database could not be given its size.
    case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE:
      self.init(
        .unwritable, "The disk of '\(path)' is full, found while \(task). Free some space.", cause: error)
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(
        .busy, "Another program has locked '\(path)', found while \(task). Let it finish.", cause: error,
        isTransient: true)
    case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
      self.init(
        .unwritable,
        "'\(path)' cannot be written, found while \(task). Make it and its directory writable.", cause: error,
        isTransient: error.extendedResultCode != .SQLITE_READONLY_DBMOVED)
    // As of a quota that is used up; SQLite has taken the transaction back.
    case .SQLITE_IOERR_WRITE:
      self.init(
        .unwritable, "The disk of '\(path)' refused while \(task). Free some space, or check the disk.", cause: error)
    default:
      self.init(
        .unwritable, "The disk of '\(path)' failed while \(task). Check the disk and open the store again.",
        cause: error, isTransient: false)
    }
  }

  private init(_ error: SystemError, while task: String) {
    let advice = error.isFull ? "Free some space" : error.refusesWriting ? "Make it writable" : "Check the disk"
    self.init(.unwritable, "'\(error.path)' refused while \(task). \(advice).", cause: error)
  }

  /// Acknowledged records are missing; who opens the store may accept that.
  static func missing(_ fault: String) -> LogError {
    LogError(
      .corrupt,
      "\(fault) Nothing was changed. Put back a backup, or accept the damage (SQLiteLog(acceptsDamage:), "
        + "Replica.Options.acceptsDamage, starlingd --accept-damage): then what is whole is opened under a new replica id, "
        + "and what is missing comes from the peers that have it.")
  }

  /// - Parameter fault: a sentence's end, after the name of the file.
  static func corrupt(_ path: String, _ fault: String, cause: (any Error)? = nil) -> LogError {
    LogError(
      .corrupt,
      "'\(path)' \(fault). Nothing was changed in it. Put back a backup, or move the directory away and let the peers"
        + " fill a new one.", cause: cause)
  }
}
