/// A key that sources can be kept under: its `==` and hash run while a lock is held, so they must be this
/// project's own or the standard library's, and read no cell. A type of the user's is never one.
package protocol SourceKey: Hashable, Sendable {}

extension Int: SourceKey {}
extension UInt32: SourceKey {}
extension UInt64: SourceKey {}
extension String: SourceKey {}

/// Sources without values, one for each key that an observer has read: a dictionary's keys, a set's members, a
/// list's elements.
///
/// A source is made by the first tracked read of its key and goes with its last reader; what nobody reads costs
/// nothing.
package final class KeyedSources<Key: SourceKey>: SourceTable, @unchecked Sendable {
  // Sendable: everything that changes is guarded by the lock of the home that is handed in, always the same one.
  private var sources: [Key: SourcePointer] = [:]
  private var keys: [SourcePointer: Key] = [:]
  /// The home, once there was a source; referred to until the table goes.
  private var home: HomePointer?

  package override init() {}

  deinit {
    guard let home else { return }
    let owningLock = home.lock()
    let dropped = keys.keys.reduce(1) { $0 + $1.detach() }
    home.release(dropped, under: owningLock)
  }

  /// Notes that the current observer, if there is one, read this key. Called before what it stands for is read.
  package func track(_ key: Key, in home: borrowing Home) {
    guard let reader = thisThread().reader else { return }
    let owningLock = home.record.lock()
    note(key, for: reader, home: home.record)
    owningLock.unlock()
  }

  /// Whether an observer has read the key.
  package func hasReaders(_ key: Key, in home: borrowing Home) -> Bool {
    let owningLock = home.record.lock()
    defer { owningLock.unlock() }
    return sources[key] != nil
  }

  /// Whether an observer has read any key.
  package func hasReaders(in home: borrowing Home) -> Bool {
    let owningLock = home.record.lock()
    defer { owningLock.unlock() }
    return !sources.isEmpty
  }

  /// Wakes the readers of the keys. Called after what they stand for has changed.
  package func touch(_ keys: some Sequence<Key>, in home: borrowing Home) {
    let thread = thisThread()
    let owningLock = home.record.openWrite()
    for key in keys { touch(key, on: thread) }
    owningLock.unlock()
    thread.closeBatch()
  }

  package func touch(_ key: Key, in home: borrowing Home) {
    let thread = thisThread()
    let owningLock = home.record.openWrite()
    // Nearly always nobody reads by key, and hashing one takes longer than to see that.
    if !sources.isEmpty { touch(key, on: thread) }
    owningLock.unlock()
    thread.closeBatch()
  }

  /// Wakes the readers of the keys for which `isTouched` returns true; that is Starling's own code, and runs under the
  /// home's lock.
  ///
  /// - Complexity: O(keys that somebody reads)
  package func touch(in home: borrowing Home, where isTouched: (Key) -> Bool) {
    let thread = thisThread()
    let owningLock = home.record.openWrite()
    for (key, source) in sources where isTouched(key) { source.touch(on: thread) }
    owningLock.unlock()
    thread.closeBatch()
  }

  /// Wakes the readers of any key.
  package func touchAll(in home: borrowing Home) {
    let thread = thisThread()
    let owningLock = home.record.openWrite()
    touchAll(on: thread)
    owningLock.unlock()
    thread.closeBatch()
  }

  // MARK: Under the home's lock

  func note(_ key: Key, for reader: ReaderPointer, home: HomePointer) {
    if let source = sources[key] { return source.note(reader) }
    if self.home == nil {
      self.home = home
      home.retain()
    }
    let source = SourcePointer.make(in: home, owner: .table(.passUnretained(self)))
    sources[key] = source
    keys[source] = key
    source.note(reader)
  }

  func touch(_ key: Key, on thread: ThisThread) {
    sources[key]?.touch(on: thread)
  }

  func touchAll(on thread: ThisThread) {
    for source in keys.keys { source.touch(on: thread) }
  }

  override func forget(_ source: SourcePointer) {
    guard let key = keys.removeValue(forKey: source) else { return }
    sources[key] = nil
  }
}

/// Keeps sources by key, whatever the keys are.
package class SourceTable {
  /// The source's last reader has left. Under the home's lock.
  func forget(_ source: SourcePointer) {
    preconditionFailure("A table knows its keys.")
  }
}
