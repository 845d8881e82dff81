import ArgumentParser
import ServiceLifecycle
import StarlingReplica

/// Ends the daemon when its log fails, where that is asked for.
struct LogFailures: Service {
  private let exits: Bool
  private let endsWhereFinal: Bool
  private let failures: AsyncStream<LogError>
  private let continuation: AsyncStream<LogError>.Continuation

  /// - Parameters:
  ///   - text: `retry`, `exit`, or nil for the default.
  ///   - endsWhereFinal: whether the daemon ends, whatever `text` says, where the failure does not pass: another daemon
  ///     holds the log in a stream, and serves its documents.
  init(_ text: String?, endsWhereFinal: Bool) throws(ValidationError) {
    self.endsWhereFinal = endsWhereFinal
    switch text {
    case "retry", nil: exits = false
    case "exit": exits = true
    case let text?:
      throw ValidationError("'\(text)' is not known to --on-log-failure. Choose retry or exit.")
    }
    (failures, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  func watch(_ options: inout BareReplica.Options) {
    options.onLogFailure = exits ? .stop : .retry
    guard exits || endsWhereFinal else { return }
    options.onEvent = { [continuation, exits, former = options.onEvent] event in
      if case .logFailed(let error) = event, exits || !error.isTransient { continuation.yield(error) }
      former?(event)
    }
  }

  /// - Throws: what the log failed with; then the service group shuts down.
  func run() async throws {
    for await error in failures.cancelOnGracefulShutdown() { throw error }
  }
}

extension EngineStatus {
  /// Whether the log has everything.
  var isSaved: Bool { logError == nil && unsaved.isEmpty }

  /// What the log does not have, and why.
  var unsavedExplanation: String {
    let parts = unsaved.sorted { $0.key.name < $1.key.name }.map { document, count in
      "\(count) \(count == 1 ? "operation" : "operations") of '\(document)'"
    }
    let what =
      parts.isEmpty ? "The log failed; everything written is in it." : "Not saved: \(parts.joined(separator: ", "))."
    return what + (logError.map { " \($0)" } ?? "")
      + (parts.isEmpty
        ? "" : " What other members of the group have taken, the daemon fetches when it is started again.")
  }
}
