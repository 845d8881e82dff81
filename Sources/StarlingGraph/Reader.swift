import CThread
import Synchronization

/// A reader: an observer or a derived value. It owns the links to what it read.
///
/// One word tells an observer's state; its runs are exclusive:
///
///              write            flush              body ends
///     (idle) ───────▶ queued ──────────▶ running ─────────────▶ (idle)
///                       ▲                  │ write
///                       └── body ends ── running, stale         cancelled, in any state: no run begins any more
///
/// A queued reader belongs to the queue or the job it waits in, a running one to its runner. Whoever takes the
/// last of these from a cancelled reader unlinks and frees it; until then every pointer to it is good.
struct Reader: ~Copyable {
  let state: Atomic<UInt32>
  /// The number of its present or last run.
  let run = Atomic<UInt64>(0)
  /// The flush in which the write was made that woke it; 0: none, somebody wrote of their own accord.
  let cause = Atomic<UInt64>(0)
  /// What to do when woken; nil for a derived value, which waits to be asked.
  ///
  /// Held until the reader dies. Not counted at each look, which costs as much as taking a lock: a queued or running
  /// reader is alive.
  let effect: Unmanaged<Effect>?
  /// The runner's.
  let own = Inline(Own())
  /// The next in a thread's queue, or among the derived values over which a write spreads: the queue's, or guarded
  /// by the derived domain's lock.
  let queue = Inline<ReaderPointer?>(nil)
  /// The readers of a derived value, if it has any. Guarded by the derived domain's lock.
  let readers = Inline<SourcePointer?>(nil)

  struct Own: ~Copyable {
    var dependencies = Dependencies()
    /// Of the standard library's objects; nil until a run has read one.
    var foreign: ForeignReads?
    /// What lives as long as the run that read it counts.
    var kept: [AnyObject] = []
    /// The same of the run before, until the present one has found what it reads.
    var keptBefore: [AnyObject] = []
    /// How many runs in a row were caused by writes of observers in one flush.
    var runsInWave = 0
    /// What it wrote in the last of them, for the diagnostic.
    var writes: [String] = []
  }

  init(_ effect: Effect?, state: State) {
    self.effect = effect.map { .passRetained($0) }
    self.state = Atomic(state.rawValue)
  }

  deinit {
    effect?.release()
  }

  struct State: OptionSet {
    let rawValue: UInt32

    /// Something that it read has changed. An observer that was told stays stale until it tracks again.
    static let stale = State(rawValue: 1)
    /// A derived value that it read may have changed.
    static let doubtful = State(rawValue: 2)
    static let queued = State(rawValue: 4)
    static let running = State(rawValue: 8)
    static let cancelled = State(rawValue: 16)
  }
}

typealias ReaderPointer = UnsafeMutablePointer<Reader>

extension ReaderPointer {
  @inline(__always) var own: UnsafeMutablePointer<Reader.Own> { pointee.own.address }

  @inline(__always) var nextQueued: ReaderPointer? {
    get { pointee.queue.address.pointee }
    nonmutating set { pointee.queue.address.pointee = newValue }
  }

  @inline(__always) var source: SourcePointer? {
    get { pointee.readers.address.pointee }
    nonmutating set { pointee.readers.address.pointee = newValue }
  }

  static func make(_ effect: Effect?, state: Reader.State) -> ReaderPointer {
    let reader = ReaderPointer.allocate(capacity: 1)
    reader.initialize(to: Reader(effect, state: state))
    thisThread().pointee.census.readers += 1
    return reader
  }

  /// Drops everything it read, and dies. Called by the last who has a hold on it, with no lock held.
  @inline(never) func dispose() {
    own.pointee.dependencies.removeAll()
    deinitialize(count: 1)
    deallocate()
    thisThread().pointee.census.readers -= 1
  }

  /// Runs `body`, noting what it reads in place of what the last run read. Called by the runner.
  @inline(__always) func run<Result, Failure: Error>(
    on thread: ThisThread, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pointee.run.store(thread.nextNumber(), ordering: .relaxed)
    own.pointee.dependencies.rewind()
    if !own.pointee.kept.isEmpty { swap(&own.pointee.kept, &own.pointee.keptBefore) }
    defer {
      own.pointee.dependencies.trim()
      if !own.pointee.keptBefore.isEmpty { releaseKept() }
    }
    return try thread.reading(for: self, body)
  }

  /// What goes may read and write on its way.
  @inline(never) private func releaseKept() {
    let kept = own.pointee.keptBefore
    own.pointee.keptBefore = []
    withExtendedLifetime(kept) {}
  }
}

// MARK: State

extension ReaderPointer {
  /// Changes the state in one step.
  ///
  /// - Parameter change: Returns the next state, or nil to leave it.
  /// - Returns: The state before.
  @inline(__always) @discardableResult
  func move(_ change: (Reader.State) -> Reader.State?) -> Reader.State {
    var old = pointee.state.load(ordering: .relaxed)
    while let new = change(Reader.State(rawValue: old)) {
      let (isExchanged, found) = pointee.state.weakCompareExchange(
        expected: old, desired: new.rawValue, ordering: .acquiringAndReleasing)
      if isExchanged { break }
      old = found
    }
    return Reader.State(rawValue: old)
  }

  /// Makes an observer run, or be told, when the outermost batch of this thread ends.
  ///
  /// - Parameter link: What it read and is out of date; its source's lock is held.
  @inline(__always) func wake(_ reason: Reader.State, through link: LinkPointer, on thread: ThisThread) {
    let old = move { old in
      if !old.isDisjoint(with: [.cancelled, .stale, reason]) { return nil }
      if old.contains(.running) {
        // A run that has yet to read this will see what it reads; one that will not, lets the link go.
        return link.guarded.pointee.run == pointee.run.load(ordering: .relaxed) ? old.union(reason) : nil
      }
      return old.union([reason, .queued])
    }
    if old.isDisjoint(with: [.cancelled, .stale, .doubtful]) {
      pointee.cause.store(thread.pointee.wave, ordering: .relaxed)
      if old.isDisjoint(with: [.queued, .running]) { thread.enqueue(self) }
    }
  }

  /// No run begins after this; one that another thread is in goes on.
  func cancel() {
    let old = move { $0.union(.cancelled) }
    if old.isDisjoint(with: [.queued, .running]) { dispose() }
  }

  /// The runner drops it.
  @inline(__always) func finish(on thread: ThisThread) {
    let old = move { old in
      let isAgain = !old.contains(.cancelled) && !old.isDisjoint(with: [.stale, .doubtful])
      return isAgain ? old.subtracting(.running).union(.queued) : old.subtracting(.running)
    }
    if old.contains(.queued) { return }
    if old.contains(.cancelled) {
      dispose()
    } else if !old.isDisjoint(with: [.stale, .doubtful]) {
      thread.enqueue(self)
    }
  }
}
