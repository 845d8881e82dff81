import Foundation

/// The few things that the demonstration asks of a terminal itself; StarlingView does the rest.
enum Terminal {
  /// Whether standard output is a terminal that can show more than lines.
  static var showsPictures: Bool {
    isatty(STDOUT_FILENO) == 1 && !["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "")
  }

  static func size() -> (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}
