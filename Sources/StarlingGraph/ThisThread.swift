public import CThread
import Synchronization
#if os(Linux)
  @_spi(SwiftUI) import Observation
#endif

/// What the running thread knows of the graph: the observer whose reads are noted, and those that wait for the flush.
///
/// Held for the length of one synchronous call only, never across a suspension.
@usableFromInline typealias ThisThread = UnsafeMutablePointer<starling_thread_state>

@inlinable @inline(__always) func thisThread() -> ThisThread {
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

  /// Runs `body` with its reads noted for `reader`, in the graph and by the standard library. Called by the runner.
  @inline(__always) func reading<Result, Failure: Error>(
    for reader: ReaderPointer, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    #if os(Linux)
      if let word = observation {
        return try reading(for: reader, word, body)
      }
    #endif
    return try readingInScope(for: reader, body)
  }

  #if os(Linux)
    @inline(__always) private func reading<Result, Failure: Error>(
      for reader: ReaderPointer, _ word: ObservationScope.Word, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      let (outer, outerList, scope) = (self.reader, pointee.own_list, word.pointee)
      return try ObservationScope.List.withNil { list throws(Failure) in
        self.reader = reader
        pointee.own_list = list.address
        word.pointee = list.address
        defer {
          self.reader = outer
          pointee.own_list = outerList
          word.pointee = scope
          if !list.isNil || reader.own.pointee.foreign != nil { follow(list, for: reader) }
        }
        return try body()
      }
    }

    @inline(never) private func follow(_ list: ObservationScope.List, for reader: ReaderPointer) {
      guard let list = list.take() else {
        reader.own.pointee.foreign?.forget()
        return
      }
      let foreign = reader.own.pointee.foreign ?? ForeignReads()
      reader.own.pointee.foreign = foreign
      foreign.follow(list, for: reader)
    }
  #endif

  /// The same, where the library's word is not known.
  @inline(never) private func readingInScope<Result, Failure: Error>(
    for reader: ReaderPointer, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (outer, wasSilent) = (self.reader, pointee.is_silent)
    self.reader = reader
    pointee.is_silent = false
    defer {
      self.reader = outer
      pointee.is_silent = wasSilent
    }
    let foreign = reader.own.pointee.foreign ?? ForeignReads()
    reader.own.pointee.foreign = foreign
    let result: Swift.Result<Result, Failure> = foreign.scope(of: reader) {
      do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

private let numbersTaken = Atomic<UInt64>(0)
