import Synchronization

/// The lock where domains meet: it guards the state, value and readers of every derived value.
///
/// A write marks derived values while it holds its domain's lock, so this one comes last in the lock order. That
/// makes marking one step with the write: no thread finds the new value beside a derived value that still counts
/// as fresh.
///
///     write ─▶ source ─ stale ─▶ derived ─ doubtful ─▶ derived ─ doubtful ─▶ observer, queued
///
/// Values are pulled later: a stale reader computes again, one that is in doubt first asks what it read.
// Safe: the pointer never changes, and what it points to is a lock and a count that the lock guards.
nonisolated(unsafe) let derivedDomain = HomeRecord.make()

extension ReaderPointer {
  @inline(__always) var isDerived: Bool { pointee.effect == nil }

  /// Marks a derived value, and passes the doubt on to whoever read it. Under the derived domain's lock.
  ///
  /// - Parameter link: What it read and is out of date; nil where it is just reading it.
  func markDerived(_ reason: Reader.State, through link: LinkPointer?, on thread: ThisThread) {
    guard takesMark(reason, through: link) else { return }
    // Derived values stand in no thread's queue, so that the pointer serves to line them up here.
    var pending: ReaderPointer? = self
    while let derived = pending {
      pending = derived.nextQueued
      derived.nextQueued = nil
      var next = derived.source?.guarded.pointee.firstReader
      while let link = next {
        next = link.guarded.pointee.nextReader
        let reader = link.pointee.reader
        if !reader.isDerived {
          reader.wake(.doubtful, through: link, on: thread)
        } else if reader.takesMark(.doubtful, through: link) {
          reader.nextQueued = pending
          pending = reader
        }
      }
    }
  }

  /// - Returns: Whether its readers have yet to hear of it.
  private func takesMark(_ reason: Reader.State, through link: LinkPointer?) -> Bool {
    let old = derivedState
    if old.contains(.running), let link, link.guarded.pointee.run != pointee.run.load(ordering: .relaxed) {
      return false
    }
    derivedState = old.union(reason)
    return old.isDisjoint(with: [.stale, .doubtful])
  }

  /// A derived value's state. Under the derived domain's lock.
  var derivedState: Reader.State {
    get { Reader.State(rawValue: pointee.state.load(ordering: .relaxed)) }
    nonmutating set { pointee.state.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// Whether nothing that a derived value read has changed since. Under the derived domain's lock.
  var isUpToDate: Bool { derivedState.isDisjoint(with: [.stale, .doubtful]) }

  /// Whether a derived value that it read has come out differently since. Asked by a runner that is in doubt.
  func isOutOfDate(on thread: ThisThread) -> Bool {
    own.pointee.dependencies.contains(where: { link in
      guard link.pointee.home == derivedDomain else { return false }
      derivedDomain.lockSelf()
      guard let source = link.guarded.pointee.source, case .derived(let unmanaged) = source.pointee.owner else {
        // Its owner is gone, and with it everything that could change.
        derivedDomain.unlock()
        return false
      }
      let node = unmanaged.retain()
      derivedDomain.unlock()
      defer { node.release() }
      guard node._withUnsafeGuaranteedRef({ $0.isBroughtUpToDate(on: thread) }) else { return true }
      derivedDomain.lockSelf()
      defer { derivedDomain.unlock() }
      return link.guarded.pointee.source.map { $0.guarded.pointee.version != link.guarded.pointee.version } ?? false
    })
  }
}
