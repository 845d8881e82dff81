/// When an animation counts as done.
public struct AnimationCompletionCriteria: Hashable, Sendable {
  private let name: String
  /// When what moves has arrived.
  public static let logicallyComplete = AnimationCompletionCriteria(name: "logicallyComplete")
  /// When nothing of it is left to be seen: here the same.
  public static let removed = AnimationCompletionCriteria(name: "removed")
}

/// What is to be done when all that a transaction moves has arrived: when nobody holds this any more. Views hold it while
/// they move; the transaction does until they have begun.
@MainActor package final class AnimationCompletion {
  private let call: Call

  nonisolated init(_ action: @escaping () -> Void) {
    call = Call(action: action)
  }

  isolated deinit {
    call.action()
  }

  private struct Call: @unchecked Sendable {
    // Sendable: called once, on the main actor, where what is animated was written.
    let action: () -> Void
  }
}

private enum AnimationCompletionKey: TransactionKey {
  static let defaultValue: AnimationCompletion? = nil
}

extension Transaction {
  /// What is done when the transaction's animations are over.
  package var completion: AnimationCompletion? {
    get { self[AnimationCompletionKey.self] }
    set { self[AnimationCompletionKey.self] = newValue }
  }
}

/// One transaction whose changes are shown with an animation; `completion` is called on the main actor when all that it
/// moves has arrived, and at once where it moves nothing.
public func withAnimation<Result>(
  _ animation: Animation? = .default, completionCriteria: AnimationCompletionCriteria = .logicallyComplete,
  _ body: () -> Result, completion: @escaping () -> Void
) -> Result {
  var transaction = Transaction(animation: animation)
  transaction.completion = AnimationCompletion(completion)
  return withTransaction(transaction, body)
}

/// The same with a body that may throw.
///
/// - Throws: what `body` throws; the completion is called then too.
public func withAnimation<Result>(
  _ animation: Animation? = .default, completionCriteria: AnimationCompletionCriteria = .logicallyComplete,
  _ body: () throws -> Result, completion: @escaping () -> Void
) throws -> Result {
  var transaction = Transaction(animation: animation)
  transaction.completion = AnimationCompletion(completion)
  return try withTransaction(transaction, body)
}
