import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file to which lines are appended, which nobody but its owner reads. Where it was moved away, as tools do that keep
/// such files short, it is made again.
struct AuditFile: ~Copyable {
  let path: String
  private var descriptor: Int32

  /// - Throws: `AuditError(.unwritable)` where it cannot be opened, or is no file; `.open` where others may read it.
  init(_ path: String) throws(AuditError) {
    self.path = path
    descriptor = try Self.open(path)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Hands the text to the system in one piece, as far as it takes it so.
  mutating func append(_ text: String) throws(AuditError) {
    if !isInPlace {
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
      descriptor = try Self.open(path)
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .ofSystem("The audit log '\(path)' cannot be written") }
      rest = rest.dropFirst(count)
    }
  }

  /// Whether what is open still stands under the name.
  private var isInPlace: Bool {
    var (here, there) = (stat(), stat())
    return descriptor >= 0 && fstat(descriptor, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino
      && here.st_dev == there.st_dev
  }

  private static func open(_ path: String) throws(AuditError) -> Int32 {
    // "O_NOFOLLOW: If the trailing component of path is a symbolic link, then the open fails" (open(2)): somebody
    // else's link must not have us append to another file. O_NONBLOCK, as a pipe would have us wait for its reader.
    let opened = openFile(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard opened >= 0 else { throw .ofSystem("The audit log '\(path)' cannot be opened") }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw AuditError(.unwritable, "The audit log '\(path)' is no file.")
    }
    guard status.st_mode & 0o077 == 0 else {
      close(opened)
      throw AuditError(.open, "The audit log '\(path)' may be read by others. Close it: chmod 600 '\(path)'")
    }
    return opened
  }
}

/// The system's, whose name the type above uses for its own.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

/// What is wrong with an audit log, in words for the person who must act on it.
public struct AuditError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, for a program to switch on.
  public enum Code: Sendable, Hashable {
    /// It cannot be opened or written.
    case unwritable
    /// Others may read it.
    case open
  }

  /// What went wrong, for a program to switch on.
  public var code: Code
  /// What happened and what to do, for people.
  public var message: String

  /// Makes an error of a code and a message.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }

  fileprivate static func ofSystem(_ what: String) -> AuditError {
    AuditError(.unwritable, "\(what): \(String(cString: strerror(errno))).")
  }
}
