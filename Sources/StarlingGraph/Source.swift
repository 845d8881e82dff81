/// Something that can be read and change, without a value of its own: a count, an order, a conflict.
///
/// Declared with `let` in a class. It costs eight bytes until an observer reads it.
public struct Source: ~Copyable, @unchecked Sendable {
  // Sendable: what lies here is guarded by the lock of the home that is handed in, always the same one.
  private let record = Inline<SourcePointer?>(nil)

  /// A source without readers.
  public init() {}

  deinit {
    // Nobody else can reach this source any more, so the pointer stands still; its readers can reach the record.
    guard let record = record.address.pointee else { return }
    record.end(under: record.pointee.home.lock())
  }

  // MARK: For cells, whose generic code lies in other modules

  /// Locks the home and notes that the current observer, if there is one, read this.
  ///
  /// - Returns: What to `unlock`.
  @usableFromInline borrowing func lockNoting(in home: HomePointer) -> HomePointer {
    let owningLock = home.lock()
    if let reader = thisThread().reader { note(reader, home: home) }
    return owningLock
  }

  /// Marks who read this and unlocks. Ends what `openWrite` began, but for the batch.
  @usableFromInline borrowing func closeWrite(_ owningLock: HomePointer) {
    touch(on: thisThread())
    owningLock.unlock()
  }

  // MARK: For what is stored elsewhere

  /// Notes that the current observer, if there is one, read this. Called before what it stands for is read.
  package borrowing func track(in home: borrowing Home) {
    guard let reader = thisThread().reader else { return }
    let owningLock = home.record.lock()
    note(reader, home: home.record)
    owningLock.unlock()
  }

  /// Wakes the readers of this. Called after what it stands for has changed.
  package borrowing func touch(in home: borrowing Home) {
    let thread = thisThread()
    thread.openBatch()
    let owningLock = home.record.lock()
    touch(on: thread)
    owningLock.unlock()
    thread.closeBatch()
  }

  /// Wakes the readers of this and of another source of the same home, in one turn under its lock.
  package borrowing func touch(with other: borrowing Source, in home: borrowing Home) {
    let thread = thisThread()
    thread.openBatch()
    let owningLock = home.record.lock()
    touch(on: thread)
    other.touch(on: thread)
    owningLock.unlock()
    thread.closeBatch()
  }

  /// Whether an observer that still runs has read this.
  package borrowing func hasReaders(in home: borrowing Home) -> Bool {
    let owningLock = home.record.lock()
    defer { owningLock.unlock() }
    return record.address.pointee?.guarded.pointee.firstReader != nil
  }

  /// Under the home's lock.
  @inline(__always) borrowing func note(_ reader: ReaderPointer, home: HomePointer) {
    if let record = record.address.pointee { record.note(reader) } else { noteFirst(reader, home: home) }
  }

  @inline(never) private borrowing func noteFirst(_ reader: ReaderPointer, home: HomePointer) {
    let made = SourcePointer.make(in: home, owner: .cell)
    record.address.pointee = made
    made.note(reader)
  }

  /// Under the home's lock.
  @inline(__always) borrowing func touch(on thread: ThisThread) {
    record.address.pointee?.touch(on: thread)
  }
}
