import StarlingGuard
import StarlingSession

/// Keeps an engine at work for as long as somebody holds anything of its replica, and has it closed when nobody does.
///
/// ```
///   Replica ──────────────┐
///   model ─► ModelSpace ──┼──► EngineLifetime ──► ReplicaEngine ──► DocumentHandle
///   Presence ─────────────┘           ▲                                  │
///                                     └─────────────── weak ─────────────┘
/// ```
///
/// What an application holds leads to the lifetime, the lifetime to the engine, and nothing that the engine holds back
/// to the lifetime: it ends with the last holder, on that holder's thread, unless the replica was closed before.
package final class EngineLifetime: Sendable {
  /// A struct of one field: a closure that is guarded by itself grows with each look at it.
  private struct State {
    /// Holds the engine until then.
    var release: (@Sendable () -> Void)?
  }

  private let state: Guarded<State>

  /// - Parameter release: Called once nobody holds this any more, on whatever thread; it must not wait.
  package init(release: @escaping @Sendable () -> Void) {
    state = Guarded(State(release: release))
  }

  deinit {
    state.withLock { $0.release }?()
  }

  /// The replica is closed: whoever still holds this keeps nothing alive.
  package func end() {
    // The last reference to the engine may be in it, and goes with the lock released.
    let release = state.withLock { state in
      defer { state.release = nil }
      return state.release
    }
    withExtendedLifetime(release) {}
  }
}

extension ReplicaEngine {
  /// Hands `lifetime` to the documents that are opened from now on, for the models made of them.
  package func keepAlive(by lifetime: EngineLifetime) {
    self.lifetime = lifetime
  }

  /// Takes what is written in the document from now on.
  func attend(to handle: DocumentHandle, as number: DocumentNumber) {
    let lifetime = lifetime
    handle.listeners.withLock { $0.lifetime = lifetime }
    handle.onOutbox { [weak self] in
      // Where nobody takes them any more, as after the end, they must not pile up. And the link is the engine's: held
      // by a document as well, its sockets would stay open with nobody behind them.
      guard let self else { return }
      written.add(number)
      link.wake()
    }
  }
}

extension DocumentHandle {
  /// What the models of the document hold, so that they go on replicating; nil where no replica looks after it.
  package var lifetime: EngineLifetime? { listeners.withLock { $0.lifetime } }
}
