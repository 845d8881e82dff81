import StarlingGuard
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The thread that reads the terminal and writes to it, so that nobody else ever waits for it.
///
/// ```
///                 ┌──────────── poll(2) ───────────┐
///   letter box ───┤ a signal, something to send    │
///   terminal   ───┤ keys, space for more bytes     ├──► events
///                 │ time: an escape was a key      │
///                 └────────────────────────────────┘
/// ```
///
/// While nobody takes events it reads no keys: a terminal that sends without end waits as well.
final class TerminalThread: Sendable {
  private struct State {
    /// What is still to be taken by the thread.
    var outgoing: [UInt8] = []
    var isSending = false
    var size: CellSize
  }

  private let state: Guarded<State>
  private let descriptor: Int32
  private let letters: Int32
  private let letterBox: Int32
  private let escapeTime: Duration
  private let events: AsyncStream<TerminalEvent>.Continuation
  /// Events that nobody has taken yet.
  private let eventCount = Atomic(0)

  private static let eventCountMax = 256

  init(
    descriptor: Int32, letters: Int32, letterBox: Int32, size: CellSize, escapeTime: Duration,
    events: AsyncStream<TerminalEvent>.Continuation
  ) {
    self.descriptor = descriptor
    self.letters = letters
    self.letterBox = letterBox
    self.escapeTime = escapeTime
    self.events = events
    state = Guarded(State(size: size))
  }

  // MARK: Any thread

  var size: CellSize { state.withLock { $0.size } }
  var isSending: Bool { state.withLock { $0.isSending } }

  func send(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    state.withLock { state in
      state.outgoing += bytes
      state.isSending = true
    }
    drop(TerminalRestoration.Letter.wake)
  }

  func drop(_ letter: UInt8) {
    var letter = letter
    // A box that is full wakes the thread all the same.
    _ = write(letterBox, &letter, 1)
  }

  func eventWasTaken() {
    let before = eventCount.wrappingSubtract(1, ordering: .sequentiallyConsistent).oldValue
    if before == Self.eventCountMax { drop(TerminalRestoration.Letter.wake) }
  }

  // MARK: The thread

  /// Returns at the letter `end`.
  func run() {
    var decoder = KeyDecoder()
    var sending: ArraySlice<UInt8> = []
    var isThere = true
    while true {
      if sending.isEmpty { sending = takeOutgoing() }
      let takesKeys = eventCount.load(ordering: .sequentiallyConsistent) < Self.eventCountMax
      let interests = (takesKeys ? POLLIN : 0) | (sending.isEmpty ? 0 : POLLOUT)
      var polled = (
        pollfd(fd: letters, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isThere ? descriptor : -1, events: Int16(interests), revents: 0)
      )
      let time = decoder.isUndecided && takesKeys ? escapeTime.milliseconds : -1
      let count = withUnsafeMutableBytes(of: &polled) {
        poll($0.assumingMemoryBound(to: pollfd.self).baseAddress!, 2, time)
      }
      if count == 0 { tell(decoder.timeOut()) }
      guard count > 0 else { continue }
      if polled.0.revents != 0 {
        switch readLetters() {
        case .end: return events.finish()
        case .resumed: sending = []
        case .none: break
        }
      }
      guard isThere else { continue }
      if polled.1.revents & Int16(POLLIN) != 0 {
        isThere = readKeys(&decoder)
      } else if polled.1.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
        isThere = false
      } else if polled.1.revents & Int16(POLLOUT) != 0 {
        isThere = writeOut(&sending)
      }
      if !isThere {
        tell(.ended)
        events.finish()
      }
    }
  }

  private func tell(_ event: TerminalEvent) {
    eventCount.wrappingAdd(1, ordering: .sequentiallyConsistent)
    events.yield(event)
  }

  private func tell(_ inputs: [TerminalInput]) {
    for input in inputs { tell(.input(input)) }
  }

  private func takeOutgoing() -> ArraySlice<UInt8> {
    state.withLock { state in
      defer { state.outgoing = [] }
      return state.outgoing[...]
    }
  }

  private enum Outcome { case none, resumed, end }

  private func readLetters() -> Outcome {
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    var found: Set<UInt8> = []
    while true {
      let count = read(letters, &bytes, bytes.count)
      guard count > 0 else { break }
      found.formUnion(bytes[..<count])
    }
    if found.contains(TerminalRestoration.Letter.end) { return .end }
    if found.contains(TerminalRestoration.Letter.resized) { measure() }
    if found.contains(TerminalRestoration.Letter.stop) {
      TerminalRestoration.shared.stop()
    } else if found.contains(TerminalRestoration.Letter.continued) {
      // Stopped by a signal that nobody can handle; the shell has had the terminal since.
      TerminalRestoration.shared.enter()
    } else {
      return .none
    }
    measure()
    state.withLock { state in
      state.outgoing = []
      state.isSending = false
    }
    tell(.resumed)
    return .resumed
  }

  private func measure() {
    let size = CellSize(ofTerminal: descriptor)
    let isNew = state.withLock { state in
      defer { state.size = size }
      return state.size != size
    }
    if isNew { tell(.resized(size)) }
  }

  /// - Returns: false if the terminal is gone.
  private func readKeys(_ decoder: inout KeyDecoder) -> Bool {
    var bytes: [UInt8] = Array(repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
    tell(decoder.read(bytes[..<count]))
    return true
  }

  /// - Returns: false if the terminal is gone.
  private func writeOut(_ sending: inout ArraySlice<UInt8>) -> Bool {
    let count = sending.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 else { return errno == EAGAIN || errno == EINTR }
    sending = sending.dropFirst(count)
    let isIdle = state.withLock { state in
      if sending.isEmpty, state.outgoing.isEmpty { state.isSending = false }
      return !state.isSending
    }
    if isIdle { tell(.sent) }
    return true
  }
}

extension CellSize {
  /// What the system says; 80 × 24 where it does not know.
  init(ofTerminal descriptor: Int32) {
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    self.init(columns: isKnown ? Int(size.ws_col) : 80, rows: isKnown ? Int(size.ws_row) : 24)
  }
}

extension Duration {
  /// Rounded up.
  fileprivate var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    let parts = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: seconds * 1000 + parts)
  }
}
