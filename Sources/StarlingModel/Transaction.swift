import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

/// Makes what `body` writes one change to each document it touches, and one flush: observers run
/// once, after all of it, and other replicas see all of it or nothing.
///
/// Nests: the outermost call is the transaction. What `body` wrote before it threw stays written.
///
/// A transaction is as large as peers take one change, 15 MiB or a million operations: a write that would
/// pass that is refused and reported (`ModelIncident.oversized`), and those made before it stay.
///
/// - Parameter message: Kept in the change, for those who read its history; of at most 64 KiB.
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
    guard message.utf8.count <= ChangeLimits.messageByteCountMax else {
      return ModelIncident.report(
        .oversized(
          OversizedWrite(
            .message, object: .root, key: .name(message), size: message.utf8.count,
            limit: ChangeLimits.messageByteCountMax)))
    }
    state.withLock { $0.message = message }
  }

  fileprivate func end() {
    let state = state.withLock { $0 }
    for space in state.spaces { space.handle.endTransaction(message: state.message) }
  }
}
