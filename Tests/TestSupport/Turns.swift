/// Lets other jobs run, for tests that wait for what comes about on an actor or a thread that they do not hold.
public enum Turns {
  /// Suspends the caller again and again until something has come about.
  ///
  /// The bound says only that it never will: it is far beyond what a busy machine needs, and no test asserts it. A loop
  /// without one stops the whole run where a test should fail.
  ///
  /// - Returns: Whether it has; expect it.
  public static func pass(until isDone: () async throws -> Bool) async rethrows -> Bool {
    let bound = ContinuousClock.now + .seconds(300)
    while try await !isDone() {
      guard ContinuousClock.now < bound else { return false }
      await Task.yield()
    }
    return true
  }
}
