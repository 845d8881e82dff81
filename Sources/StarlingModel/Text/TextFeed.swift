import StarlingGuard
import Synchronization

/// Carries the changes of a text to those who follow it, in the order in which they were made.
final class TextFeed: Sendable {
  /// Guarded by its own lock, the innermost.
  private let state = Guarded(State())
  private let hasListeners = Atomic(false)

  private struct State {
    var listeners: [Int: @Sendable (TextEdits) -> Void] = [:]
    var nextListener = 0
    var waiting: [TextEdits] = []
    /// Whether a thread is calling the listeners: it takes along what is added during that.
    var isSending = false
  }

  /// Whether anybody listens. A listener that came before it read the text is known under the text's lock.
  var isFollowed: Bool { hasListeners.load(ordering: .acquiring) }

  func add(_ listener: @escaping @Sendable (TextEdits) -> Void) -> Int {
    state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = listener
      hasListeners.store(true, ordering: .releasing)
      return state.nextListener
    }
  }

  func remove(_ listener: Int) {
    let removed = state.withLock { state in
      let removed = state.listeners.removeValue(forKey: listener)
      if state.listeners.isEmpty {
        state.waiting = []
        hasListeners.store(false, ordering: .releasing)
      }
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  /// Under the text's lock.
  func add(_ edits: [TextEdits.Edit], _ origin: TextEdits.Origin) {
    guard !edits.isEmpty else { return }
    state.withLock { state in
      if !state.listeners.isEmpty { state.waiting.append(TextEdits(origin: origin, edits: edits)) }
    }
  }

  /// With every lock released.
  func send() {
    guard isFollowed else { return }
    var isFirst = true
    while true {
      let (change, listeners) = state.withLock { state -> (TextEdits?, [@Sendable (TextEdits) -> Void]) in
        if isFirst, state.isSending { return (nil, []) }
        isFirst = false
        state.isSending = !state.waiting.isEmpty
        guard state.isSending else { return (nil, []) }
        return (state.waiting.removeFirst(), Array(state.listeners.values))
      }
      guard let change else { return }
      for listener in listeners { listener(change) }
    }
  }
}
