#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A terminal whose person is the test.
public final class PseudoTerminal: Sendable {
  /// What a program opens, by descriptor and by name.
  public let descriptor: Int32
  public let path: String
  private let person: Int32

  public init(columns: Int = 40, rows: Int = 10) {
    var ends: (person: Int32, program: Int32) = (-1, -1)
    precondition(openpty(&ends.person, &ends.program, nil, nil, nil) == 0, "no pseudo terminal is left")
    (person, descriptor) = ends
    path = String(cString: ttyname(descriptor))
    _ = fcntl(person, F_SETFL, fcntl(person, F_GETFL) | O_NONBLOCK)
    resize(columns: columns, rows: rows)
  }

  deinit {
    close(descriptor)
    close(person)
  }

  public func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(person, UInt(TIOCSWINSZ), &size)
  }

  public func type(_ text: String) {
    let bytes = Array(text.utf8)
    precondition(write(person, bytes, bytes.count) == bytes.count)
  }

  /// What has come to the screen and was not read yet.
  public func read() -> String {
    var found: [UInt8] = []
    while let portion = readPortion() { found += portion }
    return Self.shown(found)
  }

  /// Reads until `text` came, and blocks the thread until then.
  ///
  /// - Returns: All that came.
  public func read(until text: String) -> String {
    let flags = fcntl(person, F_GETFL)
    _ = fcntl(person, F_SETFL, flags & ~O_NONBLOCK)
    defer { _ = fcntl(person, F_SETFL, flags) }
    var found: [UInt8] = []
    while !Self.shown(found).contains(text), let portion = readPortion() { found += portion }
    return Self.shown(found)
  }

  private func readPortion() -> ArraySlice<UInt8>? {
    var bytes: [UInt8] = Array(repeating: 0, count: 65_536)
    #if canImport(Glibc)
      let count = Glibc.read(person, &bytes, bytes.count)
    #elseif canImport(Musl)
      let count = Musl.read(person, &bytes, bytes.count)
    #else
      let count = Darwin.read(person, &bytes, bytes.count)
    #endif
    return count > 0 ? bytes[..<count] : nil
  }

  /// The modes as a shell would find them: input, output, control, local.
  public var modes: [UInt] {
    var modes = termios()
    precondition(tcgetattr(descriptor, &modes) == 0)
    return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag].map { UInt($0) }
  }

  /// Whether lines are edited and keys echoed by the system, and Ctrl+C is a signal.
  public var isAsShellsHaveIt: Bool {
    var modes = termios()
    precondition(tcgetattr(descriptor, &modes) == 0)
    return UInt(modes.c_lflag) & UInt(ECHO | ICANON | ISIG) == UInt(ECHO | ICANON | ISIG)
      && UInt(modes.c_oflag) & UInt(OPOST) != 0
  }

  /// With the escape character where one can read it.
  public static func shown(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).replacing("\u{1B}", with: "␛")
  }
}
