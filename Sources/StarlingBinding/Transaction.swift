import StarlingModel

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
    Transaction(TransactionValues.current)
  }

  private(set) var values: TransactionValues

  /// A transaction that carries nothing.
  public init() {
    values = TransactionValues()
  }

  private init(_ values: TransactionValues) {
    self.values = values
  }

  /// A transaction that carries an animation; nil for none.
  public init(animation: Animation?) {
    self.init()
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
    Transaction(values.overridden(by: other.values))
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
    left.values == right.values
  }
}

// MARK: Opening

/// As `withTransaction(message:_:)`, with values that its writes carry.
///
/// - Parameters:
///   - transaction: What the writes carry, over what the outer transaction gives.
///   - message: Kept in the change, for those who read its history; of at most 64 KiB.
///   - body: Makes the writes.
/// - Throws: what `body` throws; `OversizedWrite` where a write was refused.
public func withTransaction<Result>(
  _ transaction: Transaction, message: String? = nil, _ body: () throws -> Result
) throws -> Result {
  try withTransaction(carrying: transaction.values, message: message, body)
}

/// The same with a body that throws nothing. Where one of its writes is refused everything that it wrote is taken back,
/// and the refusal is reported (`ModelIncident.oversized`), or thrown by the transaction around it.
public func withTransaction<Result>(
  _ transaction: Transaction, message: String? = nil, _ body: () -> Result
) -> Result {
  withTransaction(carrying: transaction.values, message: message, body)
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
