import CThread
import Synchronization
#if os(Linux)
  @_spi(SwiftUI) import Observation
#else
  import Observation
#endif

/// What the standard library observes on this thread.
///
/// `withObservationTracking` leaves in a thread-local word where the list is that reads are noted in:
///
///     thread ──▶ word ──▶ list of the innermost scope, or nil: nobody tracks
///
/// The graph puts a list of its own there while one of its readers runs, so that a reader follows the standard
/// library's objects as well, and nil where reads are nobody's. So of every read it is known who hears of it, and
/// what a reader or a derived value reads does not pass for a read of the scope that it happens to run in.
///
/// The word has no name. It is found by what happens to it: of the few words that the library has on this thread, it is
/// the one that points into the stack inside a scope, elsewhere in a scope within that, and is as before afterwards.
/// Where it is not found, a reader's scope is `withObservationTracking` itself, whose reads are the outer scope's too.
enum ObservationScope {
  typealias Word = UnsafeMutablePointer<UnsafeMutableRawPointer?>

  /// Where the word lies among the library's; nil if it was not found.
  static let place: Int? = find()

  private static var block: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?> {
    let library = unsafeBitCast(ObservationRegistrar.self as Any.Type, to: UnsafeRawPointer.self)
    let block = starling_thread_block(library)
    return UnsafeMutableBufferPointer(start: block.words, count: block.count)
  }

  /// The word on the calling thread.
  static func word() -> Word? {
    guard let place else { return nil }
    var block = block
    if block.isEmpty {
      // A library that was loaded late has its variables on a thread from their first use on.
      withObservationTracking {
      } onChange: {
      }
      block = self.block
    }
    guard place < block.count else { return nil }
    return block.baseAddress.map { $0 + place }
  }

  private static func find() -> Int? {
    #if os(Linux)
      guard List.isWord else { return nil }
      var (outer, inner): ([UnsafeMutableRawPointer?], [UnsafeMutableRawPointer?]) = ([], [])
      let before = Array(block)
      withObservationTracking {
        outer = Array(block)
        withObservationTracking {
          inner = Array(block)
        } onChange: {
        }
      } onChange: {
      }
      let after = Array(block)
      guard before.count == outer.count, outer.count == inner.count, inner.count == after.count else { return nil }
      let places = before.indices.filter { place in
        before[place] == after[place] && isOnStack(outer[place]) && isOnStack(inner[place])
          && outer[place] != inner[place] && before[place] != outer[place]
      }
      return places.count == 1 ? places.first : nil
    #else
      return nil
    #endif
  }

  /// Whether an address lies within a megabyte of the caller's variables.
  private static func isOnStack(_ address: UnsafeMutableRawPointer?) -> Bool {
    guard let address else { return false }
    var mark = 0
    return withUnsafeMutablePointer(to: &mark) { mark in
      abs(Int(bitPattern: address) &- Int(bitPattern: mark)) < 1 << 20
    }
  }
}

#if os(Linux)
  extension ObservationScope {
    /// The list of a reader's scope, which the library finds by its address and makes at the first read.
    ///
    /// Only the library knows how it lies in memory, and asking takes hundreds of instructions a run. The graph looks at
    /// the word: `isWord` says that the optional is that and no more, and that nil is zero; nil has no other form then.
    struct List {
      private typealias Value = ObservationTracking._AccessList?

      let address: UnsafeMutableRawPointer

      /// Whether the library's optional is one word, and nil is zero.
      static var isWord: Bool {
        let value: Value = nil
        return withUnsafeBytes(of: value) { bytes in
          bytes.count == MemoryLayout<UInt>.size && bytes.loadUnaligned(as: UInt.self) == 0
        }
      }

      /// Runs `body` with a list that is nil. Whoever finds it to be another afterwards takes it.
      @inline(__always) static func withNil<Result, Failure: Error>(
        _ body: (List) throws(Failure) -> Result
      ) throws(Failure) -> Result {
        try withUnsafeTemporaryAllocation(
          byteCount: MemoryLayout<UInt>.size, alignment: MemoryLayout<UInt>.alignment
        ) { bytes throws(Failure) in
          bytes.storeBytes(of: 0, as: UInt.self)
          return try body(List(address: bytes.baseAddress.unsafelyUnwrapped))
        }
      }

      @inline(__always) var isNil: Bool { address.load(as: UInt.self) == 0 }

      /// The list, which is not looked at any more.
      func take() -> ObservationTracking._AccessList? {
        address.assumingMemoryBound(to: Value.self).move()
      }
    }
  }
#endif

extension ThisThread {
  /// Where the standard library keeps its list on this thread; nil if that was not found.
  @inline(__always) var observation: ObservationScope.Word? {
    if let known = pointee.observation { return known }
    return findObservation()
  }

  @inline(never) private func findObservation() -> ObservationScope.Word? {
    guard ObservationScope.place != nil else { return nil }
    pointee.observation = ObservationScope.word()
    return pointee.observation
  }

  /// Runs `body` with its reads noted for nobody, neither in the graph nor by the standard library. A scope that
  /// `body` itself begins is heard.
  @inline(__always) func silently<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (outer, outerList) = (reader, pointee.own_list)
    let word = observation
    let scope = word?.pointee
    reader = nil
    pointee.own_list = nil
    word?.pointee = nil
    defer {
      reader = outer
      pointee.own_list = outerList
      word?.pointee = scope
    }
    return try body()
  }
}

#if os(Linux)
  /// Whether one tracking told that a change begins.
  private final class MarkedFlag: Sendable {
    let value = Atomic(false)
  }
#endif

/// What a reader read of the standard library's objects in its present or last run: one source, which changes when any
/// of them does.
final class ForeignReads: Sendable {
  private let home = Home()
  private let source = Source()
  #if os(Linux)
    private let tracking = Inline<ObservationTracking?>(nil)
  #endif

  /// Notes the source as read by the reader's present run.
  private func note(_ reader: ReaderPointer) {
    let owningLock = home.record.lock()
    source.note(reader, home: home.record)
    owningLock.unlock()
  }

  /// Says that what was read is about to change; the reader runs after `tell`.
  ///
  /// All who read the property hear of it before any of them runs: so a reader finds no derived value that does not
  /// know of the change yet, and runs once, by however many ways it read.
  private func mark() {
    let thread = thisThread()
    let owningLock = home.record.lock()
    source.touch(on: thread)
    owningLock.unlock()
  }

  /// Wakes the reader.
  ///
  /// - Parameter isMarked: Whether it was told before the change. One that began to read in between was not.
  private func tell(isMarked: Bool = false) {
    if isMarked { batch {} } else { source.touch(in: home) }
  }

  #if os(Linux)
    /// Follows what is in the list, in place of what it followed before. Called by the reader's runner.
    ///
    /// What another thread changes between the read and this call is missed, as it is by the library's own scopes.
    func follow(_ list: ObservationTracking._AccessList, for reader: ReaderPointer) {
      forget()
      note(reader)
      let tracking = ObservationTracking(list)
      self.tracking.address.pointee = tracking
      // The reader runs after the change, and so reads the new value.
      let isMarked = MarkedFlag()
      ObservationTracking._installTracking(
        tracking,
        willSet: { [weak self] _ in
          self?.mark()
          isMarked.value.store(true, ordering: .releasing)
        },
        didSet: { [weak self] _ in self?.tell(isMarked: isMarked.value.exchange(false, ordering: .acquiring)) })
    }

    /// Follows nothing any more.
    func forget() {
      tracking.address.pointee?.cancel()
      tracking.address.pointee = nil
    }

    deinit {
      tracking.address.pointee?.cancel()
    }
  #else
    func forget() {}
  #endif

  /// Runs `body` in a scope of the library, where its word is not known: whoever is woken comes after the change by a
  /// job, for the library tells before it.
  func scope<Result>(of reader: ReaderPointer, _ body: () -> Result) -> Result {
    var isForeign = false
    func follower() -> @Sendable () -> Void {
      isForeign = true
      return { [weak self] in Task { self?.tell() } }
    }
    let result = withObservationTracking(body, onChange: follower())
    if isForeign { note(reader) }
    return result
  }
}
