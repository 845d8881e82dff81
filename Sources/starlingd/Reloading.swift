import ArgumentParser
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the configuration file again on SIGHUP, and takes the level of the log from it. All else holds from the start
/// on; keys and the audit log's file are looked at all the time.
struct Reloading: Service {
  /// Each SIGHUP.
  let signals: UnixSignalsSequence
  let settings: Settings
  /// The level that the command line names, which takes precedence.
  let ownLevel: String?
  let log: DaemonLog.Shared
  let logger: Logger

  func run() async throws {
    for await _ in signals.cancelOnGracefulShutdown() { reload() }
  }

  private func reload() {
    do {
      log.level = try Logger.Level(named: ownLevel ?? settings.readAgain().text("log-level"))
      logger.notice("reloaded: the log's level is \(log.level)")
    } catch {
      logger.error("Not reloaded: \((error as? ValidationError)?.message ?? "\(error)")")
    }
  }
}

extension Logger.Level {
  /// - Parameter name: nil for the default.
  init(named name: String?) throws(ValidationError) {
    guard let level = Logger.Level(rawValue: name ?? "info") else {
      throw ValidationError(
        "'\(name ?? "")' is no log level. Choose trace, debug, info, notice, warning, error or critical.")
    }
    self = level
  }
}
