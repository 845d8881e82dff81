/// Keeps the mark of a store that is open.
///
/// It is removed, and the directory synced, before the write-ahead log that it is about is emptied, and made again for
/// the next one. Were it written over instead, a loss of power could leave the former mark beside the later log: that
/// would look as if acknowledged frames were missing.
final class CommitMarker {
  private let disk: any StoreDisk
  private let sharedMemory: any StoreFile
  private let path: String
  private var file: (any StoreFile)?
  /// Of the write-ahead log that the file is about.
  private var salts: UInt64?

  /// SQLite has opened the database already.
  init(_ paths: LogPaths) throws {
    disk = paths.disk
    sharedMemory = try disk.open(paths.sharedMemory, .reading)
    path = paths.mark
  }

  /// After a commit, before anybody hears of it. What cannot be noted is missed by nobody but who looks for damage.
  func note() {
    guard let mark = try? CommitMark(sharedMemory: sharedMemory) else { return }
    if salts != mark.salts {
      guard (try? retract()) != nil else { return }
      file = try? disk.open(path, .updating)
      salts = mark.salts
    }
    try? file?.overwrite(with: mark.bytes)
  }

  /// Before the write-ahead log is emptied into the database.
  func retract() throws(SystemError) {
    file = nil
    salts = nil
    try disk.remove(path)
  }
}
