import StarlingTestSupport
import Testing

@testable import StarlingTerminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a program that ends in one way or other leaves behind: each runs in a process of its own.
@Suite(.serialized) struct `A terminal whose program` {
  private func expectGivenBack(_ terminal: PseudoTerminal, _ before: [UInt]) {
    let screen = terminal.read()
    #expect(screen.hasPrefix(PseudoTerminal.begin()))
    #expect(screen.hasSuffix("here" + PseudoTerminal.end()))
    #expect(screen.matches(of: /␛\[\?1049l/).count == 1, "given back once")
    #expect(terminal.modes == before)
  }

  @Test func `crashes is given back`() async {
    let terminal = PseudoTerminal()
    let before = terminal.modes
    await #expect(processExitsWith: .failure) { [path = terminal.path as String] in
      await Child.show("here", at: path)
      fatalError("This was to happen.")
    }
    expectGivenBack(terminal, before)
  }

  @Test func `crashes shows its last words`() async {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .failure) { [path = terminal.path as String] in
      dup2(open(path, O_RDWR | O_NOCTTY), STDERR_FILENO)
      await Child.show("here", at: path)
      fatalError("This was to happen.")
    }
    let screen = terminal.read()
    let parts = screen.split(separator: PseudoTerminal.end())
    #expect(parts.count == 2 && parts.first?.hasSuffix("here") == true, "\(screen)")
    #expect(parts.last?.contains("This was to happen.") == true)
  }

  @Test(arguments: [SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func `is ended by a signal is given back`(_ signal: Int32) async {
    let terminal = PseudoTerminal()
    let before = terminal.modes
    // It is the same signal that ends it, as if nobody had handled it.
    await #expect(processExitsWith: .signal(signal)) { [path = terminal.path as String, signal = signal as Int32] in
      await Child.show("here", at: path)
      kill(getpid(), signal)
      Child.wait()
    }
    expectGivenBack(terminal, before)
  }

  @Test func `recurses without end is given back`() async {
    let terminal = PseudoTerminal()
    let before = terminal.modes
    await #expect(processExitsWith: .signal(SIGSEGV)) { [path = terminal.path as String] in
      await Child.show("here", at: path)
      await MainActor.run { _ = Child.recurse(1) }
    }
    expectGivenBack(terminal, before)
  }

  @Test func `exits is given back`() async {
    let terminal = PseudoTerminal()
    let before = terminal.modes
    await #expect(processExitsWith: .exitCode(3)) { [path = terminal.path as String] in
      await Child.show("here", at: path)
      exit(3)
    }
    expectGivenBack(terminal, before)
  }

  @Test func `handles signals itself is left to it`() async {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .exitCode(7)) { [path = terminal.path as String] in
      sigaction({ _ in _exit(7) }, flags: 0).install(for: SIGTERM)
      await Child.show("here", at: path)
      kill(getpid(), SIGTERM)
      Child.wait()
    }
    #expect(terminal.read().hasSuffix("here"))
  }

  @Test func `is stopped is given back until it goes on`() async {
    let terminal = PseudoTerminal()
    let before = terminal.modes
    let person = Task.detached { () -> [String] in
      let id = pid_t(terminal.read(until: ";").split(separator: "=").last?.dropLast() ?? "") ?? 0
      kill(id, SIGTSTP)
      let stopped = terminal.read(until: PseudoTerminal.end())
      var report = [stopped, terminal.modes == before ? "given back" : "kept"]
      // It is stopped once the system says so; going on before that would be too early.
      var information = siginfo_t()
      waitid(P_PID, id_t(id), &information, WSTOPPED | WNOWAIT)
      kill(id, SIGCONT)
      report.append(terminal.read(until: "again"))
      report.append(terminal.isAsShellsHaveIt ? "left" : "taken again")
      kill(id, SIGTERM)
      return report
    }
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = terminal.path as String] in
      // Stopped only with a parent in another group, as shells see to: else nobody would tell it to go on.
      setpgid(0, 0)
      let session = await Child.show("id=\(getpid());", at: path)
      for await event in session.events where event == .resumed { session.send(Array("again".utf8)) }
    }
    #expect(
      await person.value == [PseudoTerminal.end(), "given back", PseudoTerminal.begin() + "again", "taken again"])
    #expect(terminal.modes == before)
  }

  @Test func `is stopped without being asked is taken again when it goes on`() async {
    let terminal = PseudoTerminal()
    let person = Task.detached { () -> [String] in
      let id = pid_t(terminal.read(until: ";").split(separator: "=").last?.dropLast() ?? "") ?? 0
      kill(id, SIGSTOP)
      var information = siginfo_t()
      waitid(P_PID, id_t(id), &information, WSTOPPED | WNOWAIT)
      // The shell takes the terminal.
      var modes = termios()
      tcgetattr(terminal.descriptor, &modes)
      modes.c_lflag |= tcflag_t(ECHO | ICANON | ISIG)
      modes.c_oflag |= tcflag_t(OPOST)
      tcsetattr(terminal.descriptor, TCSANOW, &modes)
      kill(id, SIGCONT)
      let screen = terminal.read(until: "again")
      defer { kill(id, SIGTERM) }
      return [screen, terminal.isAsShellsHaveIt ? "left" : "taken again"]
    }
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = terminal.path as String] in
      setpgid(0, 0)
      let session = await Child.show("id=\(getpid());", at: path)
      for await event in session.events where event == .resumed { session.send(Array("again".utf8)) }
    }
    #expect(await person.value == [PseudoTerminal.begin() + "again", "taken again"])
  }
}

/// What the process of a test's own does.
private enum Child {
  /// Keeps the session until the process ends.
  @MainActor private static var session: TerminalSession?

  /// Begins a session, and returns once `text` is on the screen.
  @MainActor @discardableResult static func show(_ text: String, at path: String) async -> TerminalSession {
    let session = try! TerminalSession(open(path, O_RDWR | O_NOCTTY))
    Self.session = session
    session.send(Array(text.utf8))
    for await event in session.events where event == .sent { break }
    return session
  }

  static func wait() {
    while true { pause() }
  }

  @inline(never) static func recurse(_ depth: Int) -> Int {
    depth < 0 ? 0 : recurse(depth + 1) + recurse(depth + 2)
  }
}
