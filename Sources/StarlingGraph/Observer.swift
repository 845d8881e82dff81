import StarlingGuard

/// Tracks a scope for a host that runs it itself, such as the body of a view.
///
/// `track` runs the scope; `onInvalidate` hears once that something which the scope read has changed, and not
/// again before the next `track`. Where a derived value came out the same, it hears nothing.
///
/// One scope at a time is tracked; starting a second one, from any thread, lets the first one's reads go.
package final class Observer: @unchecked Sendable {
  // Sendable: `reader` is guarded by `lock`, and good until it is taken out and cancelled.
  private let lock = Guard()
  /// Nil once cancelled.
  private var reader: ReaderPointer?
  private let effect: Effect

  /// - Parameters:
  ///   - name: Names the scope in diagnostics.
  ///   - isolation: Where `onInvalidate` is called, and where derived values that the scope read are brought up to
  ///     date to see whether they changed; nil: on the thread that wrote.
  ///   - onInvalidate: Called with no lock held, when the outermost batch has ended.
  package init(
    named name: String, isolation: (any Actor)? = nil, onInvalidate: @escaping @Sendable () -> Void
  ) {
    effect = Effect(name: name, isolation: isolation, kind: .isTold, body: onInvalidate)
    reader = .make(effect, state: [])
  }

  /// - Parameters:
  ///   - isolation: Where the scope runs, and where derived values that it read are brought up to date.
  ///   - onInvalidate: Called on the thread that wrote, unless a derived value has to be asked first.
  package init(
    named name: String, derivingOn isolation: any Actor, onInvalidate: @escaping @Sendable () -> Void
  ) {
    effect = Effect(name: name, isolation: isolation, kind: .isToldAnywhere, body: onInvalidate)
    reader = .make(effect, state: [])
  }

  deinit {
    cancel()
  }

  /// Runs `body` at once and notes what it reads, in place of what was noted before.
  ///
  /// After `cancel`, `body` runs and nothing is noted.
  package func track<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let thread = thisThread()
    guard let reader = claim() else { return try thread.silently(body) }
    thread.openBatch()
    defer {
      reader.finish(on: thread)
      thread.closeBatch()
    }
    return try reader.run(on: thread, body)
  }

  /// Ends the tracking: `onInvalidate` is not called any more, unless another thread is just calling it.
  package func cancel() {
    lock.lock()
    let cancelled = reader
    reader = nil
    lock.unlock()
    cancelled?.cancel()
  }

  /// Makes the reader running and up to date. One that is running already, tracked elsewhere or being asked
  /// whether it is out of date, is left to end by itself and replaced.
  private func claim() -> ReaderPointer? {
    lock.lock()
    guard let present = reader else {
      lock.unlock()
      return nil
    }
    let old = present.move { old in
      old.contains(.running) ? nil : old.subtracting([.stale, .doubtful]).union(.running)
    }
    guard old.contains(.running) else {
      lock.unlock()
      return present
    }
    let fresh = ReaderPointer.make(effect, state: .running)
    reader = fresh
    lock.unlock()
    present.cancel()
    return fresh
  }
}
