import CThread
import StarlingCore
import StarlingGraph

/// What writes carry to those who show them: how to animate the change, and whatever else keys name.
///
/// A transaction is also the unit of replication and of waking: what `withTransaction` runs is one change to each
/// document and one flush, in which `current` is what the writes carried.
///
/// ```swift
/// withTransaction(Transaction(animation: .easeIn)) { book.isAvailable.toggle() }
/// ```
public struct Transaction: Sendable {
  /// Of the code that runs: the values of the transactions that it stands in, and in an observer those of the
  /// writes that woke it. A task that begins in either stands in none.
  public static var current: Transaction {
    starling_this_thread().pointee.transaction_values.map {
      Unmanaged<CarriedTransaction>.fromOpaque($0).takeUnretainedValue().transaction
    } ?? Transaction()
  }

  /// By the type of the key; those alone that somebody gave.
  private var values: [ObjectIdentifier: any Sendable] = [:]

  /// A transaction that carries nothing.
  public init() {}

  /// A transaction that carries an animation; nil for none.
  public init(animation: Animation?) {
    self.animation = animation
  }

  /// The value that the transaction carries under a key.
  public subscript<Key: TransactionKey>(key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }

  /// A value by the identity of its key; nil: nobody gave one.
  package subscript(identity key: ObjectIdentifier) -> (any Sendable)? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// How views change to what was written; nil: at once.
  public var animation: Animation? {
    get { self[AnimationKey.self] }
    set { self[AnimationKey.self] = newValue }
  }

  /// Whether views leave their own animations out as well.
  public var disablesAnimations: Bool {
    get { self[DisablesAnimationsKey.self] }
    set { self[DisablesAnimationsKey.self] = newValue }
  }

  package var isEmpty: Bool { values.isEmpty }

  /// These values, and over them those that `other` gives.
  package func overridden(by other: Transaction) -> Transaction {
    var copy = self
    copy.values.merge(other.values) { $1 }
    return copy
  }
}

/// Names a value of a transaction.
///
/// ```swift
/// private enum IsDragged: TransactionKey { static let defaultValue = false }
/// extension Transaction {
///   var isDragged: Bool { get { self[IsDragged.self] } set { self[IsDragged.self] = newValue } }
/// }
/// ```
public protocol TransactionKey<Value> {
  /// The type of what the key names.
  associatedtype Value: Sendable
  /// In a transaction that was given none.
  static var defaultValue: Value { get }
}

private enum AnimationKey: TransactionKey {
  static let defaultValue: Animation? = nil
}

private enum DisablesAnimationsKey: TransactionKey {
  static let defaultValue = false
}

extension Transaction: Equatable {
  /// Whether both give the same values. Of those that cannot be compared, none is the same.
  public static func == (left: Transaction, right: Transaction) -> Bool {
    left.values.count == right.values.count
      && left.values.allSatisfy { key, value in
        guard let value = value as? any Equatable, let other = right.values[key] else { return false }
        return value.equals(other)
      }
  }
}

extension Equatable {
  func equals(_ other: Any) -> Bool { (other as? Self) == self }
}

// MARK: Opening

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
///   - transaction: What the writes carry, over what the outer transaction gives.
///   - message: Kept in the change, for those who read its history; of at most 64 KiB.
///   - body: Makes the writes.
/// - Throws: what `body` throws; `OversizedWrite` where a write was refused.
public func withTransaction<Result>(
  _ transaction: Transaction = Transaction(), message: String? = nil, _ body: () throws -> Result
) throws -> Result {
  let (outcome, refusal) = run(transaction, message, isTakenBackAlone: true, body)
  let result = try outcome.get()
  if let refusal { throw refusal }
  return result
}

/// The same with a body that throws nothing. Where one of its writes is refused everything that it wrote is taken back,
/// and the refusal is reported (`ModelIncident.oversized`), or thrown by the transaction around it; to have it thrown,
/// say that the body may throw: `try withTransaction { () throws in … }`.
public func withTransaction<Result>(
  _ transaction: Transaction = Transaction(), message: String? = nil, _ body: () -> Result
) -> Result {
  let isOutermost = TransactionScope.current == nil
  let (outcome, refusal) = run(transaction, message, isTakenBackAlone: false) { () throws(Never) in body() }
  if isOutermost, let refusal { ModelIncident.report(.oversized(refusal)) }
  return outcome.get()
}

/// The same with one value more than the outer transaction gives.
public func withTransaction<Value, Result>(
  _ path: WritableKeyPath<Transaction, Value>, _ value: Value, _ body: () throws -> Result
) throws -> Result {
  var transaction = Transaction()
  transaction[keyPath: path] = value
  return try withTransaction(transaction, body)
}

/// The same with one value more than the outer transaction gives.
public func withTransaction<Value, Result>(
  _ path: WritableKeyPath<Transaction, Value>, _ value: Value, _ body: () -> Result
) -> Result {
  var transaction = Transaction()
  transaction[keyPath: path] = value
  return withTransaction(transaction, body)
}

/// One transaction whose changes are shown with an animation; nil: at once.
public func withAnimation<Result>(
  _ animation: Animation? = .default, _ body: () throws -> Result
) throws -> Result {
  try withTransaction(Transaction(animation: animation), body)
}

/// One transaction whose changes are shown with an animation; nil: at once.
public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () -> Result) -> Result {
  withTransaction(Transaction(animation: animation), body)
}

/// - Parameter isTakenBackAlone: whether a transaction within another one is taken back without that.
/// - Returns: the outcome of the body, and the write that was refused, if one was, in the scope that ends.
private func run<Result, Failure: Error>(
  _ transaction: Transaction, _ message: String?, isTakenBackAlone: Bool, _ body: () throws(Failure) -> Result
) -> (Swift.Result<Result, Failure>, OversizedWrite?) {
  let outer = TransactionScope.current
  let scope = outer.map { isTakenBackAlone ? TransactionScope(in: $0) : $0 } ?? TransactionScope()
  scope.note(transaction)
  var outcome: Swift.Result<Result, Failure>?
  var refusal: OversizedWrite?
  batch {
    carrying(transaction) {
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
    carrying(scope.transaction, flush)
  }
  return (outcome!, refusal)
}

/// Runs a body in which writes carry the transaction's values over those of the outer one.
private func carrying(_ transaction: Transaction, _ body: () -> Void) {
  if transaction.isEmpty { return body() }
  let carried = CarriedTransaction(Transaction.current.overridden(by: transaction))
  let thread = starling_this_thread()
  let outer = thread.pointee.transaction_values
  thread.pointee.transaction_values = Unmanaged.passUnretained(carried).toOpaque()
  defer {
    thread.pointee.transaction_values = outer
    withExtendedLifetime(carried) {}
  }
  body()
}

/// What a thread carries.
private final class CarriedTransaction {
  let transaction: Transaction

  init(_ transaction: Transaction) { self.transaction = transaction }
}
