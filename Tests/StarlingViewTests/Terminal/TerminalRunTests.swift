import StarlingTerminal
import StarlingView
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

private struct Counter: View {
  @State private var count = 0
  @State private var name = ""

  var body: some View {
    Text("count \(count)")
    Button("Add") { count += 1 }
    TextField("Name", text: $name)
    Text("hello \(name).").task { name = "you" }
  }
}

/// Over a pseudo terminal, each in a process of its own: a process has one terminal.
@Suite(.serialized) struct `A host in a terminal` {
  @Test func `shows views, takes keys and gives the terminal back`() async {
    let terminal = TerminalPerson()
    let before = terminal.modes
    let person = Task.detached { () -> [String] in
      // Of what changed only the difference comes.
      var seen = [terminal.read(until: "you.")]
      terminal.type("\t\r")
      seen.append(terminal.read(until: "1"))
      terminal.type("\u{1B}[B!")
      seen.append(terminal.read(until: "!."))
      terminal.type("\u{3}")
      return seen
    }
    await #expect(processExitsWith: .success) { [path = terminal.path as String] in
      setenv("TERM", "xterm-256color", 1)
      setenv("LANG", "C.UTF-8", 1)
      try await TerminalHost { Counter() }.run(on: open(path, O_RDWR | O_NOCTTY))
    }
    let seen = await person.value
    #expect(seen[0].hasPrefix("\u{1B}[?1049h") && seen[0].contains("count 0"))
    #expect(seen[1].utf8.count < 200, "what did not change is not sent again")
    #expect(!seen[2].contains("count"))
    #expect(terminal.read().hasSuffix("\u{1B}[?1049l"))
    #expect(terminal.modes == before)
  }

  @Test func `draws anew in a window of another size`() async {
    let terminal = TerminalPerson()
    let person = Task.detached { () -> String in
      let first = terminal.read(until: "the end")
      let id = pid_t(first.split(separator: "#").last?.prefix { $0 != ";" } ?? "") ?? 0
      terminal.resize(columns: 20, rows: 5)
      // The terminal does not control that process, so that the system does not tell it.
      kill(id, SIGWINCH)
      let seen = terminal.read(until: "the end")
      terminal.type("\u{3}")
      return seen
    }
    await #expect(processExitsWith: .success) { [path = terminal.path as String] in
      setenv("TERM", "xterm", 1)
      setenv("LANG", "C.UTF-8", 1)
      try await TerminalHost {
        Text("\(String(repeating: "long ", count: 10))#\(getpid());")
        Text("the end")
      }.run(on: open(path, O_RDWR | O_NOCTTY))
    }
    #expect(await person.value.contains("\u{1B}[2J"))
  }

  @Test func `is refused where there is no terminal`() async {
    await #expect(throws: (any Error).self) { try await TerminalHost { Text("") }.run(on: -1) }
  }
}

/// A pseudo terminal, as the person before it.
private final class TerminalPerson: Sendable {
  let path: String
  private let program: Int32
  private let person: Int32

  init() {
    var ends: (person: Int32, program: Int32) = (-1, -1)
    precondition(openpty(&ends.person, &ends.program, nil, nil, nil) == 0, "no pseudo terminal is left")
    (person, program) = ends
    path = String(cString: ttyname(program))
    resize(columns: 60, rows: 12)
  }

  deinit {
    close(person)
    close(program)
  }

  func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(person, UInt(TIOCSWINSZ), &size)
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    precondition(write(person, bytes, bytes.count) == bytes.count)
  }

  /// Reads until `text` came, and blocks the thread meanwhile.
  func read(until text: String) -> String {
    var found: [UInt8] = []
    while !String(decoding: found, as: UTF8.self).contains(text), let portion = portion() { found += portion }
    return String(decoding: found, as: UTF8.self)
  }

  /// What has come and was not read yet.
  func read() -> String {
    let flags = fcntl(person, F_GETFL)
    _ = fcntl(person, F_SETFL, flags | O_NONBLOCK)
    defer { _ = fcntl(person, F_SETFL, flags) }
    var found: [UInt8] = []
    while let portion = portion() { found += portion }
    return String(decoding: found, as: UTF8.self)
  }

  private func portion() -> ArraySlice<UInt8>? {
    var bytes: [UInt8] = Array(repeating: 0, count: 4096)
    #if canImport(Glibc)
      let count = Glibc.read(person, &bytes, bytes.count)
    #elseif canImport(Musl)
      let count = Musl.read(person, &bytes, bytes.count)
    #else
      let count = Darwin.read(person, &bytes, bytes.count)
    #endif
    return count > 0 ? bytes[..<count] : nil
  }

  var modes: [UInt] {
    var modes = termios()
    precondition(tcgetattr(program, &modes) == 0)
    return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag].map { UInt($0) }
  }
}
