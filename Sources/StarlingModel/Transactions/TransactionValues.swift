import CThread

/// What the writes of a transaction carry to those who show them, by the types of keys. `StarlingBinding` names them.
package struct TransactionValues: Sendable {
  /// Of the code that runs: the values of the transactions that it stands in, and in an observer those of the
  /// writes that woke it. A task that begins in either stands in none.
  package static var current: TransactionValues {
    starling_this_thread().pointee.transaction_values.map {
      Unmanaged<Carried>.fromOpaque($0).takeUnretainedValue().values
    } ?? TransactionValues()
  }

  /// Those alone that somebody gave.
  private var values: [ObjectIdentifier: any Sendable] = [:]

  package init() {}

  /// A value by the identity of its key; nil: nobody gave one.
  package subscript(key: ObjectIdentifier) -> (any Sendable)? {
    get { values[key] }
    set { values[key] = newValue }
  }

  package var isEmpty: Bool { values.isEmpty }

  /// These values, and over them those that `other` gives.
  package func overridden(by other: TransactionValues) -> TransactionValues {
    var copy = self
    copy.values.merge(other.values) { $1 }
    return copy
  }

  /// Runs a body in which writes carry these values over those of the outer transaction.
  func carry(_ body: () -> Void) {
    if isEmpty { return body() }
    let carried = Carried(TransactionValues.current.overridden(by: self))
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
  private final class Carried {
    let values: TransactionValues

    init(_ values: TransactionValues) { self.values = values }
  }
}

extension TransactionValues: Equatable {
  /// Whether both give the same values. Of those that cannot be compared, none is the same.
  package static func == (left: TransactionValues, right: TransactionValues) -> Bool {
    left.values.count == right.values.count
      && left.values.allSatisfy { key, value in
        right.values[key].flatMap { areEqual(value, $0) } ?? false
      }
  }
}
