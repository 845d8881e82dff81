import StarlingGuard

/// How a call of a log fails.
public enum LogFault: String, Hashable, Sendable, CaseIterable {
  /// There is no space; another try may succeed.
  case full
  /// An error of the disk, which does not pass for this process.
  case broken
  /// The call is done and reported as failed, so that it is made again.
  case answerLost
}

/// Which calls of one replica's log fail: a few in a row, counted over all its processes.
///
/// ```
///   call 1   2   3   ...   first   first + 1   ...   first + count
///   works                  fails   fails             works again
/// ```
public struct FailingLogCalls: Hashable, Sendable {
  /// The replica, by its place.
  public var replica: Int
  public var fault: LogFault
  /// From 1 on.
  public var first: Int
  public var count: Int

  public init(of replica: Int, _ fault: LogFault, first: Int, count: Int = 1) {
    self.replica = replica
    self.fault = fault
    self.first = first
    self.count = count
  }
}

/// The same at work, beside a store as long as that lives.
final class PlannedLogFaults: Sendable {
  private let calls: FailingLogCalls?
  private let made = Guarded(0)

  init(_ calls: FailingLogCalls?) {
    self.calls = calls
  }

  /// How many calls were made.
  var callCount: Int { made.withLock { $0 } }

  /// One more call: how it fails, or nil.
  func next() -> LogFault? {
    let number = made.withLock { made in
      made += 1
      return made
    }
    guard let calls, (calls.first..<calls.first + calls.count).contains(number) else { return nil }
    return calls.fault
  }
}
