import StarlingGuard
import StarlingSession

/// What waits between the engine's thread and the thread of another link, in order and bounded.
final class LinkPassage: Sendable {
  typealias Call = @Sendable (any PeerLink) -> Void

  private struct State {
    var calls: [Call] = []
    var callByteCount = 0
    var arrived: [LinkEvent] = []
    var arrivedByteCount = 0
    var isRunning = false
    var isClosed = false
  }

  private let byteCountMax: Int
  private let state = Guarded(State())

  init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

  // MARK: To the link

  /// - Returns: false if the link was stopped, or so many bytes wait.
  func add(byteCount: Int, _ call: @escaping Call) -> Bool {
    state.withLock { state in
      guard !state.isClosed, byteCount == 0 || state.callByteCount + byteCount <= byteCountMax else { return false }
      state.calls.append(call)
      state.callByteCount += byteCount
      return true
    }
  }

  /// - Returns: false the second time.
  func close(after last: @escaping Call) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.isClosed = true
      state.calls.append(last)
      return true
    }
  }

  func takeCalls() -> [Call] {
    state.withLock { state in
      defer {
        state.calls = []
        state.callByteCount = 0
      }
      return state.calls
    }
  }

  // MARK: From the link

  func engineRuns() { state.withLock { $0.isRunning = true } }

  /// - Parameter onLost: called for each frame that finds no space; what tells of connections always does.
  /// - Returns: whether the engine's thread may be woken.
  func arrive(_ events: [LinkEvent], onLost: () -> Void) -> Bool {
    let (mayWake, lostCount) = state.withLock { state -> (Bool, Int) in
      var lostCount = 0
      for event in events {
        let byteCount = event.frameByteCount
        guard byteCount == 0 || state.arrivedByteCount + byteCount <= byteCountMax else {
          lostCount += 1
          continue
        }
        state.arrived.append(event)
        state.arrivedByteCount += byteCount
      }
      return (state.isRunning, lostCount)
    }
    for _ in 0..<lostCount { onLost() }
    return mayWake
  }

  func takeArrived() -> [LinkEvent] {
    state.withLock { state in
      defer {
        state.arrived = []
        state.arrivedByteCount = 0
      }
      return state.arrived
    }
  }
}

extension LinkEvent {
  /// What keeping a frame takes beside its bytes, about: a flood of empty frames fills a queue too.
  private static let keptByteCount = 64

  /// Zero where it tells of a connection.
  fileprivate var frameByteCount: Int {
    switch self {
    case .direct(_, let frame), .published(_, let frame): frame.count + Self.keptByteCount
    case .opened, .handshakeFailed, .turnedAway, .closed: 0
    }
  }
}

/// A call that another thread answers once, unless nobody waits any more.
final class LinkQuestion<Answer: Sendable>: Sendable {
  private enum State {
    /// Somebody waits, and the call has not begun.
    case open
    /// The call runs.
    case answering
    /// What the call returned or threw.
    case answered(Result<Answer, any Error>)
    /// Nobody waits any more, and the call is not made.
    case abandoned
  }

  private let state = Guarded(State.open)
  private let isAnswered = ThreadEvent()

  /// Calls `body` if somebody waits for it.
  func answer(_ body: () throws -> Answer) {
    let isWanted = state.withLock { state in
      guard case .open = state else { return false }
      state = .answering
      return true
    }
    guard isWanted else { return }
    let result = Result { try body() }
    state.withLock { $0 = .answered(result) }
    isAnswered.signal()
  }

  /// - Throws: What the call threw; `LinkError(.system)` if it did not begin in time, and then it never does.
  func wait(timeout: Duration) throws -> Answer {
    if !isAnswered.wait(timeout: timeout) {
      let isBegun = state.withLock { state in
        guard case .open = state else { return true }
        state = .abandoned
        return false
      }
      guard isBegun else { throw LinkError(.system, "Its thread did not answer within \(timeout).") }
      // It runs, and its caller needs to know how it ends.
      while !isAnswered.wait(timeout: timeout) {}
    }
    let answered = state.withLock { $0 }
    guard case .answered(let result) = answered else {
      preconditionFailure("A question that was answered holds no answer: \(answered)")
    }
    return try result.get()
  }
}
