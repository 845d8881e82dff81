import StarlingEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One process owns a store: the lock on its lock file, with the owner's name written inside for
/// whoever comes second. It ends with the object.
///
/// flock(2) ties the lock to the open file, so it ends with the process however that ends, and two
/// opens in one process exclude each other as well.
final class StoreLock {
  private let file: any StoreFile
  /// Why the lock file could not be opened for writing; then the store cannot be written either.
  let refusal: SystemError?

  /// The lock file stays when the lock ends.
  ///
  /// - Throws: `LogError` with code `busy` where somebody else holds the lock, `SystemError` where
  ///   there is no lock file and none can be made.
  init(_ paths: LogPaths) throws {
    do {
      file = try paths.disk.open(paths.lock, .updating)
      refusal = nil
    } catch {
      guard error.refusesWriting, try paths.disk.identity(of: paths.lock) != nil else { throw error }
      file = try paths.disk.open(paths.lock, .reading)
      refusal = error
    }
    guard try file.lock() else { throw Self.busy(paths.directory, holder: (try? file.readAll()) ?? "") }
    // The name is a courtesy: on a full disk the lock holds without it.
    if refusal == nil { try? file.replaceAll(with: Self.ownName) }
  }

  deinit {
    if refusal == nil { try? file.replaceAll(with: "") }
    file.unlock()
  }

  private static var ownName: String {
    let program = CommandLine.arguments.first?.split(separator: "/").last ?? "unknown program"
    return "pid \(getpid()), \(program)"
  }

  private static func busy(_ directory: String, holder: String) -> LogError {
    let holder = holder.isEmpty ? "" : " (\(holder))"
    return LogError(.busy, "Another process\(holder) holds '\(directory)'. Stop it or open another directory.")
  }
}
