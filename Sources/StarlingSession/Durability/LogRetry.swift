/// Whether a log that refused a write is tried again, and when. Performs nothing.
///
/// ```
///              failed, may pass               worked
///   working ───────────────────► waiting ───────────────► working
///      │                          │  ▲ failed again: after twice the pause, up to the longest
///      │ failed, cannot pass      │  └──┘
///      └──────────────────────────┴───► stopped
/// ```
public struct LogRetry: Sendable {
  public enum Verdict: Hashable, Sendable {
    /// Try again after this pause.
    case again(after: Duration)
    /// No later attempt can succeed, or none is wanted.
    case stopped
  }

  private enum State {
    case working
    case waiting(since: Duration, until: Duration, pause: Duration)
    case stopped
  }

  private var state = State.working
  private let pauses: ClosedRange<Duration>

  /// - Parameter pauses: the first pause and the longest.
  public init(pauses: ClosedRange<Duration>) {
    self.pauses = pauses
  }

  public var isStopped: Bool { if case .stopped = state { true } else { false } }

  /// Whether the log is to be tried at `now`: always while it works.
  public func isDue(_ now: Duration) -> Bool {
    switch state {
    case .working: true
    case .waiting(_, let until, _): now >= until
    case .stopped: false
    }
  }

  /// The log refused.
  ///
  /// - Parameter mayPass: whether a later attempt may succeed.
  public mutating func failed(mayPass: Bool, now: Duration) -> Verdict {
    var (since, pause) = (now, pauses.lowerBound)
    switch state {
    case .stopped: return .stopped
    case .working: break
    case .waiting(let began, _, let former): (since, pause) = (began, min(former * 2, pauses.upperBound))
    }
    guard mayPass else {
      state = .stopped
      return .stopped
    }
    state = .waiting(since: since, until: now + pause, pause: pause)
    return .again(after: pause)
  }

  /// The log accepted a write.
  ///
  /// - Returns: how long it had refused; nil if it had not.
  public mutating func worked(now: Duration) -> Duration? {
    guard case .waiting(let since, _, _) = state else { return nil }
    state = .working
    return now - since
  }

  /// Makes the next attempt due at once: the replica closes and has no later one.
  public mutating func hasten() {
    if case .waiting(let since, _, let pause) = state { state = .waiting(since: since, until: .zero, pause: pause) }
  }
}
