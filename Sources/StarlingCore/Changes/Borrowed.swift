/// An operation that is looked at where it stands.
///
/// Passing on an element of an array copies it first, with a retain and a release for every text and array
/// that it holds, because the compiler cannot know that nobody writes to the array during the call. What cannot be
/// copied is borrowed instead: to look at an operation costs nothing, and only what is kept is ever copied.
@usableFromInline
package struct BorrowedOperation: ~Copyable {
  @usableFromInline package let operation: Operation
}

extension [Operation] {
  /// Calls `body` with each operation, in order.
  @inlinable @inline(__always)
  package func forEachBorrowed<Failure: Error>(
    _ body: (borrowing BorrowedOperation) throws(Failure) -> Void
  ) throws(Failure) {
    try withUnsafeBufferPointer { operations throws(Failure) in
      guard let first = operations.baseAddress else { return }
      // A struct of one field has the layout of that field. The array keeps the operations alive as long as the
      // call lasts, and nothing writes through this pointer.
      let borrowed = UnsafeRawPointer(first).assumingMemoryBound(to: BorrowedOperation.self)
      for place in operations.indices { try body(borrowed[place]) }
    }
  }
}

/// A change that is looked at where it stands, like its operations.
@usableFromInline
package struct BorrowedChange: ~Copyable {
  @usableFromInline package let change: Change

  /// Whether it begins in a text or a list.
  @inlinable
  package var isOnSequence: Bool {
    change.operations.withUnsafeBufferPointer { $0.first?.action.isOnSequence ?? false }
  }
}

extension Change {
  /// Calls `body` with the change, not copied.
  @inlinable @inline(__always)
  package func borrow<Result, Failure: Error>(
    _ body: (borrowing BorrowedChange) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafePointer(to: self) { place throws(Failure) in
      try body(UnsafeRawPointer(place).assumingMemoryBound(to: BorrowedChange.self).pointee)
    }
  }
}

extension [Change] {
  /// Calls `body` with the changes, none of them copied.
  @inlinable @inline(__always)
  package func withBorrowed<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<BorrowedChange>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { changes throws(Failure) in
      // As above: one field, the same layout, and nothing writes.
      let borrowed = UnsafeRawPointer(changes.baseAddress)?.assumingMemoryBound(to: BorrowedChange.self)
      return try body(UnsafeBufferPointer(start: borrowed, count: changes.count))
    }
  }
}
