import Foundation
import StarlingGuard
public import StarlingReplica

/// Keeps what a daemon reports for its console; made before the replica, which reports from its start on.
public final class ConsoleEvents: Sendable {
  /// Written on the engine's thread, read by the console.
  private let table = Guarded(IncidentTable())

  public init() {}

  /// Notes what the replica of these options reports.
  public func watch(_ options: inout BareReplica.Options) {
    options.onEvent = { [self, former = options.onEvent] event in
      let now = Date.millisecondsNow
      table.withLock { $0.note(event, at: now) }
      former?(event)
    }
  }

  var incidents: IncidentTable { table.withLock { $0 } }

  func dismiss() { table.withLock { $0.dismiss() } }
}

extension Date {
  static var millisecondsNow: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }
}
