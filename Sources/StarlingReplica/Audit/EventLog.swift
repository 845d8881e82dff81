import Logging
import StarlingEngine
import StarlingGuard

/// Tells a logger what an engine reports, of each kind so many different lines a minute: peers decide how often there
/// is something to report, and some of what it says.
final class EventLog: Sendable {
  struct Line: ThrottledLine {
    /// The kind of event.
    var cause: String
    var text: String
    var level: Logger.Level

    static func more(_ count: Int, of cause: String) -> Line {
      Line(cause: cause, text: "\(cause): and \(AuditEntry.grouped(count)) more like it.", level: .notice)
    }
  }

  private let logger: Logger
  private let throttle = Guarded(LineThrottle<Line>())
  private let uptime: @Sendable () -> Duration

  init(logger: Logger, uptime: @escaping @Sendable () -> Duration = { ContinuousClock.now - EventLog.start }) {
    self.logger = logger
    self.uptime = uptime
  }

  private static let start = ContinuousClock.now

  /// Any thread.
  func note(_ event: EngineEvent) {
    let line = Line(cause: event.kind, text: "\(event)", level: event.level)
    let now = uptime()
    write(throttle.withLock { throttle in throttle.pass(now: now) + throttle.admit(line, now: now) })
  }

  /// Says how much was left out.
  func end() { write(throttle.withLock { $0.end() }) }

  private func write(_ lines: [Line]) {
    for line in lines { logger.log(level: line.level, "\(line.text)") }
  }
}

extension EngineEvent {
  fileprivate var kind: String {
    switch self {
    case .joined: "joined"
    case .left: "left"
    case .daemon: "daemon"
    case .storeContested: "store contested"
    case .refused: "refused"
    case .notAdmitted: "not admitted"
    case .access: "access"
    case .diverged: "diverged"
    case .settled: "settled"
    case .forgotten: "forgotten"
    case .oneWayLink: "one-way link"
    case .farFutureStamp: "far future stamp"
    case .logFailed: "log failed"
    case .logDamaged: "log damaged"
    case .logRecovered: "log recovered"
    case .quarantined: "quarantined"
    case .historyUnreadable: "history unreadable"
    case .checkpointUnreadable: "checkpoint unreadable"
    case .renamed: "renamed"
    case .disowned: "disowned"
    case .stranded: "stranded"
    case .writtenAgain: "written again"
    case .rolledBack: "rolled back"
    }
  }

  fileprivate var level: Logger.Level {
    switch self {
    case .joined, .left, .access, .daemon, .logRecovered, .forgotten: .info
    case .refused, .farFutureStamp, .renamed, .writtenAgain, .storeContested, .oneWayLink,
      .checkpointUnreadable:
      .warning
    case .notAdmitted, .diverged, .settled, .logFailed, .logDamaged, .quarantined, .historyUnreadable, .disowned,
      .stranded, .rolledBack:
      .error
    }
  }
}
