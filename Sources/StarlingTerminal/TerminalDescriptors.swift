#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a session has open: the terminal, and a pipe by which signals and other threads wake its thread.
struct TerminalDescriptors: Sendable {
  /// Opened again: that it blocks nobody is a matter of the open file, which others share with us.
  let terminal: Int32
  let letters: Int32
  let letterBox: Int32

  /// - Parameter descriptor: Any that is open on the terminal.
  init(terminalOf descriptor: Int32) throws(TerminalError) {
    guard isatty(descriptor) == 1 else {
      throw TerminalError(.notATerminal, "Descriptor \(descriptor) is no terminal. Run the program in one.")
    }
    var ends: (Int32, Int32) = (-1, -1)
    let hasPipe = withUnsafeMutableBytes(of: &ends) { pipe($0.assumingMemoryBound(to: Int32.self).baseAddress!) == 0 }
    guard hasPipe else { throw Self.refusal("No pipe is left") }
    for end in [ends.0, ends.1] {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
    }
    (letters, letterBox) = ends
    var name: [CChar] = Array(repeating: 0, count: 1024)
    let isNamed = ttyname_r(descriptor, &name, name.count) == 0
    let reopened = isNamed ? open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1
    // Without a name, as in a container that lacks the folder of terminals, the caller's is shared: a terminal that
    // takes nothing then blocks the session's thread, and no one else.
    terminal = reopened >= 0 ? reopened : fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard terminal >= 0 else {
      let refusal = Self.refusal("The terminal cannot be opened")
      shut()
      throw refusal
    }
  }

  func shut() {
    for descriptor in [terminal, letters, letterBox] where descriptor >= 0 { close(descriptor) }
  }

  /// Takes the code of the call that just failed.
  private static func refusal(_ what: String) -> TerminalError {
    TerminalError(.unavailable, "\(what): \(String(cString: strerror(errno))).")
  }
}
