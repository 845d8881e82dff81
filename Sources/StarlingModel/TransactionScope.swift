import CThread
import StarlingCore
import StarlingEngine
import StarlingGuard

/// The documents that the transaction under way has touched, and what its writes carry.
///
/// It is its thread's for the length of `withTransaction`, and not its task's: a task that begins within the body would
/// have it inherited, and write into a transaction that has ended, or that another thread is in the middle of.
final class TransactionScope: Sendable {
  /// Of the transaction whose body this thread runs.
  static var current: TransactionScope? {
    starling_this_thread().pointee.transaction_scope.map {
      Unmanaged<TransactionScope>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Runs `body` as part of this transaction.
  func run(_ body: () -> Void) {
    let thread = starling_this_thread()
    let outer = thread.pointee.transaction_scope
    thread.pointee.transaction_scope = Unmanaged.passUnretained(self).toOpaque()
    defer { thread.pointee.transaction_scope = outer }
    body()
  }

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
