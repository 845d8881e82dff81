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

/// One at a time: a process has one session.
@Suite(.serialized) struct `A terminal session` {
  private struct Broken: Error {}

  @Test func `takes the terminal and gives it back as it was`() async throws {
    let terminal = PseudoTerminal()
    let before = terminal.modes
    try await TerminalSession.run(terminal.descriptor, modes: [.screen, .mouse, .focus, .exactKeys]) { session in
      #expect(!terminal.isAsShellsHaveIt)
      #expect(terminal.read() == PseudoTerminal.begin([.screen, .mouse, .focus, .exactKeys]))
      #expect(session.size == CellSize(columns: 40, rows: 10))
    }
    #expect(terminal.modes == before)
    #expect(terminal.read() == PseudoTerminal.end([.screen, .mouse, .focus, .exactKeys]))
  }

  @Test func `turns every mode off that it turned on, the last first`() {
    for raw in 0..<64 as Range<UInt8> {
      let modes = TerminalModes(rawValue: raw)
      let on = PseudoTerminal.begin(modes).matches(of: /\?(\d+)([hl])/).map { ($0.1, $0.2) }
      let off = PseudoTerminal.end(modes).matches(of: /\?(\d+)([hl])/).map { ($0.1, $0.2) }
      for (mode, state) in on {
        #expect(off.contains { $0.0 == mode && $0.1 != state }, "mode \(mode) of \(raw)")
      }
      #expect(PseudoTerminal.begin(modes).contains("␛[>1u") == PseudoTerminal.end(modes).contains("␛[<u"))
    }
    #expect(PseudoTerminal.begin() == "␛[?1049h␛[?7l␛[?25l␛[?2004h")
    #expect(PseudoTerminal.end() == "␛[?2026l␛[0m␛[?2004l␛[?25h␛[?7h␛[?1049l")
  }

  @Test func `gives the terminal back when what runs in it throws`() async throws {
    let terminal = PseudoTerminal()
    let before = terminal.modes
    await #expect(throws: Broken.self) {
      try await TerminalSession.run(terminal.descriptor) { _ in throw Broken() }
    }
    #expect(terminal.modes == before)
    #expect(terminal.read().hasSuffix(PseudoTerminal.end()))
  }

  @Test func `gives the terminal back when nobody holds it any more`() throws {
    let terminal = PseudoTerminal()
    _ = try TerminalSession(terminal.descriptor)
    #expect(terminal.isAsShellsHaveIt)
    #expect(terminal.read().hasSuffix(PseudoTerminal.end()))
  }

  @Test func `tells keys, pastes and escapes`() async throws {
    let terminal = PseudoTerminal()
    try await TerminalSession.run(terminal.descriptor) { session in
      var events = session.events.makeAsyncIterator()
      terminal.type("a漢\u{1B}[A\u{3}\u{1B}[200~x\ny\u{1B}[201~")
      for key in [Key("a"), Key("漢"), Key(.up), Key("c", .control)] {
        #expect(await events.next() == .input(.key(key)))
      }
      #expect(await events.next() == .input(.paste("x\ny")))
      terminal.type("\u{1B}")
      #expect(await events.next() == .input(.key(Key(.escape))))
    }
  }

  @Test func `sends what is larger than the terminal takes at once, and tells when it is out`() async throws {
    let terminal = PseudoTerminal()
    try await TerminalSession.run(terminal.descriptor, modes: []) { session in
      let text = String(repeating: "0123456789", count: 20_000)
      session.send(Array(text.utf8))
      #expect(session.isSending)
      session.send(Array("end".utf8))
      #expect(terminal.read(until: "end") == text + "end")
      var events = session.events.makeAsyncIterator()
      #expect(await events.next() == .sent)
      #expect(!session.isSending)
    }
  }

  @Test func `tells the window's size when it changes`() async throws {
    let terminal = PseudoTerminal()
    try await TerminalSession.run(terminal.descriptor) { session in
      terminal.resize(columns: 100, rows: 30)
      // The terminal is not the one that controls this process.
      kill(getpid(), SIGWINCH)
      var events = session.events.makeAsyncIterator()
      #expect(await events.next() == .resized(CellSize(columns: 100, rows: 30)))
      #expect(session.size == CellSize(columns: 100, rows: 30))
    }
  }

  @Test func `takes a size that nobody knows for the usual one`() async throws {
    let terminal = PseudoTerminal(columns: 0, rows: 0)
    try await TerminalSession.run(terminal.descriptor) { #expect($0.size == CellSize(columns: 80, rows: 24)) }
  }

  @Test func `lets a terminal wait that sends without end, and loses nothing`() async throws {
    let terminal = PseudoTerminal()
    try await TerminalSession.run(terminal.descriptor) { session in
      var events = session.events.makeAsyncIterator()
      // Twice what is held for a reader who does not come.
      for _ in 0..<600 { terminal.type("a") }
      terminal.type("z")
      for _ in 0..<600 { #expect(await events.next() == .input(.key(Key("a")))) }
      #expect(await events.next() == .input(.key(Key("z"))))
    }
  }

  @Test func `ends with the terminal`() async throws {
    let session: TerminalSession
    do {
      let terminal = PseudoTerminal()
      session = try TerminalSession(terminal.descriptor)
    }
    var events = session.events.makeAsyncIterator()
    #expect(await events.next() == .ended)
    #expect(await events.next() == nil)
    session.close()
  }

  @Test func `is refused where there is no terminal, and where there is one already`() throws {
    #expect(throws: TerminalError.self) { try TerminalSession(open("/dev/null", O_RDWR)) }
    let terminal = PseudoTerminal()
    let session = try TerminalSession(terminal.descriptor)
    let refusal = #expect(throws: TerminalError.self) { try TerminalSession(terminal.descriptor) }
    #expect(refusal?.code == .busy)
    session.close()
    try TerminalSession(terminal.descriptor).close()
  }

  @Test func `leaves no descriptor, signal or mode behind`() throws {
    let terminal = PseudoTerminal()
    try TerminalSession(terminal.descriptor).close()
    let before = openCount(of: terminal.descriptor)
    // What each leaves behind shows in every round; what other tests open at the same time does not.
    let growsAlways = try (0..<10).allSatisfy { _ in
      let lowest = lowestFree(terminal.descriptor)
      for _ in 0..<20 { try TerminalSession(terminal.descriptor).close() }
      return lowestFree(terminal.descriptor) >= lowest + 20
    }
    #expect(!growsAlways)
    #expect(openCount(of: terminal.descriptor) == before)
    #expect(
      sigaction(of: SIGTERM).isStandard && sigaction(of: SIGTSTP).isStandard && sigaction(of: SIGWINCH).isStandard)
  }

  /// The descriptor that would be made next.
  private func lowestFree(_ descriptor: Int32) -> Int32 {
    let copy = dup(descriptor)
    close(copy)
    return copy
  }

  /// How many descriptors of this process are open on the same device.
  private func openCount(of descriptor: Int32) -> Int {
    func device(_ descriptor: Int32) -> dev_t? {
      var status = stat()
      return fstat(descriptor, &status) == 0 ? status.st_rdev : nil
    }
    let own = device(descriptor)
    return (0..<getdtablesize()).count { device($0) == own }
  }
}
