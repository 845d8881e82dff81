/// The disk of a store: every call by which a log reaches files.
///
/// ```
///   SQLiteLog ── lock, mark, marker, names ──────────────► StoreDisk ──► the system's files
///       └────── SQLite ── pages, write-ahead log ── vfs ──────┘           or simulated ones
/// ```
///
/// Each call is one of POSIX, and fails as that does. Backups, checks and moves between directories are no part of it:
/// people run them, on the system's files.
package protocol StoreDisk: Sendable {
  /// The name of the `sqlite3_vfs` by which SQLite reaches the same files; nil for SQLite's own.
  var vfs: String? { get }

  func open(_ path: String, _ use: FileUse) throws(SystemError) -> any StoreFile

  /// Nil if there is no file at `path`.
  func identity(of path: String) throws(SystemError) -> FileIdentity?
  func isDirectory(_ path: String) -> Bool
  /// The names of what is in a directory; none where there is no such directory.
  func names(in path: String) throws(SystemError) -> [String]
  /// - Returns: false where there is something of that name.
  func makeDirectory(at path: String) throws(SystemError) -> Bool
  func rename(_ path: String, to target: String) throws(SystemError)
  /// - Returns: false where there is no such file.
  func unlink(_ path: String) throws(SystemError) -> Bool
  /// - Returns: false where there is no such directory.
  func removeDirectory(at path: String) throws(SystemError) -> Bool
}

/// An open file, closed with its last reference.
package protocol StoreFile: AnyObject, Sendable {
  var path: String { get }

  /// - Returns: how many bytes were read: none at the end of the file.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
  /// - Returns: how many bytes were written, from the first on.
  func write(at offset: Int, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int
  func truncate(to byteCount: Int) throws(SystemError)
  /// Returns once what was written to the file, or to the directory, survives a loss of power.
  func sync() throws(SystemError)
  /// False if somebody else holds the lock. It ends with `unlock`, or with the process.
  func lock() throws(SystemError) -> Bool
  /// Closing is not enough: a program that another thread is beginning holds a copy of every descriptor until it runs,
  /// and the lock ends with the last of them, or with this (flock(2)).
  func unlock()
}

/// For what a file is opened.
package enum FileUse: Sendable {
  case reading
  case directory
  /// It is written in place, and made if it was not there.
  case updating
  /// It is to be there, empty if it was not.
  case making
  /// It is written from the beginning, whatever it held.
  case replacing
}

/// What the system said when a call failed.
package struct SystemError: Error, CustomStringConvertible {
  package let code: Int32
  package let path: String

  package init(code: Int32, path: String) {
    self.code = code
    self.path = path
  }
}

/// A file by what it is rather than by its name: two of a kind only if nobody replaced, restored or
/// rewrote it in between.
package struct FileIdentity: Equatable, Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let byteCount: Int64
  /// When the file was last written, renamed or had its rights changed. The system sets it; unlike
  /// the time of modification it cannot be restored.
  package let changed: (seconds: Int, nanoseconds: Int)

  package init(device: UInt64, inode: UInt64, byteCount: Int64, changed: (seconds: Int, nanoseconds: Int)) {
    self.device = device
    self.inode = inode
    self.byteCount = byteCount
    self.changed = changed
  }

  package static func == (left: FileIdentity, right: FileIdentity) -> Bool {
    left.isSameFile(as: right) && left.byteCount == right.byteCount && left.changed == right.changed
  }

  /// Whether it is one file, whatever was written to it since.
  func isSameFile(as other: FileIdentity) -> Bool {
    device == other.device && inode == other.inode
  }
}

// What the log does to files by name.
extension StoreDisk {
  /// Makes the directory, readable by its owner alone, and those above it that are missing.
  func makeDirectory(_ path: String) throws(SystemError) {
    do {
      if try makeDirectory(at: path) { try sync(directory: Self.parent(of: path)) }
    } catch {
      guard error.isMissing, Self.parent(of: path) != path else { throw error }
      try makeDirectory(Self.parent(of: path))
      try makeDirectory(path)
    }
  }

  /// Nil if there is no such file.
  func read(_ path: String) throws(SystemError) -> String? {
    do {
      return try open(path, .reading).readAll()
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Replaces the file at `path` so that a crash leaves the old one or the new one, whole.
  func replace(_ path: String, with text: String) throws(SystemError) {
    let temporary = path + ".new"
    do {
      let file = try open(temporary, .replacing)
      try file.replaceAll(with: text)
      try file.sync()
    } catch {
      _ = try? unlink(temporary)
      throw error
    }
    try move(temporary, to: path)
  }

  /// Copies a file's bytes.
  func copy(_ path: String, to target: String) throws(SystemError) {
    let source = try open(path, .reading)
    let copy = try open(target, .replacing)
    var offset = 0
    while true {
      let bytes = try source.bytes(at: offset, count: 1 << 20)
      guard !bytes.isEmpty else { return try copy.sync() }
      try copy.write(bytes, at: offset)
      offset += bytes.count
    }
  }

  /// Renames a file, for good once the call returns.
  func move(_ path: String, to target: String) throws(SystemError) {
    try rename(path, to: target)
    try sync(directory: Self.parent(of: target))
  }

  /// Removes a file, for good once the call returns. It need not be there.
  func remove(_ path: String) throws(SystemError) {
    if try unlink(path) { try sync(directory: Self.parent(of: path)) }
  }

  /// Whether nothing is in a directory, or it is not there.
  func isEmpty(_ path: String) throws(SystemError) -> Bool { try names(in: path).isEmpty }

  func removeFiles(in path: String) throws(SystemError) {
    for name in try names(in: path) { try remove(path + "/" + name) }
  }

  /// It need not be there.
  func removeEmptyDirectory(_ path: String) throws(SystemError) { _ = try removeDirectory(at: path) }

  /// Forces a file's bytes to the disk.
  func sync(_ path: String) throws(SystemError) { try open(path, .reading).sync() }

  private func sync(directory: String) throws(SystemError) { try open(directory, .directory).sync() }

  static func parent(of path: String) -> String {
    var path = path[...]
    while path.count > 1, path.last == "/" { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
