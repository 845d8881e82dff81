#if NATS
  import CNATS
  import Dispatch
  import StarlingGuard
  import Synchronization

  /// The serial queue that owns a link, as the executor of the actors that live on it.
  ///
  /// ```
  ///   libnats' threads ─ ring ─┐
  ///   any thread ─────── wake ─┼─► turn        jobs ─► run between turns
  ///   tick ────────────────────┘
  /// ```
  ///
  /// It outlives the link: jobs that come after the link's end still run here, one at a time.
  final class LinkQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "starling-nats")
    /// The thread of whoever runs work now; 0 for nobody.
    private let owner = Atomic<UInt>(0)
    private let isTurnDue = Atomic(false)
    private let turn = Guarded(Turn())

    private struct Turn {
      var body: (@Sendable () -> Void)?
    }

    /// What a turn is, or nil for nothing any more.
    func setTurn(_ turn: (@Sendable () -> Void)?) {
      let displaced = self.turn.withLock { current in
        defer { current.body = turn }
        return current.body
      }
      withExtendedLifetime(displaced) {}
    }

    /// Has a turn made soon. Any thread; many calls may make one.
    func ring() {
      guard !isTurnDue.exchange(true, ordering: .acquiringAndReleasing) else { return }
      run { [weak self] in self?.makeTurn() }
    }

    /// Has turns made every `interval`, until there is nothing to be done in them.
    func tick(every interval: Duration) {
      let nanoseconds = Int(clamping: Int64(interval / .nanoseconds(1)))
      queue.asyncAfter(deadline: .now() + .nanoseconds(max(1_000_000, nanoseconds))) { [weak self] in
        guard let self, turn.withLock({ $0.body != nil }) else { return }
        perform { self.makeTurn() }
        tick(every: interval)
      }
    }

    private func makeTurn() {
      isTurnDue.store(false, ordering: .sequentiallyConsistent)
      turn.withLock { $0.body }?()
    }

    // MARK: Being an executor

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      run { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs `body` in its turn among the jobs. Any thread.
    func run(_ body: @escaping @Sendable () -> Void) {
      queue.async { self.perform(body) }
    }

    private func perform(_ body: () -> Void) {
      owner.store(starling_current_thread(), ordering: .sequentiallyConsistent)
      body()
      owner.store(0, ordering: .sequentiallyConsistent)
    }

    var isCurrent: Bool { owner.load(ordering: .relaxed) == starling_current_thread() }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
      UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {
      precondition(isCurrent, "This runs only on the queue of its link.")
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }
  }
#endif
