import Logging
import StarlingGuard

/// What a logger was told, line by line.
final class LoggedLines: LogHandler, Sendable {
  private let lines = Guarded<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }

  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }
}
