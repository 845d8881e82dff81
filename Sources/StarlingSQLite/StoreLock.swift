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
  private let file: OpenFile
  /// Why the lock file could not be opened for writing; then the store cannot be written either.
  let refusal: SystemError?

  /// - Parameter path: of the lock file, which stays when the lock ends.
  /// - Throws: `LogError` with code `busy` where somebody else holds the lock, `SystemError` where
  ///   there is no lock file and none can be made.
  init(_ path: String, of directory: String) throws {
    do {
      file = try OpenFile(path, O_RDWR | O_CREAT)
      refusal = nil
    } catch {
      guard error.refusesWriting, try FileIdentity(of: path) != nil else { throw error }
      file = try OpenFile(path, O_RDONLY)
      refusal = error
    }
    guard try file.lockExclusively() else { throw Self.busy(directory, holder: (try? file.readAll()) ?? "") }
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
