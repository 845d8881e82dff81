#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is written to standard error while a session has the terminal: it would fall into the midst of a frame, and the
/// last words of a crash would go with the screen. A file without a name keeps it until the terminal is given back.
///
/// `divert` and `deliver` call nothing but what signal-safety(7) lists.
struct KeptErrors {
  /// Where standard error goes until then; -1 where it is not the terminal, and stays what it is.
  private let file: Int32
  /// Standard error as it was.
  private let original: Int32

  /// Of more than so much the end is delivered.
  private static let byteCountMax: off_t = 1 << 16

  static let none = KeptErrors(file: -1, original: -1)

  private init(file: Int32, original: Int32) {
    self.file = file
    self.original = original
  }

  /// - Parameter terminal: What the session draws on.
  init(besides terminal: Int32) {
    var (drawn, written) = (stat(), stat())
    guard isatty(STDERR_FILENO) == 1, fstat(terminal, &drawn) == 0, fstat(STDERR_FILENO, &written) == 0,
      drawn.st_rdev == written.st_rdev
    else {
      self = .none
      return
    }
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = (folder + "/starling-XXXXXX").utf8CString.map { $0 }
    let file = mkstemp(&name)
    let original = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    if file >= 0 {
      unlink(name)
      _ = fcntl(file, F_SETFD, FD_CLOEXEC)
      _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_APPEND)
    }
    self.init(file: file, original: original)
    guard file < 0 || original < 0 else { return }
    shut()
    self = .none
  }

  /// Keeps what is written from now on.
  func divert() {
    guard file >= 0 else { return }
    ftruncate(file, 0)
    dup2(file, STDERR_FILENO)
  }

  /// Writes what was kept where it was meant to go, and keeps no more.
  func deliver() {
    guard file >= 0 else { return }
    dup2(original, STDERR_FILENO)
    let end = lseek(file, 0, SEEK_END)
    lseek(file, end > Self.byteCountMax ? end - Self.byteCountMax : 0, SEEK_SET)
    var portion: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    while true {
      let count = read(file, &portion, 32)
      guard count > 0 else { return }
      _ = write(original, &portion, count)
    }
  }

  func shut() {
    if file >= 0 { close(file) }
    if original >= 0 { close(original) }
  }
}
