public import Synchronization

/// Space for one value inside something that does not move, reached by its address.
///
/// `Mutex` and `Atomic` are made of the same raw layout: the value lies inline, yet belongs to whoever holds its
/// guard, however many threads borrow the thing around it. The parts of a record that have different guards are
/// each such a space, so that to change one is no access to its neighbours.
@usableFromInline struct Inline<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Sendable: holds no guard of its own; every declaration names the guard under which `address` is used.
  @usableFromInline let cell: _Cell<Value>

  @inlinable @inline(__always) init(_ value: consuming Value) {
    cell = _Cell(value)
  }

  @inlinable @inline(__always) var address: UnsafeMutablePointer<Value> { cell._address }
}
