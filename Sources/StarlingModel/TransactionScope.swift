import StarlingCore
import StarlingEngine
import StarlingGuard

/// The documents that the transaction under way has touched, and what its writes carry.
final class TransactionScope: Sendable {
  @TaskLocal static var current: TransactionScope?

  private let state = Guarded(State())

  private struct State {
    var spaces: [ModelSpace] = []
    var message: String?
    var transaction = Transaction()
  }

  /// Opens the document's transaction at the first write to it.
  func join(_ space: ModelSpace) {
    let isFirst = state.withLock { state in
      if state.spaces.contains(where: { $0 === space }) { return false }
      state.spaces.append(space)
      return true
    }
    if isFirst { space.handle.beginTransaction() }
  }

  /// The outermost message stands.
  func note(_ message: String) {
    guard message.utf8.count <= ChangeLimits.messageByteCountMax else {
      return ModelIncident.report(
        .oversized(
          OversizedWrite(
            .message, object: .root, key: .name(message), size: message.utf8.count,
            limit: ChangeLimits.messageByteCountMax)))
    }
    state.withLock { $0.message = message }
  }

  /// The innermost values stand: the one flush shows what all of it wrote.
  func note(_ transaction: Transaction) {
    if transaction.isEmpty { return }
    // What is displaced may be the user's, and goes after unlocking.
    var noted = state.withLock { $0.transaction }.overridden(by: transaction)
    state.withLock { swap(&$0.transaction, &noted) }
    withExtendedLifetime(noted) {}
  }

  var transaction: Transaction { state.withLock { $0.transaction } }

  func end() {
    let (spaces, message) = state.withLock { ($0.spaces, $0.message) }
    for space in spaces { space.handle.endTransaction(message: message) }
  }
}
