import StarlingBinding
import StarlingGuard
import Synchronization

/// Says of a node that something which it read has changed. Set on whatever thread writes.
final class StaleMark: Sendable {
  @MainActor weak var node: Node?
  let depth: Int
  private let isSet_ = Atomic(true)
  private let isEvaluated = Atomic(false)

  init(depth: Int) {
    self.depth = depth
  }

  var isSet: Bool { isSet_.load(ordering: .acquiring) }
  /// Whether the node was never evaluated.
  var isNew: Bool { !isEvaluated.load(ordering: .relaxed) }

  /// - Returns: Whether it was not set before.
  func set() -> Bool { !isSet_.exchange(true, ordering: .acquiringAndReleasing) }

  /// Clears the mark before the reads are noted again, so that a write in between sets it again.
  func beginEvaluation() {
    isSet_.store(false, ordering: .releasing)
    isEvaluated.store(true, ordering: .relaxed)
  }
}

/// What waits for a tree's next pass. Filled from any thread.
final class Inbox: Sendable {
  private struct State {
    var marks: [(mark: StaleMark, transaction: Transaction)] = []
    var wake: (@Sendable () -> Void)?
  }

  private let state = Guarded(State())

  /// Calls `wake` whenever something comes into an empty box, on the thread that brings it.
  func onArrival(_ wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.wake = wake }
  }

  func add(_ mark: StaleMark) {
    guard mark.set() else { return }
    let transaction = Transaction.current
    let wake = state.withLock { state in
      state.marks.append((mark, transaction))
      return state.marks.count == 1 ? state.wake : nil
    }
    wake?()
  }

  /// Makes a pass due with nothing to evaluate.
  func wake() {
    state.withLock { $0.wake }?()
  }

  var isEmpty: Bool { state.withLock { $0.marks.isEmpty } }

  func take() -> [(mark: StaleMark, transaction: Transaction)] {
    state.withLock { state in
      defer { state.marks = [] }
      return state.marks
    }
  }
}
