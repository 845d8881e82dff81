import StarlingGuard

/// An executor that runs jobs only when it is told to, in the order in which they came: the thread
/// of everything that happens in memory, in tests and simulations. Whoever calls `runJobs` lends
/// the thread; one at a time.
///
/// It serves actors and, as a task's preferred executor, the code between them, so that nothing of
/// such a task runs anywhere else and one seed gives one run.
public final class ManualExecutor: SerialExecutor, TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var next = 0
    var isRunning = false
  }

  private let state = Guarded(State())

  /// An executor without jobs.
  public init() {}

  /// Keeps a job until it is told to run; from any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Whoever asks while jobs run is taken to be one of them: nothing else runs on the lent thread.
  public func checkIsolated() {
    precondition(state.withLock { $0.isRunning }, "This runs on the executor only while it is driven.")
  }

  /// Runs jobs, those that they enqueue included, until none is left.
  ///
  /// - Returns: how many ran.
  @discardableResult
  public func runJobs() -> Int {
    var count = 0
    while let job = takeJob() {
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      count += 1
    }
    return count
  }

  /// Runs `body` as if it were a job: code of this executor's actors may be entered from it.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasRunning = state.withLock { state in
      defer { state.isRunning = true }
      return state.isRunning
    }
    defer { state.withLock { $0.isRunning = wasRunning } }
    return try body()
  }

  private func takeJob() -> UnownedJob? {
    state.withLock { state in
      guard state.next < state.jobs.count else {
        state.jobs.removeAll(keepingCapacity: true)
        state.next = 0
        state.isRunning = false
        return nil
      }
      defer { state.next += 1 }
      state.isRunning = true
      return state.jobs[state.next]
    }
  }
}
