public import StarlingEngine
import StarlingGuard

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The liveness locks of a group's processes on one machine: a file for each, beside its sockets.
///
/// ```
///   directory/
///     4f1c….life     "standing", locked by its process         it runs
///     90a2….life     "standing", and nobody holds the lock     it has ended
/// ```
///
/// flock(2) ties the lock to the open file: the system takes it away when the process ends, however that comes, and for
/// nothing else. A process that withdraws its sign first writes that into the file and then removes it, so that a crash
/// of the machine in between brings back no proof that does not hold.
public final class LifeSignFiles: LifeSigns {
  private static let suffix = ".life"
  private static let standing = Array("standing".utf8)
  private static let withdrawn = Array("withdraw".utf8)

  private let directory: IPCDirectory
  /// The files of this process's own signs, each with its lock.
  private let own = Guarded<[String: Int32]>([:])

  public init(_ directory: IPCDirectory) {
    self.directory = directory
  }

  deinit {
    for descriptor in own.withLock({ $0.values.map { $0 } }) { closeUnlocked(descriptor) }
  }

  private func path(of name: String) -> String { "\(directory.path)/\(name)\(Self.suffix)" }

  // MARK: One's own

  public func show(_ name: String) -> Bool {
    let path = path(of: name)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    // Others of the Unix group look whether it stands.
    if let group = directory.sharedWith, fchown(descriptor, uid_t.max, group.id) != 0 || fchmod(descriptor, 0o640) != 0
    {
      closeUnlocked(descriptor)
      return false
    }
    // Whoever looks for signs may have taken the file away while it was empty.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.write(Self.standing, to: descriptor),
      Self.isSame(descriptor, as: path)
    else {
      closeUnlocked(descriptor)
      return false
    }
    own.withLock { $0[name] = descriptor }
    return true
  }

  public func withdraw(_ name: String) -> Bool {
    own.withLock { own in
      guard let descriptor = own[name] else { return true }
      guard Self.write(Self.withdrawn, to: descriptor), fsync(descriptor) == 0 else { return false }
      unlink(path(of: name))
      closeUnlocked(descriptor)
      own[name] = nil
      return true
    }
  }

  public func leave(_ name: String) {
    if let descriptor = own.withLock({ $0.removeValue(forKey: name) }) { closeUnlocked(descriptor) }
  }

  // MARK: Others'

  public func isStanding(_ name: String) -> Bool {
    look(at: name) { isLocked, descriptor in isLocked && Self.says(Self.standing, descriptor) } ?? false
  }

  public func ended() -> [String] {
    names().filter { name in
      look(at: name) { isLocked, descriptor in
        guard !isLocked else { return false }
        if Self.says(Self.standing, descriptor) { return true }
        // Its process ended while it put the sign up or took it down.
        unlink(path(of: name))
        return false
      } ?? false
    }
  }

  public func clear(_ name: String) {
    unlink(path(of: name))
  }

  /// - Parameter body: is told whether a process holds the lock; if none does, nobody takes it during the call.
  private func look(at name: String, _ body: (_ isLocked: Bool, Int32) -> Bool) -> Bool? {
    let descriptor = open(path(of: name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { closeUnlocked(descriptor) }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return body(false, descriptor) }
    // Anything else than a lock that is held proves nothing.
    return errno == EWOULDBLOCK ? body(true, descriptor) : nil
  }

  private func names() -> [String] {
    guard let listing = opendir(directory.path) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let file = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if file.hasSuffix(Self.suffix) { names.append(String(file.dropLast(Self.suffix.count))) }
    }
    return names.sorted()
  }

  // MARK: Files

  private static func write(_ word: [UInt8], to descriptor: Int32) -> Bool {
    word.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == word.count
  }

  private static func says(_ word: [UInt8], _ descriptor: Int32) -> Bool {
    var found = [UInt8](repeating: 0, count: word.count)
    let count = found.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return count == word.count && found == word
  }

  private static func isSame(_ descriptor: Int32, as path: String) -> Bool {
    var (opened, named) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }
}
