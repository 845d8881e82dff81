/// A value that is looked at where it stands.
///
/// Passing on an element of an array copies it first, with a retain and a release for every text and array
/// that it holds, because the compiler cannot know that nobody writes to the array during the call. What cannot be
/// copied is borrowed instead: to look at a value costs nothing, and only what is kept is ever copied.
@usableFromInline
package struct Borrowed<Value>: ~Copyable {
  @usableFromInline package let value: Value

  /// What stands at `place`, which holds it and is not written to as long as it is looked at.
  @inlinable @inline(__always)
  package static func at(_ place: UnsafePointer<Value>) -> UnsafePointer<Borrowed> {
    // A struct of one field has the layout of that field.
    UnsafeRawPointer(place).assumingMemoryBound(to: Borrowed.self)
  }
}

extension Array {
  /// Calls `body` with the elements, none of them copied.
  @inlinable @inline(__always)
  package func withBorrowed<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<Borrowed<Element>>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { elements throws(Failure) in
      try body(UnsafeBufferPointer(start: elements.baseAddress.map { Borrowed.at($0) }, count: elements.count))
    }
  }

  /// Calls `body` with each element, in order.
  @inlinable @inline(__always)
  package func forEachBorrowed<Failure: Error>(
    _ body: (borrowing Borrowed<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    try withBorrowed { elements throws(Failure) in
      for place in elements.indices { try body(elements[place]) }
    }
  }
}

extension Change {
  /// Calls `body` with the change, not copied.
  @inlinable @inline(__always)
  package func borrow<Result, Failure: Error>(
    _ body: (borrowing Borrowed<Change>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafePointer(to: self) { place throws(Failure) in try body(Borrowed.at(place).pointee) }
  }
}

extension Borrowed<Change> {
  /// Whether it begins in a text or a list.
  @inlinable
  package var isOnSequence: Bool {
    value.operations.withUnsafeBufferPointer { $0.first?.action.isOnSequence ?? false }
  }
}
