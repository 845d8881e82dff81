/// What one thread alone touches, held by others: how a link, which any thread may ask, stands before its sockets.
///
/// An actor with the thread as its executor would do as well, but for its price: each call from outside goes by
/// `assumeIsolated`, which finds out by casts and conformances what one comparison tells here, and takes some nine hundred
/// instructions. A turn of a link had four of them.
package struct ThreadBound<Value: AnyObject>: @unchecked Sendable {
  // Sendable: `value` is reached on `thread` alone, and nobody else has it (`sending`).
  @usableFromInline package let thread: LinkThread
  @usableFromInline let value: Value

  package init(_ value: sending Value, to thread: LinkThread) {
    self.value = value
    self.thread = thread
  }

  /// Does something with the value. Traps on any other thread.
  @inlinable
  package func callAsFunction<Result: Sendable>(_ body: (Value) throws -> Result) rethrows -> Result {
    thread.checkIsolated()
    return try body(value)
  }
}
