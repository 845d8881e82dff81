import CThread
import Synchronization

/// What the running thread knows of the graph: whose reads are noted, and who waits for the flush.
///
/// Held for the length of one synchronous call only, never across a suspension.
typealias ThisThread = UnsafeMutablePointer<starling_thread_state>

@inline(__always) func thisThread() -> ThisThread {
  starling_this_thread()
}

extension ThisThread {
  /// The reader whose body runs here, or nil where reads are nobody's.
  @inline(__always) var reader: ReaderPointer? {
    get { pointee.reader?.assumingMemoryBound(to: Reader.self) }
    nonmutating set { pointee.reader = newValue.map { UnsafeMutableRawPointer($0) } }
  }

  /// A number that no other call in this process returns: names runs, sources and flushes.
  @inline(__always) func nextNumber() -> UInt64 {
    if pointee.last_number == pointee.end_number { takeNumbers() }
    pointee.last_number += 1
    return pointee.last_number
  }

  /// Numbers are taken in blocks, so that threads do not contend for each.
  @inline(never) private func takeNumbers() {
    let block: UInt64 = 1 << 20
    let (first, _) = numbersTaken.wrappingAdd(block, ordering: .relaxed)
    pointee.last_number = first
    pointee.end_number = first + block
  }

  /// Runs `body` with its reads noted for `reader`.
  @inline(__always) func reading<Result, Failure: Error>(
    for reader: ReaderPointer?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = self.reader
    self.reader = reader
    defer { self.reader = outer }
    return try body()
  }
}

private let numbersTaken = Atomic<UInt64>(0)
