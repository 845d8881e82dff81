import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What brings the terminal back, whatever ends the process: all of it in memory that stays where it is, so that a
/// signal handler finds it.
///
/// ```
///   crash              SEGV BUS ILL FPE TRAP ABRT ┐  the terminal is given back, then the signal is raised again
///   somebody's wish    INT TERM HUP QUIT          ┘  for whoever had it before us
///   exit(3)                                          the terminal is given back
///   stop, go on        TSTP CONT                  ┐
///   window             WINCH                      ┘  a letter to the session's thread, which does the rest
/// ```
///
/// A wish that the program handles itself, or ignores, is its own business; it ends the session in its own time.
///
/// signal-safety(7) lists what a handler may call: `write`, `read`, `lseek`, `dup2`, `tcsetattr`, `poll`, `sigaction`
/// and `raise` are all that these call. They allocate nothing and take no lock of Swift's.
struct TerminalRestoration: ~Copyable {
  /// Whether the terminal is in the session's modes. Whoever sets it to false gives the terminal back.
  let isDue = Atomic(false)
  /// The terminal.
  var descriptor: Int32 = -1
  /// The terminal's modes as a shell has them, and as the session does.
  var cooked = termios()
  var raw = termios()
  /// What turns the session's modes on and off.
  let entering = UnsafeMutableRawPointer.allocate(byteCount: byteCountMax, alignment: 1)
  var enteringByteCount = 0
  let leaving = UnsafeMutableRawPointer.allocate(byteCount: byteCountMax, alignment: 1)
  var leavingByteCount = 0
  /// What would disturb the screen.
  var errors = KeptErrors.none
  /// Where letters to the session's thread are dropped.
  var letterBox: Int32 = -1
  /// What was done at each signal before, by its number.
  let before: UnsafeMutablePointer<sigaction>

  /// Letters to the thread.
  enum Letter {
    static let stop = UInt8(ascii: "t")
    static let continued = UInt8(ascii: "c")
    static let resized = UInt8(ascii: "w")
    static let wake = UInt8(ascii: "g")
    static let end = UInt8(ascii: "q")
  }

  private static let signalCount = 64
  fileprivate static let byteCountMax = 256
  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT]
  private static let wishes = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  private init() {
    before = .allocate(capacity: Self.signalCount)
    before.initialize(repeating: sigaction(), count: Self.signalCount)
  }

  /// The one of this process, which a handler may look at for as long as the process lives.
  static let shared: Shared = {
    let place = UnsafeMutablePointer<TerminalRestoration>.allocate(capacity: 1)
    place.initialize(to: TerminalRestoration())
    restoration = place
    atexit { giveBackTerminal() }
    return Shared(place: place)
  }()

  /// Sendable, though it is a pointer: what it points to is changed by the one session alone, before the handlers are
  /// there, and read after that.
  struct Shared: @unchecked Sendable {
    fileprivate let place: UnsafeMutablePointer<TerminalRestoration>
  }
}

/// Where the handlers look. Written once, before there are any; a global that were computed at its first use would
/// lock.
nonisolated(unsafe) private var restoration: UnsafeMutablePointer<TerminalRestoration>?

extension TerminalRestoration.Shared {
  /// Puts the terminal into the session's modes, and sees to it that it comes back.
  ///
  /// - Returns: false where the terminal refuses; then nothing has changed.
  func begin(descriptor: Int32, letterBox: Int32, modes: TerminalModes) -> Bool {
    guard tcgetattr(descriptor, &place.pointee.cooked) == 0 else { return false }
    place.pointee.raw = place.pointee.cooked
    cfmakeraw(&place.pointee.raw)
    place.pointee.descriptor = descriptor
    place.pointee.letterBox = letterBox
    place.pointee.errors = KeptErrors(besides: descriptor)
    place.pointee.enteringByteCount = Self.keep(modes.enteringBytes, at: place.pointee.entering)
    place.pointee.leavingByteCount = Self.keep(modes.leavingBytes, at: place.pointee.leaving)
    giveCrashesAStack()
    installHandlers()
    if enter() { return true }
    returnSignals()
    forgetErrors()
    return false
  }

  /// Puts the terminal into the session's modes again, after the process was stopped.
  @discardableResult func enter() -> Bool {
    place.pointee.isDue.store(true, ordering: .sequentiallyConsistent)
    guard tcsetattr(place.pointee.descriptor, TCSANOW, &place.pointee.raw) == 0 else {
      place.pointee.isDue.store(false, ordering: .sequentiallyConsistent)
      return false
    }
    place.pointee.errors.divert()
    writeWhole(place.pointee.descriptor, place.pointee.entering, place.pointee.enteringByteCount)
    return true
  }

  /// Gives the terminal back; nothing if it was given back before.
  func giveBack() { giveBackTerminal() }

  /// Gives the terminal back, and the signals to whoever had them.
  func end() {
    giveBackTerminal()
    returnSignals()
    forgetErrors()
  }

  private func forgetErrors() {
    place.pointee.errors.shut()
    place.pointee.errors = .none
  }

  private func returnSignals() {
    for signal in TerminalRestoration.all { place.pointee.before[Int(signal)].install(for: signal) }
  }

  /// Stops the process as the person wished, and goes on when it is continued: the session's thread does this, so
  /// that nothing is drawn until then.
  func stop() {
    giveBackTerminal()
    let ours = (sigaction(of: SIGTSTP), sigaction(of: SIGCONT))
    sigaction().install(for: SIGTSTP)
    // Else the handler would tell the thread what it finds out by itself.
    sigaction().install(for: SIGCONT)
    var stop = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, nil)
    raise(SIGTSTP)
    ours.0.install(for: SIGTSTP)
    ours.1.install(for: SIGCONT)
    enter()
  }

  private func installHandlers() {
    for signal in TerminalRestoration.all { place.pointee.before[Int(signal)] = sigaction(of: signal) }
    for signal in TerminalRestoration.crashes { sigaction(giveBackAndRaise, flags: SA_ONSTACK).install(for: signal) }
    for signal in TerminalRestoration.wishes where place.pointee.before[Int(signal)].isStandard {
      sigaction(giveBackAndRaise, flags: SA_ONSTACK).install(for: signal)
    }
    sigaction({ _ in drop(TerminalRestoration.Letter.stop) }, flags: SA_RESTART).install(for: SIGTSTP)
    sigaction({ _ in drop(TerminalRestoration.Letter.continued) }, flags: SA_RESTART).install(for: SIGCONT)
    sigaction({ _ in drop(TerminalRestoration.Letter.resized) }, flags: SA_RESTART).install(for: SIGWINCH)
  }

  private static func keep(_ bytes: [UInt8], at place: UnsafeMutableRawPointer) -> Int {
    precondition(bytes.count <= TerminalRestoration.byteCountMax, "\(bytes.count) bytes of modes")
    place.copyMemory(from: bytes, byteCount: bytes.count)
    return bytes.count
  }

  /// A thread that has used up its stack runs a handler on another, if it has one: ours, usually the main one, gets
  /// one.
  private func giveCrashesAStack() {
    var present = stack_t()
    guard sigaltstack(nil, &present) == 0, present.ss_flags & Int32(SS_DISABLE) != 0 else { return }
    let byteCount = 1 << 16
    var stack = stack_t()
    stack.ss_sp = .allocate(byteCount: byteCount, alignment: 16)
    stack.ss_size = byteCount
    sigaltstack(&stack, nil)
  }
}

extension TerminalRestoration {
  fileprivate static let all = crashes + wishes + [SIGTSTP, SIGCONT, SIGWINCH]
}

// MARK: What handlers call

private func giveBackAndRaise(_ signal: Int32) {
  giveBackTerminal()
  if let restoration { sigaction(signal, restoration.pointee.before + Int(signal), nil) }
  // It is held back until the handler returns; then it finds whoever was there before us.
  raise(signal)
}

/// Modes first: then whoever reads the bytes finds the modes as a shell has them.
private func giveBackTerminal() {
  guard let restoration, restoration.pointee.isDue.exchange(false, ordering: .sequentiallyConsistent) else { return }
  tcsetattr(restoration.pointee.descriptor, TCSANOW, &restoration.pointee.cooked)
  writeWhole(restoration.pointee.descriptor, restoration.pointee.leaving, restoration.pointee.leavingByteCount)
  restoration.pointee.errors.deliver()
}

private func drop(_ letter: UInt8) {
  guard let restoration else { return }
  let error = errno
  var letter = letter
  _ = write(restoration.pointee.letterBox, &letter, 1)
  errno = error
}

/// Waits a moment for a terminal that takes no more, and then does without it.
private func writeWhole(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ byteCount: Int) {
  var place = bytes
  var rest = byteCount
  while rest > 0 {
    let count = write(descriptor, place, rest)
    if count > 0 {
      place = place.advanced(by: count)
      rest -= count
    } else if errno == EAGAIN {
      var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&polled, 1, 200) <= 0 { return }
    } else if errno != EINTR {
      return
    }
  }
}
