public import CThread

/// Runs `body`; what it writes wakes each reader once, when the outermost batch of this thread has ended.
///
/// No lock is held during a batch: what is written is visible at once, only the waking waits. So a caller can act
/// between storing and flushing, and batches nest at the cost of a counter.
@inlinable @inline(__always) public func batch<Result: ~Copyable, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  thisThread().openBatch()
  defer { endBatch() }
  return try body()
}

/// The same, with the end of the batch, and so the waking if this is the outermost, run by `flushing`.
package func batch<Result: ~Copyable, Failure: Error>(
  _ body: () throws(Failure) -> Result, flushing: (_ flush: () -> Void) -> Void
) throws(Failure) -> Result {
  let thread = thisThread()
  thread.openBatch()
  defer { flushing { thread.closeBatch() } }
  return try body()
}

/// An observer that runs more often than this in one flush is in a cycle, and is cut off.
let runsInFlushMax = 100

extension ThisThread {
  @inlinable @inline(__always) func openBatch() {
    pointee.open_batches += 1
  }

  @inline(__always) func closeBatch() {
    if pointee.open_batches == 1, pointee.first_queued != nil { flush() }
    pointee.open_batches -= 1
  }

  /// To run when the outermost batch ends. The queue has a hold on the reader until it takes it off again.
  @inline(__always) func enqueue(_ reader: ReaderPointer) {
    if let last = pointee.last_queued {
      last.assumingMemoryBound(to: Reader.self).nextQueued = reader
    } else {
      pointee.first_queued = UnsafeMutableRawPointer(reader)
    }
    pointee.last_queued = UnsafeMutableRawPointer(reader)
  }

  @inline(__always) private func dequeue() -> ReaderPointer? {
    guard let first = pointee.first_queued?.assumingMemoryBound(to: Reader.self) else { return nil }
    pointee.first_queued = first.nextQueued.map { UnsafeMutableRawPointer($0) }
    if pointee.first_queued == nil { pointee.last_queued = nil }
    first.nextQueued = nil
    return first
  }

  /// Runs the waiting observers, and those that start to wait while it does: the batch stays open, so that a write in
  /// an observer queues and nothing recurs.
  @inline(never) private func flush() {
    let isFirst = pointee.wave == 0
    if isFirst { pointee.wave = nextNumber() }
    silently {
      while let reader = dequeue() { reader.perform(on: self) }
    }
    if isFirst { pointee.wave = 0 }
  }
}

/// Ends a batch that was begun by code in other modules.
@usableFromInline func endBatch() {
  thisThread().closeBatch()
}
