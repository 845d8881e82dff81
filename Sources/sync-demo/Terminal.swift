import Foundation

/// The few things the demonstration asks of a terminal.
enum Terminal {
  static var isInteractive: Bool {
    isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Colours unless NO_COLOR says otherwise (no-color.org).
  static var hasColours: Bool {
    isInteractive && ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty ?? true
  }

  static func size() -> (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (100, 30) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// The alternate screen without a cursor; `leave` gives back what was there, also after Ctrl-C.
  static func enter() {
    write("\u{1B}[?1049h\u{1B}[?25l")
    signal(SIGINT) { number in
      Terminal.leave()
      _exit(128 + number)
    }
    signal(SIGTERM) { number in
      Terminal.leave()
      _exit(128 + number)
    }
  }

  /// Only a `write` of constant bytes, so that a signal handler may call it.
  static func leave() {
    let bytes: StaticString = "\u{1B}[?25h\u{1B}[?1049l"
    _ = Foundation.write(STDOUT_FILENO, bytes.utf8Start, bytes.utf8CodeUnitCount)
  }

  /// Draws over what stands, line by line, so that nothing flickers.
  static func draw(_ lines: [String]) {
    write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
  }

  /// Pads by what is seen: colour sequences take no space.
  static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - seenLength(text)))
  }

  /// Cuts what is seen to `width`, keeping colour sequences whole.
  static func cut(_ text: String, to width: Int) -> String {
    guard seenLength(text) > width else { return text }
    var seen = 0
    var result = ""
    var isEscape = false
    for character in text {
      if character == "\u{1B}" { isEscape = true }
      if !isEscape {
        guard seen < width - 1 else { break }
        seen += 1
      }
      result.append(character)
      if isEscape, character == "m" { isEscape = false }
    }
    return result + "…\u{1B}[0m"
  }

  private static func seenLength(_ text: String) -> Int {
    var count = 0
    var isEscape = false
    for character in text {
      if character == "\u{1B}" {
        isEscape = true
      } else if isEscape {
        isEscape = character != "m"
      } else {
        count += 1
      }
    }
    return count
  }

  private static func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }
}
