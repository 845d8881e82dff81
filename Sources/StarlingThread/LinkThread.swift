import StarlingGuard
import Synchronization

/// The thread that links live on, and the serial executor of actors that use them, as an engine does.
///
/// ```
///   launch ─► run work ─► turn (links, receive, sleep) ───┐       end: run what is left,
///               ▲                                         │            then hand over
///               └─────────────────────────────────────────┘
/// ```
///
/// Work that comes after the end runs elsewhere, still one piece at a time and in order: an actor
/// outlives its link and must go on being one.
///
/// It is no task executor: with tasks preferring it, every tenth run or so of the demonstration lost
/// the end of a log append, and with it a flush.
package final class LinkThread: SerialExecutor {
  private enum Work: Sendable {
    case job(UnownedJob)
    case body(@Sendable () -> Void)
  }

  private enum Phase { case running, ending, ended }

  /// What other threads change.
  private struct State {
    var work: [Work] = []
    var phase = Phase.running
    /// Until somebody joins or detaches the thread.
    var handle: SystemThread?
    /// Whether somebody runs the work that came after the end.
    var isRunElsewhere = false
  }

  private let state = Guarded(State())
  private let wakeup = Wakeup()
  /// The number of the thread that runs work now; 0 for none.
  private let owner = Atomic<UInt>(0)

  /// Whether the thread could be made; if not, work runs elsewhere from the beginning.
  package var isRunning: Bool { state.withLock { $0.phase == .running } }

  // MARK: Life

  /// Begins; once. `turn` is called again and again, with the work that came in between done, and
  /// calls `sleep`; `finish` at the end.
  func launch(turn: @escaping @Sendable () -> Void, finish: @escaping @Sendable () -> Void) {
    guard wakeup.isUsable,
      let handle = SystemThread(named: "starling-link", { self.main(turn: turn, finish: finish) })
    else { return state.withLock { $0.phase = .ended } }
    state.withLock { $0.handle = handle }
  }

  private func main(turn: () -> Void, finish: () -> Void) {
    owner.store(ThreadNumber.current.number, ordering: .sequentiallyConsistent)
    repeat {
      runWork()
      turn()
    } while isRunning
    runWork()
    finish()
    while !handOver() { runWork() }
  }

  /// Nobody owns the work once the last of it is done.
  private func handOver() -> Bool {
    state.withLock { state in
      guard state.work.isEmpty else { return false }
      state.phase = .ended
      owner.store(0, ordering: .sequentiallyConsistent)
      return true
    }
  }

  /// Ends the thread after the work that was enqueued before. Any thread; more than once does no harm.
  ///
  /// - Parameter waits: returns only when it has ended; never asked for on the thread itself.
  package func end(waits: Bool) {
    let handle = state.withLock { state -> SystemThread? in
      if state.phase == .running { state.phase = .ending }
      defer { state.handle = nil }
      return state.handle
    }
    wakeup.ring()
    guard let handle else { return }
    if waits { handle.join() } else { handle.detach() }
  }

  // MARK: Work

  /// Whether a job waits for its turn.
  package var hasWork: Bool { state.withLock { !$0.work.isEmpty } }

  package func enqueue(_ job: consuming ExecutorJob) {
    // Whoever enqueues holds us by the job alone, which may be done, and the link gone, before we return.
    let ourselves = Unmanaged.passRetained(self)
    defer { ourselves.release() }
    add(.job(UnownedJob(job)))
  }

  /// Runs `body` in its turn among the jobs. Any thread.
  package func run(_ body: @escaping @Sendable () -> Void) {
    add(.body(body))
  }

  private func add(_ work: Work) {
    let runsElsewhere = state.withLock { state in
      state.work.append(work)
      guard state.phase == .ended, !state.isRunElsewhere else { return false }
      state.isRunElsewhere = true
      return true
    }
    if runsElsewhere {
      Task.detached { self.runElsewhere() }
    } else if !isCurrent {
      // What the thread gives itself it sees before it sleeps.
      wakeup.ring()
    }
  }

  private func runWork() {
    let work = state.withLock { state in
      defer { state.work = [] }
      return state.work
    }
    for piece in work {
      switch piece {
      case .job(let job):
        job.runSynchronously(on: asUnownedSerialExecutor())
      case .body(let body): body()
      }
    }
  }

  private func runElsewhere() {
    owner.store(ThreadNumber.current.number, ordering: .sequentiallyConsistent)
    repeat { runWork() } while !yield()
  }

  private func yield() -> Bool {
    state.withLock { state in
      guard state.work.isEmpty else { return false }
      state.isRunElsewhere = false
      owner.store(0, ordering: .sequentiallyConsistent)
      return true
    }
  }

  // MARK: Being an executor

  package var isCurrent: Bool { owner.load(ordering: .relaxed) == ThreadNumber.current.number }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  package func checkIsolated() {
    precondition(isCurrent, "This runs only on the thread of its link.")
  }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  // MARK: Sleeping

  /// Ends the present or the next sleep. Any thread.
  package func ring() { wakeup.ring() }

  /// What the thread sleeps on, with nothing but the wakeup so far.
  func makeWatch() -> WatchedDescriptors { WatchedDescriptors(endedBy: wakeup) }
}
