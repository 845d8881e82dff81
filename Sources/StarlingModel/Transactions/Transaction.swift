import StarlingCore
import StarlingGraph

/// Makes all writes of `body` one change for each document that it writes: observers run once, after all of it, and
/// other replicas see all of it or nothing.
///
/// It is all or nothing here too. If `body` throws, or a write is refused because it is larger than peers take,
/// everything that it wrote is taken back before this throws, and models show what they showed before. A model that it
/// put into a document is in none then, and refuses writes.
///
/// Transactions nest: the outermost call is the transaction, and an inner one that throws takes back its own writes
/// alone.
///
/// A transaction belongs to the thread that runs `body`. Other threads, and tasks that begin in `body`, wait when they
/// write a document that the transaction has written; their writes are changes of their own, with their own message and
/// undo step. So keep it short, and wait for nothing in it. A write that would wait for ever joins the transaction
/// instead, is taken back with it, and is reported (`ModelIncident.joinedTransaction`): at once if two transactions
/// wait for each other, otherwise after `Replica.Options.transactionTimeout`.
///
/// A transaction may be as large as one change: 15 MiB, or a million operations.
///
/// - Parameters:
///   - message: Kept in the change, for those who read its history; of at most 64 KiB.
///   - body: Makes the writes.
/// - Throws: what `body` throws; `OversizedWrite` where a write was refused.
public func withTransaction<Result>(message: String? = nil, _ body: () throws -> Result) throws -> Result {
  try withTransaction(carrying: TransactionValues(), message: message, body)
}

/// The same with a body that throws nothing. Where one of its writes is refused everything that it wrote is taken back,
/// and the refusal is reported (`ModelIncident.oversized`), or thrown by the transaction around it; to have it thrown,
/// say that the body may throw: `try withTransaction { () throws in … }`.
public func withTransaction<Result>(message: String? = nil, _ body: () -> Result) -> Result {
  withTransaction(carrying: TransactionValues(), message: message, body)
}

/// The same with what the writes carry over what the outer transaction gives.
package func withTransaction<Result>(
  carrying values: TransactionValues, message: String? = nil, _ body: () throws -> Result
) throws -> Result {
  let (outcome, refusal) = run(values, message, isTakenBackAlone: true, body)
  let result = try outcome.get()
  if let refusal { throw refusal }
  return result
}

/// The same with a body that throws nothing.
package func withTransaction<Result>(
  carrying values: TransactionValues, message: String? = nil, _ body: () -> Result
) -> Result {
  let isOutermost = TransactionScope.current == nil
  let (outcome, refusal) = run(values, message, isTakenBackAlone: false) { () throws(Never) in body() }
  if isOutermost, let refusal { ModelIncident.report(.oversized(refusal)) }
  return outcome.get()
}

/// - Parameter isTakenBackAlone: whether a transaction within another one is taken back without that.
/// - Returns: the outcome of the body, and the write that was refused, if one was, in the scope that ends.
private func run<Result, Failure: Error>(
  _ values: TransactionValues, _ message: String?, isTakenBackAlone: Bool, _ body: () throws(Failure) -> Result
) -> (Swift.Result<Result, Failure>, OversizedWrite?) {
  let outer = TransactionScope.current
  let scope = outer.map { isTakenBackAlone ? TransactionScope(in: $0) : $0 } ?? TransactionScope()
  scope.note(values)
  var outcome: Swift.Result<Result, Failure>?
  var refusal: OversizedWrite?
  batch {
    values.carry {
      scope.run {
        do throws(Failure) {
          outcome = .success(try body())
        } catch {
          outcome = .failure(error)
        }
      }
    }
    if scope === outer {
      if let message { scope.note(message) }
      return
    }
    refusal = scope.refusal
    if case .success = outcome!, refusal == nil {
      if let message { scope.note(message) }
      scope.end()
    } else {
      scope.takeBack()
    }
  } flushing: { flush in
    // Its observers see the values, also those that run later, on an actor (`Job`).
    scope.values.carry(flush)
  }
  return (outcome!, refusal)
}
