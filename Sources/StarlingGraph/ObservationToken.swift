import Synchronization

/// Runs `body` now, and again after every batch in which something that it read has changed.
///
/// `body` runs on its own isolation: on an actor, in a job of that actor; without one, on the thread that wrote, after
/// the write. It never runs twice at the same time, it runs once for all writes of a batch, and it does not run if a
/// derived value that it read is the same as before. What it reads is recorded again in each run. A write in it is
/// queued and does not recurse; a cycle is cut off after 100 runs, with a diagnostic.
///
/// ```swift
/// let observing = observe { label.text = book.title }
/// ```
///
/// An actor that stores what this returns and captures itself in `body` keeps itself alive until it calls `cancel()`.
/// `observe(for:_:)` passes the actor to `body` instead.
///
/// - Returns: What keeps it running: it ends when this is cancelled or released.
public func observe(
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, line: UInt = #line,
  @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () -> Void
) -> ObservationToken {
  let home = body.isolation
  let effect = Effect(name: "\(fileID):\(line)", isolation: home, kind: .runs, body: IsolatedBody(body: body).unchecked)
  let reader = ReaderPointer.make(effect, state: [.stale, .queued])
  reader.start(isHere: home == nil || home === isolation)
  return ObservationToken(reader)
}

/// A body that says where it runs.
private struct IsolatedBody {
  let body: @isolated(any) @Sendable () -> Void

  private struct Unchecked {
    let body: @Sendable () -> Void
  }

  /// `@isolated(any)` says what a caller must do before calling, not how the function is called: whoever calls this
  /// stands on the body's isolation already. The structs are cast, not the functions: as a value of some type a function
  /// is wrapped, and each call would go through the wrappers.
  var unchecked: @Sendable () -> Void { unsafeBitCast(self, to: Unchecked.self).body }
}

/// As `observe(_:)`, for an actor that keeps what this returns: `body` is handed the actor, which the observer does not
/// hold. It runs on the actor, and ends with it.
///
/// ```swift
/// observing = observe(for: self) { desk in desk.label = desk.book?.title }
/// ```
///
/// - Parameters:
///   - owner: The actor on which `body` runs.
///   - isolation: Leave it out: it names the actor on which the caller runs.
///   - fileID: Leave it out: it names the place in the source, for diagnostics.
///   - line: Leave it out: it names the place in the source, for diagnostics.
///   - body: Must not capture the actor.
/// - Returns: The only hold on the observer, as of `observe(_:)`.
public func observe<Owner: Actor>(
  for owner: Owner, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, line: UInt = #line,
  _ body: @escaping @Sendable (isolated Owner) -> Void
) -> ObservationToken {
  // `isolated` says where a caller must stand, which whoever calls `run` does, unless the actor has gone.
  let read = unsafeBitCast(body, to: (@Sendable (Owner) -> Void).self)
  let run: @Sendable () -> Void = { [weak owner] in
    if let owner { read(owner) }
  }
  let reader = ReaderPointer.make(Effect(name: "\(fileID):\(line)", owner: owner, body: run), state: [.stale, .queued])
  reader.start(isHere: owner === isolation)
  return ObservationToken(reader)
}

/// Keeps an observer running until it is cancelled or released.
public final class ObservationToken: @unchecked Sendable {
  // Sendable: whoever takes the pointer out, once, cancels; until then it is good.
  private let reader: Atomic<ReaderPointer?>

  fileprivate init(_ reader: ReaderPointer) {
    self.reader = Atomic(reader)
  }

  /// Ends the observer: no run begins after this returns. One that is under way, on this thread or another,
  /// goes on to its end.
  public func cancel() {
    reader.exchange(nil, ordering: .acquiringAndReleasing)?.cancel()
  }

  deinit {
    cancel()
  }
}
