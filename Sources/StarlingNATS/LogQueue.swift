#if NATS
  import Dispatch
  import StarlingGuard
  import Synchronization

  /// A serial queue as the executor of an actor that is blocked until servers answer.
  final class LogQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "starling-nats")
    /// The thread of whoever runs a job now; 0 for nobody.
    private let owner = Atomic<UInt>(0)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async {
        self.owner.store(ThreadNumber.current.number, ordering: .sequentiallyConsistent)
        job.runSynchronously(on: self.asUnownedSerialExecutor())
        self.owner.store(0, ordering: .sequentiallyConsistent)
      }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
      UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {
      precondition(isCurrent, "This runs only on the queue of its log.")
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    private var isCurrent: Bool { owner.load(ordering: .relaxed) == ThreadNumber.current.number }
  }
#endif
