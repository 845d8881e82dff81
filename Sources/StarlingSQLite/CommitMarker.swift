/// Keeps the mark of a store that is open.
final class CommitMarker {
  private let sharedMemory: OpenFile
  private let file: OpenFile

  /// SQLite has opened the database already.
  init(_ paths: LogPaths) throws {
    let (index, mark) = (paths.sharedMemory, paths.mark)
    sharedMemory = try OpenFile(index, OpenFile.reading)
    file = try OpenFile(mark, OpenFile.updating)
  }

  /// After a commit, before anybody hears of it.
  func note() throws(SystemError) {
    guard let mark = try CommitMark(sharedMemory: sharedMemory) else { return }
    try file.overwrite(with: mark.text)
  }

  /// Before the write-ahead log is emptied into the database.
  func retract() throws(SystemError) {
    try file.overwrite(with: CommitMark.nothing.text)
  }
}
