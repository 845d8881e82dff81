package import StarlingEngine
import StarlingGuard

extension ManualExecutor {
  /// Runs `body` to its end on the calling thread.
  package func perform(_ body: @escaping @Sendable () async throws -> Void) {
    let hasEnded = Guarded(false)
    Task(executorPreference: self) {
      do { try await body() } catch { fatalError("What is counted failed: \(error)") }
      hasEnded.withLock { $0 = true }
    }
    while runJobs() > 0 {}
    precondition(hasEnded.withLock { $0 }, "What is counted waits for something that nobody runs.")
  }
}
