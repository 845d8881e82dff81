import StarlingTestSupport
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
    let terminal = PseudoTerminal(columns: 60, rows: 12)
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
    #expect(seen[0].hasPrefix("␛[?1049h") && seen[0].contains("count 0"))
    #expect(seen[1].utf8.count < 200, "what did not change is not sent again")
    #expect(!seen[2].contains("count"))
    #expect(terminal.read().hasSuffix("␛[?1049l"))
    #expect(terminal.modes == before)
  }

  @Test func `draws again in a window of another size`() async {
    let terminal = PseudoTerminal(columns: 60, rows: 12)
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
    #expect(await person.value.contains("␛[2J"))
  }

  @Test func `is refused where there is no terminal`() async {
    await #expect(throws: (any Error).self) { try await TerminalHost { Text("") }.run(on: -1) }
  }
}
