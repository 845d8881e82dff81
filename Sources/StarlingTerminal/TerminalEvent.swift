import Synchronization

/// What a session tells.
package enum TerminalEvent: Hashable, Sendable {
  case input(TerminalInput)
  /// The terminal's window has another size.
  case resized(CellSize)
  /// The process was stopped and goes on. What the terminal shows is unknown.
  case resumed
  /// What was sent has reached the terminal; another frame may be sent.
  case sent
  /// The terminal is gone.
  case ended
}

/// A session's events, for one reader.
package struct TerminalEvents: AsyncSequence, Sendable {
  let stream: AsyncStream<TerminalEvent>
  let thread: TerminalThread

  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var iterator: AsyncStream<TerminalEvent>.Iterator
    fileprivate let thread: TerminalThread

    package mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> TerminalEvent? {
      guard let event = await iterator.next(isolation: actor) else { return nil }
      thread.eventWasTaken()
      return event
    }
  }

  package func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(iterator: stream.makeAsyncIterator(), thread: thread)
  }
}
