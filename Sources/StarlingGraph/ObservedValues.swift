import StarlingGuard

/// The values of an expression, as a sequence: the first one, and the newest after each change of what it read.
///
/// ```swift
/// for await title in ObservedValues({ book.title }) { print(title) }
/// ```
///
/// `read` runs on its own isolation, once for each value that is asked for, and what it reads is recorded again in each
/// run. The standard library's `Observations` has the same form, and misses what another thread writes after `read` has
/// read it and before it is recorded. Here a read of a model, a binding or a collection records itself: each later write
/// leads to another value. Objects of the standard library's `@Observable` are recorded after `read` has returned, as
/// `Observations` does.
///
/// Changes that come before the next value is asked for are one: values between may be left out, the last one never
/// is. A transaction is one change. The same value may come again, for values are not compared; where a `derived`
/// property that was read comes out the same, there is no change.
///
/// Nothing is read before the first value is asked for. What was read is observed from then on until the iterator
/// goes, as it does at the end of a `for` loop, or the sequence ends: when `read` throws, or when the task that iterates
/// is cancelled. Each iterator observes for itself.
public struct ObservedValues<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  private let name: String
  /// Where `read` must be called; nil: anywhere.
  private let home: (any Actor)?
  private let read: @Sendable () throws(Failure) -> Iteration

  /// What a sequence does next, for `untilFinished`.
  public enum Iteration: Sendable {
    /// Yields the value.
    case next(Element)
    /// Ends the sequence.
    case finish
  }

  /// Yields what `read` returns, without an end of its own.
  ///
  /// - Parameters:
  ///   - fileID: Leave it out: it names the place in the source, for diagnostics.
  ///   - line: Leave it out: it names the place in the source, for diagnostics.
  ///   - read: Reads what the value is made of. An error that it throws ends the sequence.
  public init(
    fileID: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ read: @escaping @isolated(any) @Sendable () throws(Failure) -> Element
  ) {
    let home = read.isolation
    // As in `observe`: whoever calls it stands on `home` already.
    let value = unsafeBitCast(read, to: (@Sendable () throws(Failure) -> Element).self)
    self.init(name: "\(fileID):\(line)", home: home) { () throws(Failure) in .next(try value()) }
  }

  /// The same, which ends where `read` says so.
  ///
  /// - Parameters:
  ///   - fileID: Leave it out: it names the place in the source, for diagnostics.
  ///   - line: Leave it out: it names the place in the source, for diagnostics.
  ///   - read: Reads what the value is made of. An error that it throws ends the sequence.
  public static func untilFinished(
    fileID: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ read: @escaping @isolated(any) @Sendable () throws(Failure) -> Iteration
  ) -> ObservedValues {
    let home = read.isolation
    let step = unsafeBitCast(read, to: (@Sendable () throws(Failure) -> Iteration).self)
    return ObservedValues(name: "\(fileID):\(line)", home: home, read: step)
  }

  private init(name: String, home: (any Actor)?, read: @escaping @Sendable () throws(Failure) -> Iteration) {
    self.name = name
    self.home = home
    self.read = read
  }

  /// Observes for itself; reads nothing yet.
  public func makeAsyncIterator() -> Iterator {
    let staleness = Staleness()
    let invalidate: @Sendable () -> Void = { staleness.mark() }
    let observer =
      home.map { Observer(named: name, derivingOn: $0, onInvalidate: invalidate) }
      ?? Observer(named: name, onInvalidate: invalidate)
    return Iterator(course: Course(values: self, observer: observer, staleness: staleness))
  }

  /// Called on `home`.
  private func step(notedBy observer: Observer, on home: isolated (any Actor)?) throws(Failure) -> Iteration {
    try observer.track(read)
  }

  /// One iteration while it lasts.
  fileprivate struct Course: Sendable {
    let values: ObservedValues
    let observer: Observer
    let staleness: Staleness

    func step() async throws(Failure) -> Iteration {
      try await values.step(notedBy: observer, on: values.home)
    }
  }

  /// Observes what was read for the value before. Copies share what they observe: a value goes to one of them.
  public struct Iterator: AsyncIteratorProtocol {
    /// Nil once the sequence has ended.
    fileprivate var course: Course?

    /// The next value, as soon as something that was read for the one before has changed; at once for the first.
    ///
    /// - Parameter isolation: Leave it out: it names the actor on which the caller runs.
    /// - Returns: Nil when the sequence has ended, or the task is cancelled, which ends it.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      guard let course else { return nil }
      await course.staleness.clear()
      do throws(Failure) {
        if !Task.isCancelled, case .next(let element) = try await course.step() { return element }
      } catch {
        self.course = nil
        throw error
      }
      self.course = nil
      return nil
    }
  }
}

/// Whether a value is out of date, and who waits for that.
///
///     stale ──▶ clear() ──▶ fresh ──▶ clear() ──▶ awaited ──▶ mark() ──▶ fresh, and `clear` returns
///       ▲                     │ mark()
///       └─────────────────────┘
private final class Staleness: Sendable {
  private enum State {
    case stale
    case fresh
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Guarded(State.stale)

  /// Makes it out of date, or ends the wait for that.
  func mark() {
    let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard case .awaited(let continuation) = state else {
        state = .stale
        return nil
      }
      state = .fresh
      return continuation
    }
    waiting?.resume()
  }

  /// Waits until it is out of date, and makes it up to date. The task's cancellation ends the wait too.
  func clear(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      // Named, so that the closure stays where the caller is.
      await withCheckedContinuation(isolation: isolation) { continuation in
        let isStale = state.withLock { state in
          if case .stale = state {
            state = .fresh
            return true
          }
          state = .awaited(continuation)
          return false
        }
        if isStale { continuation.resume() }
      }
    } onCancel: {
      mark()
    }
  }
}
