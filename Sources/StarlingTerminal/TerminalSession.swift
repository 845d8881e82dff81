import StarlingThread
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A terminal in our hands: its keys come as events, frames go out, and whatever happens it is given back as it was.
///
/// ```swift
/// try await TerminalSession.run { terminal in
///   terminal.send(difference.bytes(from: nil, to: canvas))
///   for await event in terminal.events { … }
/// }
/// ```
///
/// A process has one at a time. It reads and writes on a thread of its own, so that no actor ever waits for a terminal.
package final class TerminalSession: Sendable {
  /// For one reader.
  package let events: TerminalEvents
  private let thread: TerminalThread
  private let descriptors: TerminalDescriptors
  private let handle: SystemThread
  private let isOpen = Atomic(true)

  private static let isTaken = Atomic(false)

  /// Takes a terminal.
  ///
  /// - Parameters:
  ///   - descriptor: Any that is open on it. The session opens the terminal again, so that nobody else's descriptor is
  ///     changed.
  ///   - escapeTime: How long an escape waits for what may follow it.
  package init(
    _ descriptor: Int32 = STDOUT_FILENO, modes: TerminalModes = .screen, escapeTime: Duration = .milliseconds(50)
  ) throws(TerminalError) {
    guard !Self.isTaken.exchange(true, ordering: .acquiringAndReleasing) else {
      throw TerminalError(.busy, "This process has a terminal session already. Close it first.")
    }
    do {
      descriptors = try TerminalDescriptors(terminalOf: descriptor)
    } catch {
      Self.isTaken.store(false, ordering: .releasing)
      throw error
    }
    let (stream, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
    let thread = TerminalThread(
      descriptor: descriptors.terminal, letters: descriptors.letters, letterBox: descriptors.letterBox,
      size: CellSize(ofTerminal: descriptors.terminal), escapeTime: escapeTime, events: continuation)
    self.thread = thread
    events = TerminalEvents(stream: stream, thread: thread)
    let isBegun = TerminalRestoration.shared.begin(
      descriptor: descriptors.terminal, letterBox: descriptors.letterBox, modes: modes)
    guard isBegun, let handle = SystemThread(named: "terminal", { thread.run() }) else {
      if isBegun { TerminalRestoration.shared.end() }
      descriptors.shut()
      Self.isTaken.store(false, ordering: .releasing)
      throw TerminalError(.unavailable, "The terminal refuses to change its modes, or the system has no thread left.")
    }
    self.handle = handle
  }

  deinit { close() }

  /// Runs `body` with a session, and gives the terminal back when it returns or throws.
  package static func run<Result>(
    _ descriptor: Int32 = STDOUT_FILENO, modes: TerminalModes = .screen,
    _ body: (TerminalSession) async throws -> Result
  ) async throws -> Result {
    let session = try TerminalSession(descriptor, modes: modes)
    defer { session.close() }
    return try await body(session)
  }

  /// How many cells the terminal has.
  package var size: CellSize { thread.size }

  /// Whether something that was sent has not gone out yet. The caller then waits for `sent`, and draws what there is to
  /// see at that time: so a slow terminal gets fewer frames, not later ones.
  package var isSending: Bool { thread.isSending }

  /// Sends bytes, after those that were sent before. Returns at once.
  package func send(_ bytes: [UInt8]) { thread.send(bytes) }

  /// Stops the process as Ctrl+Z does where a terminal is in its usual modes. `resumed` tells when it goes on.
  package func suspend() { thread.drop(TerminalRestoration.Letter.stop) }

  /// Gives the terminal back. More than once does no harm.
  package func close() {
    guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
    thread.drop(TerminalRestoration.Letter.end)
    handle.join()
    TerminalRestoration.shared.end()
    descriptors.shut()
    Self.isTaken.store(false, ordering: .releasing)
  }
}
