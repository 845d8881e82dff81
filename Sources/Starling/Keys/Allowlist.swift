import Foundation
import Logging
import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingZeroMQ

/// Who is let in now: a directory of keys as it stands, looked at again at most once a second.
final class Allowlist: Sendable {
  private struct State {
    var keys: [PublicKey: AllowedKey] = [:]
    var files: [String]?
    var nextLook = ContinuousClock.now
  }

  private static let interval: Duration = .seconds(1)

  private let directory: KeyDirectory
  private let logger: Logger
  private let state = Guarded(State())

  init(_ directory: KeyDirectory, logger: Logger) {
    self.directory = directory
    self.logger = logger
  }

  func key(_ key: PublicKey) -> AllowedKey? {
    lookAgain()
    return state.withLock { $0.keys[key] }.flatMap { $0.hasExpired(at: Date()) ? nil : $0 }
  }

  func admits(_ key: PublicKey) -> ZeroMQLink.Admission {
    guard let allowed = self.key(key) else { return .refused }
    return allowed.access.readsEverything ? .everything : .directOnly
  }

  private func lookAgain() {
    let now = ContinuousClock.now
    let known = state.withLock { state -> [String]?? in
      guard now >= state.nextLook else { return nil }
      state.nextLook = now + Self.interval
      return .some(state.files)
    }
    guard let known else { return }
    let files = directory.allowedState()
    guard files != known else { return }
    do {
      let (keys, errors) = try directory.allowed()
      state.withLock { state in
        state.keys = Dictionary(keys.map { ($0.key, $0) }) { first, _ in first }
        state.files = files
      }
      logger.notice("the allowlist has \(keys.count) keys: \(keys.map(\.name).joined(separator: ", "))")
      for error in errors { logger.error("\(error) It lets nobody in.") }
    } catch {
      // Nobody is let in by what cannot be read.
      state.withLock { $0.keys = [:] }
      logger.error("the allowlist cannot be read, and lets nobody in: \(error)")
    }
  }
}
