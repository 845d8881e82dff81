/// The storage of one property: its value, inline, and the way to its readers.
///
///     class Book                     Cell
///     ┌────────┬────────┬───────┐    ┌───────┬────────┐
///     │ header │ _title │ _year │    │ value │ source │ ──▶ its record, once an observer has read it
///     └────────┴────────┴───────┘    └───────┴────────┘
///
/// Declared with `let` in a class: `let _title = Cell("")`. A cell always names the same home; the home's lock
/// guards value and readers together, so that what an observer saw and what wakes it cannot differ. Values are
/// copied, stored and swapped under that lock, never compared, hashed or released: an old value is released
/// after unlocking, so its `deinit` may read and write cells.
public struct Cell<Value>: ~Copyable {
  @usableFromInline let value: Inline<Value>
  @usableFromInline let source = Source()

  /// Stores a first value; nobody is woken.
  @inlinable public init(_ value: consuming Value) {
    self.value = Inline(value)
  }

  /// The value, noted as read by the current observer.
  @inlinable @inline(__always) public borrowing func read(in home: borrowing Home) -> Value {
    let owningLock = source.lockNoting(in: home.record)
    defer { owningLock.unlock() }
    return value.address.pointee
  }

  /// The value, noted for nobody.
  @inlinable public borrowing func peek(in home: borrowing Home) -> Value {
    let owningLock = home.record.lock()
    defer { owningLock.unlock() }
    return value.address.pointee
  }

  /// Stores a value, equal to the old one or not, and wakes the cell's readers.
  ///
  /// To act between storing and waking, write in a `batch`: the value is stored and the lock open when this
  /// returns, and the batch's end wakes.
  @inlinable public borrowing func write(_ value: consuming Value, in home: borrowing Home) {
    let owningLock = home.record.openWrite()
    swap(&self.value.address.pointee, &value)
    source.closeWrite(owningLock)
    // The old value goes here: after the lock is open, before the readers run. Left alone, the optimizer would
    // release it at its last use, which is the swap.
    withExtendedLifetime(value) {}
    _ = consume value
    endBatch()
  }

  /// Stores a value and wakes the cell's readers.
  ///
  /// - Returns: The value before.
  @inlinable public borrowing func exchange(_ value: consuming Value, in home: borrowing Home) -> Value {
    let owningLock = home.record.openWrite()
    swap(&self.value.address.pointee, &value)
    source.closeWrite(owningLock)
    withExtendedLifetime(value) {}  // As in `write`, for a caller that does not look at it.
    endBatch()
    return value
  }

  /// Stores a value that differs from the present one; an equal one changes nothing and wakes nobody.
  ///
  /// - Parameters:
  ///   - value: The value to store.
  ///   - home: The lock that owns this cell.
  ///   - isEqual: Called with no lock held, on the present value and the new one.
  /// - Returns: Whether it was stored.
  @inlinable @discardableResult public borrowing func write(
    _ value: consuming Value, in home: borrowing Home, unless isEqual: (Value, Value) -> Bool
  ) -> Bool {
    if isEqual(peek(in: home), value) { return false }
    write(value, in: home)
    return true
  }
}

// The home's lock guards the value, and whoever reaches one cell names one home.
extension Cell: @unchecked Sendable where Value: Sendable {}
