import Foundation
import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingZeroMQ

/// The keys that are let in now: a directory of keys as it stands, looked at again at most twice a second.
final class Allowlist: Sendable {
  private struct State {
    var keys: [PublicKey: AllowedKey] = [:]
    /// Whether somebody was ever named in it.
    var isUsed = true
    var files: [String]?
    var nextLook = ContinuousClock.now
  }

  private static let interval: Duration = .milliseconds(500)

  let directory: KeyDirectory
  private let isDaemon: Bool
  private let audit: AuditLog
  private let state = Guarded(State())
  /// Held while the directory is looked at: whoever asks then waits for what it says.
  private let looking = Guarded(())

  init(_ directory: KeyDirectory, isDaemon: Bool, audit: AuditLog) {
    self.isDaemon = isDaemon
    self.directory = directory
    self.audit = audit
  }

  /// With the name of a key that was let in before its time passed.
  func explained(_ event: AccessEvent) -> AccessEvent {
    guard event.name == nil, let key = event.user.flatMap({ PublicKey($0) }) else { return event }
    guard let known = state.withLock({ $0.keys[key] }), known.hasExpired(at: Date()) else { return event }
    var event = event
    event.name = known.name
    event.role = known.role
    event.explanation += " Its time has passed."
    return event
  }

  func key(_ key: PublicKey) -> AllowedKey? {
    lookAgain()
    return state.withLock { $0.keys[key] }.flatMap { $0.isLetIn(at: Date()) ? $0 : nil }
  }

  func admits(_ key: PublicKey) -> ZeroMQLink.Admission {
    guard let allowed = self.key(key) else { return .refused }
    return allowed.trust.readsEverything ? .everything : .directOnly
  }

  /// What the owner of a key may do here, whichever side dialled.
  ///
  /// Whoever keeps an allowlist decides by that alone, as daemons always do. A process that only dials need not keep
  /// one: while its directory has never named anybody, the key in the endpoint is itself what its user trusts.
  func trust(in key: PublicKey, isDialled: Bool) -> Trust? {
    if let allowed = self.key(key) { return allowed.trust }
    guard isDialled, !isDaemon, !state.withLock({ $0.isUsed }) else { return nil }
    return Trust(name: "the daemon that was dialled", role: .relays, documents: [.everything])
  }

  private func lookAgain() {
    guard isLookDue else { return }
    let entries = looking.withLock { _ -> [AuditEntry] in
      guard isLookDue else { return [] }
      defer { state.withLock { $0.nextLook = .now + Self.interval } }
      return look()
    }
    for entry in entries { audit.note(entry) }
  }

  private var isLookDue: Bool { state.withLock { .now >= $0.nextLook } }

  /// - Returns: what is to be noted of it.
  private func look() -> [AuditEntry] {
    let files = directory.allowedState()
    guard files != state.withLock({ $0.files }) else { return [] }
    do {
      let (keys, errors) = try directory.allowed()
      state.withLock { state in
        state.keys = Dictionary(keys.map { ($0.key, $0) }) { first, _ in first }
        state.isUsed = !keys.isEmpty || !errors.isEmpty || directory.hasRevoked
        state.files = files
      }
      let names = keys.filter { $0.suspended == nil }.map { "\($0.name) \($0.role.rawValue)" }.joined(separator: ", ")
      return [AuditEntry(.allowlist, keys.isEmpty ? "Nobody is let in." : "Let in are: \(names).")]
        + errors.map { AuditEntry(.allowlistUnreadable, "\($0) It lets nobody in.") }
    } catch {
      // Nobody is let in by what cannot be read.
      state.withLock {
        $0.keys = [:]
        $0.isUsed = true
      }
      return [AuditEntry(.allowlistUnreadable, "It cannot be read, and lets nobody in: \(error)")]
    }
  }
}
