import CThread
import Synchronization

/// What an observer does when something that it read has changed, and where.
final class Effect: Sendable {
  /// Names it in diagnostics.
  let name: String
  /// Of an observer that an actor keeps, and that must not hold the actor.
  private weak let owner: (any Actor)?
  private let isOwned: Bool
  private let heldIsolation: (any Actor)?
  let kind: Kind
  /// Called on `isolation`.
  let body: @Sendable () -> Void

  enum Kind {
    /// The body reads, and runs again.
    case runs
    /// The body hears that what was tracked is out of date, once until it is tracked again.
    case isTold
    /// The same, and may be called from anywhere: the isolation is that of derived values, which must be brought up to
    /// date to know whether there is anything to tell.
    case isToldAnywhere
  }

  init(name: String, isolation: (any Actor)?, kind: Kind, body: @escaping @Sendable () -> Void) {
    self.name = name
    owner = nil
    isOwned = false
    heldIsolation = isolation
    self.kind = kind
    self.body = body
  }

  /// - Parameter body: Does nothing where the owner has gone, and may be called on any thread then.
  init(name: String, owner: any Actor, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.owner = owner
    isOwned = true
    heldIsolation = nil
    kind = .runs
    self.body = body
  }

  /// Where its code runs; nil: on the thread that wrote.
  var isolation: (any Actor)? { isOwned ? owner : heldIsolation }

  /// Whether there is no isolation, and never was one.
  @inline(__always) var isAnywhere: Bool { !isOwned && heldIsolation == nil }
}

extension Effect {
  /// Where a queued observer is performed; nil: here. One that may be told here is, if it is out of date for certain or
  /// if the derived values in doubt may be asked here.
  @inline(__always) fileprivate func destination(of reader: ReaderPointer) -> (any Actor)? {
    guard !isAnywhere, let isolation else { return nil }
    guard case .isToldAnywhere = kind else { return isolation }
    let state = Reader.State(rawValue: reader.pointee.state.load(ordering: .acquiring))
    return state.contains(.stale) || isolation.isCurrent ? nil : isolation
  }
}

extension ReaderPointer {
  /// Takes an observer off the queue: runs or tells it, here or in a job on its isolation.
  @inline(__always) func perform(on thread: ThisThread) {
    guard let effect = pointee.effect else { return }
    if let isolation = effect._withUnsafeGuaranteedRef({ $0.destination(of: self) }) {
      let values = thread.pointee.transaction_values.map {
        Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
      }
      Job(reader: self, wave: thread.pointee.wave, values: values).enqueue(on: isolation)
    } else {
      performHere(effect, on: thread)
    }
  }

  /// The first run of an observer made queued: at once where the caller stands on its isolation, else in a job.
  func start(isHere: Bool) {
    guard let effect = pointee.effect else { return }
    let thread = thisThread()
    thread.openBatch()
    if isHere { performHere(effect, on: thread) } else { perform(on: thread) }
    thread.closeBatch()
  }

  /// Runs or tells a queued observer on its isolation.
  fileprivate func performHere(_ effect: Unmanaged<Effect>, on thread: ThisThread) {
    let old = move { old in
      if !old.isDisjoint(with: [.cancelled, .running]) { return old.subtracting(.queued) }
      return old.subtracting([.queued, .stale, .doubtful]).union(.running)
    }
    if old.contains(.running) { return }  // Its runner looks after the rest.
    if old.contains(.cancelled) { return dispose() }

    // It is ours. What was tracked again while it waited is up to date.
    let isDue = old.contains(.stale) || (old.contains(.doubtful) && isOutOfDate(on: thread))
    guard isDue, countsRun(effect, on: thread) else { return finish(on: thread) }
    if effect._withUnsafeGuaranteedRef({ $0.kind == .runs }) {
      effect._withUnsafeGuaranteedRef { run(on: thread, $0.body) }
      finish(on: thread)
    } else {
      tell(effect.takeUnretainedValue())
    }
  }

  /// - Parameter effect: Held here: once the reader does not run, another thread that cancels it frees it.
  @inline(never) private func tell(_ effect: Effect) {
    let old = move { $0.subtracting([.running, .doubtful]).union(.stale) }
    if old.contains(.cancelled) { dispose() } else { effect.body() }
  }

  /// Whether the run is among those that observers may cause in one flush; says so if not. Writes that come from
  /// elsewhere, however many, are no cycle.
  @inline(__always) private func countsRun(_ effect: Unmanaged<Effect>, on thread: ThisThread) -> Bool {
    let cause = pointee.cause.load(ordering: .relaxed)
    own.pointee.runsInWave = cause != 0 && cause == thread.pointee.wave ? own.pointee.runsInWave + 1 : 0
    if own.pointee.runsInWave < runsInFlushMax { return true }
    let writes = own.pointee.writes
    own.pointee.writes = []
    let name = effect.takeUnretainedValue().name
    GraphDiagnostics.report(.cycle(observer: name, runs: runsInFlushMax, writes: writes))
    return false
  }
}

/// A queued observer on its way to its isolation. The job has the queue's hold on the reader.
private struct Job: @unchecked Sendable {
  // Sendable: a queued reader belongs to whoever took it off the queue, here the job. The values are those of a
  // transaction, which never change.
  let reader: ReaderPointer
  /// The flush that sent it, so that a cycle across jobs is counted as one.
  let wave: UInt64
  /// What the writes of that flush carry, for the length of the job's synchronous call: a task that the observer begins
  /// must not inherit it, as it would a task-local.
  let values: AnyObject?

  /// Puts the job on the actor's queue in one step. A task that starts elsewhere and then hops would come
  /// behind what the caller enqueues after it.
  func enqueue(on isolation: any Actor) {
    let send: @Sendable (isolated any Actor, Job) -> Void = { actor, job in
      Task {
        _ = actor  // Captured, so that the task starts on it.
        job.perform()
      }
    }
    // `send` asks for its actor only so that the task's closure is formed on it; forming it touches nothing of
    // the actor's, so it may be done from anywhere.
    unsafeBitCast(send, to: (@Sendable (any Actor, Job) -> Void).self)(isolation, self)
  }

  private func perform() {
    guard let effect = reader.pointee.effect else { return }
    let thread = thisThread()
    let outerWave = thread.pointee.wave
    thread.openBatch()
    let outerValues = thread.pointee.transaction_values
    thread.pointee.wave = wave
    thread.pointee.transaction_values = values.map { Unmanaged.passUnretained($0).toOpaque() }
    thread.silently { reader.performHere(effect, on: thread) }
    thread.closeBatch()
    thread.pointee.wave = outerWave
    thread.pointee.transaction_values = outerValues
  }
}
