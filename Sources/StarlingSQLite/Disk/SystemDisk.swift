#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files of the system that the process runs on.
struct SystemDisk: StoreDisk {
  var vfs: String? { nil }

  func open(_ path: String, _ use: FileUse) throws(SystemError) -> any StoreFile { try SystemFile(path, use.flags) }

  func identity(of path: String) throws(SystemError) -> FileIdentity? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw SystemError(path: path)
    }
    return FileIdentity(status)
  }

  func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  func names(in path: String) throws(SystemError) -> [String] {
    guard let directory = opendir(path) else {
      if errno == ENOENT { return [] }
      throw SystemError(path: path)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  func makeDirectory(at path: String) throws(SystemError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    if errno == EEXIST { return false }
    throw SystemError(path: path)
  }

  func rename(_ path: String, to target: String) throws(SystemError) {
    guard renameFile(path, target) == 0 else { throw SystemError(path: target) }
  }

  func unlink(_ path: String) throws(SystemError) -> Bool {
    if unlinkFile(path) == 0 { return true }
    if errno == ENOENT { return false }
    throw SystemError(path: path)
  }

  func removeDirectory(at path: String) throws(SystemError) -> Bool {
    if rmdir(path) == 0 { return true }
    if errno == ENOENT { return false }
    throw SystemError(path: path)
  }
}

// The functions of the system, after which methods above are named; what records a disk's calls knows them by these names.
private func renameFile(_ path: String, _ target: String) -> Int32 { rename(path, target) }
private func unlinkFile(_ path: String) -> Int32 { unlink(path) }

/// A descriptor of the system.
private final class SystemFile: StoreFile {
  let path: String
  private let descriptor: Int32

  init(_ path: String, _ flags: Int32) throws(SystemError) {
    self.path = path
    descriptor = open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(path: path) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    guard count >= 0 else { throw SystemError(path: path) }
    return count
  }

  func write(at offset: Int, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    guard count >= 0 else { throw SystemError(path: path) }
    return count
  }

  func truncate(to byteCount: Int) throws(SystemError) {
    guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw SystemError(path: path) }
  }

  func sync() throws(SystemError) {
    #if canImport(Darwin)
      // fcntl(2): fsync "will not flush the drive's cache"; F_FULLFSYNC does.
      guard fcntl(descriptor, F_FULLFSYNC) != -1 || fsync(descriptor) == 0 else { throw SystemError(path: path) }
    #else
      guard fsync(descriptor) == 0 else { throw SystemError(path: path) }
    #endif
  }

  func lock() throws(SystemError) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw SystemError(path: path) }
    return false
  }

  func unlock() {
    flock(descriptor, LOCK_UN)
  }
}

extension FileUse {
  fileprivate var flags: Int32 {
    switch self {
    case .reading: O_RDONLY
    case .directory: O_RDONLY | O_DIRECTORY
    case .updating: O_RDWR | O_CREAT
    case .making: O_WRONLY | O_CREAT
    case .replacing: O_WRONLY | O_CREAT | O_TRUNC
    }
  }
}

extension SystemError {
  /// Takes the code of the call that just failed.
  fileprivate init(path: String) {
    self.init(code: errno, path: path)
  }

  static var full: Int32 { ENOSPC }

  package var description: String { "\(path): \(String(cString: strerror(code)))" }

  /// The disk, or our rights on it, allow no writing; reading may still work.
  var refusesWriting: Bool { [EROFS, EACCES, EPERM].contains(code) || isFull }
  var isFull: Bool { code == ENOSPC || code == EDQUOT }
  var isMissing: Bool { code == ENOENT }
}

extension FileIdentity {
  fileprivate init(_ status: stat) {
    #if canImport(Darwin)
      let time = status.st_ctimespec
    #else
      let time = status.st_ctim
    #endif
    self.init(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino),
      byteCount: Int64(status.st_size), changed: (Int(time.tv_sec), Int(time.tv_nsec)))
  }
}
