#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the system said when a call failed.
struct SystemError: Error, CustomStringConvertible {
  let code: Int32
  let path: String

  /// Takes the code of the call that just failed.
  init(path: String) {
    code = errno
    self.path = path
  }

  var description: String { "\(path): \(String(cString: strerror(code)))" }

  /// The disk, or our rights on it, allow no writing; reading may still work.
  var refusesWriting: Bool { [EROFS, EACCES, EPERM].contains(code) || isFull }
  var isFull: Bool { code == ENOSPC || code == EDQUOT }
}

/// A file by what it is rather than by its name: two of a kind only if nobody replaced, restored or
/// rewrote it in between.
struct FileIdentity: Equatable {
  let device: UInt64
  let inode: UInt64
  let byteCount: Int64
  /// When the file was last written, renamed or had its rights changed. The system sets it; unlike
  /// the time of modification it cannot be restored.
  let changed: (seconds: Int, nanoseconds: Int)

  /// Nil if there is no file at `path`.
  init?(of path: String) throws(SystemError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw SystemError(path: path)
    }
    self.init(status)
  }

  fileprivate init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    byteCount = Int64(status.st_size)
    #if canImport(Darwin)
      let time = status.st_ctimespec
    #else
      let time = status.st_ctim
    #endif
    changed = (Int(time.tv_sec), Int(time.tv_nsec))
  }

  static func == (left: FileIdentity, right: FileIdentity) -> Bool {
    left.isSameFile(as: right) && left.byteCount == right.byteCount && left.changed == right.changed
  }

  /// Whether it is one file, whatever was written to it since.
  func isSameFile(as other: FileIdentity) -> Bool {
    device == other.device && inode == other.inode
  }
}

/// An open file, closed with the value.
struct OpenFile: ~Copyable {
  let path: String
  private let descriptor: Int32

  static var reading: Int32 { O_RDONLY }
  /// Flags for a file that is written in place, and made if it was not there.
  static var updating: Int32 { O_RDWR | O_CREAT }
  /// Flags for a file that is to be there, empty if it was not.
  static var making: Int32 { O_WRONLY | O_CREAT }

  /// - Parameter permissions: of a file that `flags` let the call make.
  init(_ path: String, _ flags: Int32, permissions: mode_t = 0o600) throws(SystemError) {
    descriptor = open(path, flags | O_CLOEXEC, permissions)
    self.path = path
    guard descriptor >= 0 else { throw SystemError(path: path) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func identity() throws(SystemError) -> FileIdentity {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError(path: path) }
    return FileIdentity(status)
  }

  /// False if somebody else holds the lock. It ends with `unlock`, or with the process.
  func lockExclusively() throws(SystemError) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw SystemError(path: path) }
    return false
  }

  /// Closing is not enough: a program that another thread is beginning holds a copy of every descriptor until it runs,
  /// and the lock ends with the last of them, or with this (flock(2)).
  func unlock() {
    flock(descriptor, LOCK_UN)
  }

  /// Returns once what was written to the file, or to the directory, survives a loss of power.
  func sync() throws(SystemError) {
    #if canImport(Darwin)
      // fcntl(2): fsync "will not flush the drive's cache"; F_FULLFSYNC does.
      guard fcntl(descriptor, F_FULLFSYNC) != -1 || fsync(descriptor) == 0 else { throw SystemError(path: path) }
    #else
      guard fsync(descriptor) == 0 else { throw SystemError(path: path) }
    #endif
  }

  func readAll() throws(SystemError) -> String {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &part, part.count)
      guard count >= 0 else { throw SystemError(path: path) }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(contentsOf: part[..<count])
    }
  }

  /// At most `count` bytes from `offset` on; fewer at the end of the file.
  func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    var isRead = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
      while length < count {
        let step = pread(descriptor, buffer.baseAddress! + length, count - length, off_t(offset + length))
        guard step >= 0 else { return isRead = false }
        if step == 0 { return }
        length += step
      }
    }
    guard isRead else { throw SystemError(path: path) }
    return bytes
  }

  /// Writes `text` over what the file begins with.
  func overwrite(with text: String) throws(SystemError) {
    var text = text
    let written = text.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    guard written == text.utf8.count else { throw SystemError(path: path) }
  }

  /// Makes `text` all that the file holds.
  func replaceAll(with text: String) throws(SystemError) {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw SystemError(path: path) }
    try append(Array(text.utf8))
  }

  /// Writes behind what was written or read last.
  func append(_ bytes: [UInt8]) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw SystemError(path: path) }
      rest = rest.dropFirst(count)
    }
  }
}

/// What the log does to files by name.
enum FileSystem {
  /// Makes the directory, readable by its owner alone, and those above it that are missing.
  static func makeDirectory(_ path: String) throws(SystemError) {
    if mkdir(path, 0o700) == 0 { return try sync(directory: parent(of: path)) }
    switch errno {
    case EEXIST:
      return
    case ENOENT where parent(of: path) != path:
      try makeDirectory(parent(of: path))
      try makeDirectory(path)
    default:
      throw SystemError(path: path)
    }
  }

  /// Nil if there is no such file.
  static func read(_ path: String) throws(SystemError) -> String? {
    do {
      return try OpenFile(path, O_RDONLY).readAll()
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// Replaces the file at `path` so that a crash leaves the old one or the new one, whole.
  static func replace(_ path: String, with text: String) throws(SystemError) {
    let temporary = path + ".new"
    do {
      let file = try OpenFile(temporary, O_WRONLY | O_CREAT | O_TRUNC)
      try file.replaceAll(with: text)
      try file.sync()
    } catch {
      unlink(temporary)
      throw error
    }
    try move(temporary, to: path)
  }

  /// Copies a file's bytes.
  static func copy(_ path: String, to target: String) throws(SystemError) {
    let source = try OpenFile(path, O_RDONLY)
    let copy = try OpenFile(target, O_WRONLY | O_CREAT | O_TRUNC)
    var offset = 0
    while true {
      let bytes = try source.bytes(at: offset, count: 1 << 20)
      guard !bytes.isEmpty else { return try copy.sync() }
      try copy.append(bytes)
      offset += bytes.count
    }
  }

  /// Renames a file, for good once the call returns.
  static func move(_ path: String, to target: String) throws(SystemError) {
    guard rename(path, target) == 0 else { throw SystemError(path: target) }
    try sync(directory: parent(of: target))
  }

  /// Removes a file, for good once the call returns. It need not be there.
  static func remove(_ path: String) throws(SystemError) {
    guard unlink(path) == 0 else {
      if errno == ENOENT { return }
      throw SystemError(path: path)
    }
    try sync(directory: parent(of: path))
  }

  /// The names of what is in a directory; none where there is no such directory.
  private static func names(in path: String) throws(SystemError) -> [String] {
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

  /// Whether nothing is in a directory, or it is not there.
  static func isEmpty(_ path: String) throws(SystemError) -> Bool { try names(in: path).isEmpty }

  static func removeFiles(in path: String) throws(SystemError) {
    for name in try names(in: path) { try remove(path + "/" + name) }
  }

  /// It need not be there.
  static func removeEmptyDirectory(_ path: String) throws(SystemError) {
    guard rmdir(path) == 0 || errno == ENOENT else { throw SystemError(path: path) }
  }

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Forces a file's bytes to the disk.
  static func sync(_ path: String) throws(SystemError) { try OpenFile(path, O_RDONLY).sync() }

  private static func sync(directory: String) throws(SystemError) {
    try OpenFile(directory, O_RDONLY | O_DIRECTORY).sync()
  }

  static func parent(of path: String) -> String {
    var path = path[...]
    while path.count > 1, path.last == "/" { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
