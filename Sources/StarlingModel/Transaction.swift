import StarlingEngine
import StarlingGraph
import StarlingGuard

/// Makes what `body` writes one change to each document it touches, and one flush: observers run
/// once, after all of it, and other replicas see all of it or nothing.
///
/// Nests: the outermost call is the transaction. What `body` wrote before it threw stays written.
///
/// - Parameter message: Kept in the change, for those who read its history.
public func withTransaction<Result, Failure: Error>(
  message: String? = nil, _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  let outer = Transaction.current
  let transaction = outer ?? Transaction()
  var outcome: Swift.Result<Result, Failure>?
  batch {
    Transaction.$current.withValue(transaction) {
      do throws(Failure) {
        outcome = .success(try body())
      } catch {
        outcome = .failure(error)
      }
    }
    if let message { transaction.note(message) }
    if outer == nil { transaction.end() }
  }
  return try outcome!.get()
}

/// The documents that the transaction under way has touched.
package final class Transaction: Sendable {
  @TaskLocal package static var current: Transaction?

  private let state = Guarded(State())

  private struct State {
    var spaces: [ModelSpace] = []
    var message: String?
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
  fileprivate func note(_ message: String) {
    state.withLock { $0.message = message }
  }

  fileprivate func end() {
    let state = state.withLock { $0 }
    for space in state.spaces { space.handle.endTransaction(message: state.message) }
  }
}
