import GRDB
import StarlingCore
import StarlingEngine

// Copies of a store, and checks of it. A daemon may be using the store; these calls block the calling thread.
//
//   store in use ── pages as of one commit ──► FILE.unfinished ── checked, synced ──► FILE      backUp
//   FILE ── checked ──► DIRECTORY/unfinished.sqlite ── synced ──► DIRECTORY/starling.sqlite     restore
extension SQLiteLog {
  /// Reads everything that a store or a backup holds, and compares it with what was written. Changes nothing.
  ///
  /// - Parameters:
  ///   - path: the directory of a store, or the file of a backup.
  ///   - progress: told now and then how much is done, from 0 to 1.
  /// - Throws: `LogError` where there is nothing to check, or it cannot be opened.
  /// - Complexity: O(bytes), in the memory of the largest state.
  public static func check(_ path: String, progress: @escaping (Double) -> Void = { _ in }) throws -> StoreReport {
    do {
      return try StoredCopy(at: path).check(progress)
    } catch {
      throw LogError(error, at: path, while: "checking it")
    }
  }

  /// Copies a store into one file, as it stands at one commit. A replica that uses the store continues.
  ///
  /// - Parameters:
  ///   - directory: of the store.
  ///   - file: made, for its owner alone; it must not be there.
  ///   - progress: told now and then how much is done, from 0 to 1.
  /// - Returns: what the backup holds.
  /// - Throws: `LogError`: `.misuse` where `file` is there, `.corrupt` where the store is damaged. Then there is no file.
  /// - Complexity: O(bytes).
  public static func backUp(
    _ directory: String, to file: String, progress: @escaping (Double) -> Void = { _ in }
  ) throws -> StoreReport {
    let disk = SystemDisk()
    guard try disk.identity(of: file) == nil else {
      throw LogError(.misuse, "'\(file)' is there already. Name a new file: a backup replaces none.")
    }
    let unfinished = file + ".unfinished"
    do {
      for leftover in [unfinished, unfinished + "-journal"] { try disk.remove(leftover) }
      try StoredCopy(at: directory).copy(to: unfinished) { progress($0 / 2) }
      return try place(unfinished, at: file) { progress(0.5 + $0 / 2) }
    } catch {
      try? disk.remove(unfinished)
      throw LogError(error, at: directory, while: "backing it up")
    }
  }

  /// Makes a store of a backup. The replica that opens it continues under a new replica id, and receives what came after
  /// the backup from its peers.
  ///
  /// - Parameters:
  ///   - file: that `backUp` made.
  ///   - directory: where the store is to be; made if it is missing. It must hold no store.
  ///   - progress: told now and then how much is done, from 0 to 1.
  /// - Returns: what the store holds.
  /// - Throws: `LogError`: `.misuse` where there is a store already, `.corrupt` where the backup is damaged. Then the
  ///   directory holds no store.
  /// - Complexity: O(bytes).
  public static func restore(
    _ file: String, to directory: String, progress: @escaping (Double) -> Void = { _ in }
  ) throws -> StoreReport {
    let paths = LogPaths(directory: directory)
    let disk = paths.disk
    for path in [paths.database, paths.writeAheadLog, paths.mark, paths.cleanShutdownMarker]
    where try disk.identity(of: path) != nil {
      throw LogError(
        .misuse, "'\(directory)' holds a store already ('\(path)'). Move it away, or name a new directory.")
    }
    do {
      try disk.makeDirectory(directory)
      let lock = try StoreLock(paths)
      defer { withExtendedLifetime(lock) {} }
      for leftover in [paths.unfinished, paths.unfinished + "-journal"] { try disk.remove(leftover) }
      try disk.copy(file, to: paths.unfinished)
      return try place(paths.unfinished, at: paths.database, progress)
    } catch {
      try? disk.remove(paths.unfinished)
      throw LogError(error, at: file, while: "restoring it")
    }
  }

  /// Gives a copy its name once it is known to be whole.
  private static func place(
    _ unfinished: String, at path: String, _ progress: @escaping (Double) -> Void
  ) throws -> StoreReport {
    let report = try StoredCopy(at: unfinished).check(progress)
    if let fault = report.firstFault { throw fault }
    let disk = SystemDisk()
    try disk.sync(unfinished)
    try disk.move(unfinished, to: path)
    return report
  }
}
