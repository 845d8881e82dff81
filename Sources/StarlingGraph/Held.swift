/// Proof that a lock is held, and what can be done with the cells and sources under it: several in one step that
/// no thread sees half of.
///
/// Nothing of the user's may run before the lock is open: values are decoded and compared before, and what is
/// displaced is swapped out, to be released after.
package struct Held: ~Copyable {
  fileprivate let owningLock: HomePointer
  fileprivate let thread: ThisThread

  /// Stores what `value` holds, leaves what the cell held in `value`, and marks who read the cell.
  package func swap<Value>(_ value: inout Value, in cell: borrowing Cell<Value>) {
    Swift.swap(&cell.value.address.pointee, &value)
    cell.source.touch(on: thread)
  }

  /// The value, noted for nobody.
  package func peek<Value>(_ cell: borrowing Cell<Value>) -> Value {
    cell.value.address.pointee
  }

  /// The value, noted as read by the current observer.
  package func read<Value>(_ cell: borrowing Cell<Value>, in home: borrowing Home) -> Value {
    track(cell.source, in: home)
    return cell.value.address.pointee
  }

  package func track(_ source: borrowing Source, in home: borrowing Home) {
    if let reader = thread.reader { source.note(reader, home: home.record) }
  }

  package func touch(_ source: borrowing Source) {
    source.touch(on: thread)
  }

  package func track<Key>(_ key: Key, of sources: KeyedSources<Key>, in home: borrowing Home) {
    if let reader = thread.reader { sources.note(key, for: reader, home: home.record) }
  }

  package func touch<Key>(_ key: Key, of sources: KeyedSources<Key>) {
    sources.touch(key, on: thread)
  }

  package func touchAll<Key>(of sources: KeyedSources<Key>) {
    sources.touchAll(on: thread)
  }
}

extension Home {
  /// Holds the lock that rules this home while `body` reads and stores; then wakes the marked readers, once.
  ///
  /// Every cell and source that `body` names has this home, or one under the same document.
  package borrowing func hold<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing Held) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let owningLock = record.openWrite()
    let thread = thisThread()
    defer {
      // The lock opens first, the readers run after.
      owningLock.unlock()
      thread.closeBatch()
    }
    return try body(Held(owningLock: owningLock, thread: thread))
  }
}

extension Domain {
  /// Holds the document's lock while `body` reads and stores; then wakes the marked readers, once.
  package func hold<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing Held) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try home.hold(body)
  }
}
