import Synchronization

/// A derived value's place in the graph: a reader of what it is computed from, a source to those who read it.
///
/// It outlives its handle while somebody asks it whether it changed. It knows nothing of the type: four short steps
/// do, and when they run, and under what, is decided here.
@usableFromInline final class DerivedNode {
  private let name: String
  /// Carries out a step on the value.
  private let perform: (Step) -> Bool
  private let reader: ReaderPointer
  /// Guarded by the junction's lock.
  private let guarded: Inline<Guarded>

  private struct Guarded {
    /// Whether there is a computation.
    var isComputable: Bool
    /// Its handle is gone: nobody reads it any more.
    var isOrphan = false
    /// The thread that computes it just now.
    var thread: ThisThread?
  }

  @usableFromInline enum Step {
    /// Computes and keeps the result aside; answers whether there is one, which there is while the owner lives.
    /// No lock held.
    case compute
    /// Answers whether what lies aside differs from the value. No lock held.
    case compare
    /// Swaps the value with what lies aside. Locked.
    case exchange
    /// Releases what lies aside. No lock held.
    case discard
  }

  @usableFromInline init(name: String, isComputable: Bool, perform: @escaping (Step) -> Bool) {
    self.name = name
    self.perform = perform
    reader = .make(nil, state: .stale)
    guarded = Inline(Guarded(isComputable: isComputable))
  }

  deinit {
    reader.dispose()
  }

  // MARK: Reading

  /// What a reader finds.
  @usableFromInline enum Finding {
    /// The value stands, noted as read. The junction is locked until the reader has copied it.
    case value
    /// Another thread computes it. Waiting could deadlock: the reader computes for itself and so reads what the
    /// value is computed from.
    case busy
    /// It has no computation yet.
    case notComputable
  }

  /// Brings the value up to date and notes that the current reader read it.
  @usableFromInline func find() -> Finding {
    let thread = thisThread()
    derivedDomain.lockSelf()
    if reader.derivedState.contains(.running) {
      let isOwn = guarded.address.pointee.thread == thread
      derivedDomain.unlock()
      guard isOwn else { return .busy }
      GraphDiagnostics.report(.readsItself(derived: name))
      derivedDomain.lockSelf()
      return .value
    }
    if !reader.isUpToDate {
      guard guarded.address.pointee.isComputable else {
        derivedDomain.unlock()
        return .notComputable
      }
      update(on: thread)
    }
    if let outer = thread.reader { note(outer, on: thread) }
    return .value
  }

  /// After `find` returned `.value`.
  @usableFromInline func unlock() {
    derivedDomain.unlock()
  }

  /// Computes the value again if that is due.
  ///
  /// - Returns: False where it stays in doubt: another thread computes it, or a write came in between.
  func isBroughtUpToDate(on thread: ThisThread) -> Bool {
    derivedDomain.lockSelf()
    defer { derivedDomain.unlock() }
    if reader.derivedState.contains(.running) { return false }
    if !reader.isUpToDate { update(on: thread) }
    return reader.isUpToDate
  }

  /// Computes the value again if it is stale, or in doubt for a reason. Locked before and after, open meanwhile.
  private func update(on thread: ThisThread) {
    let reason = reader.derivedState
    reader.derivedState = .running
    guarded.address.pointee.thread = thread
    derivedDomain.unlock()

    var isChanged = false
    if reason.contains(.stale) || thread.silently({ reader.isOutOfDate(on: thread) }),
      reader.run(on: thread, { perform(.compute) })
    {
      isChanged = thread.silently { perform(.compare) }
    }
    if isChanged {
      derivedDomain.lockSelf()
      _ = perform(.exchange)
      reader.source?.guarded.pointee.version += 1
      derivedDomain.unlock()
    }
    _ = thread.silently { perform(.discard) }

    derivedDomain.lockSelf()
    guarded.address.pointee.thread = nil
    reader.derivedState = reader.derivedState.subtracting(.running)
  }

  /// Notes that `outer` read the value that stands now. Locked.
  private func note(_ outer: ReaderPointer, on thread: ThisThread) {
    if guarded.address.pointee.isOrphan { return }
    let source = reader.source ?? .make(in: derivedDomain, owner: .derived(.passUnretained(self)))
    reader.source = source
    source.note(outer)
    // A write that came while it was computed told the readers of that moment, not this one.
    if reader.isUpToDate { return }
    if outer.isDerived {
      outer.markDerived(.doubtful, through: nil, on: thread)
    } else {
      outer.pointee.cause.store(0, ordering: .relaxed)
      outer.move { $0.isDisjoint(with: [.cancelled, .stale, .doubtful]) ? $0.union(.doubtful) : nil }
    }
  }

  // MARK: The ends of its life

  /// Runs `give` unless there is a computation. Locked meanwhile.
  @usableFromInline func makeComputable(_ give: () -> Void) {
    derivedDomain.lockSelf()
    if !guarded.address.pointee.isComputable {
      give()
      guarded.address.pointee.isComputable = true
    }
    derivedDomain.unlock()
  }

  /// Whether somebody is noted who read it; for tests.
  var isRead: Bool {
    derivedDomain.lockSelf()
    defer { derivedDomain.unlock() }
    return reader.source != nil
  }

  /// Leaves the readers behind. Called once, when the handle goes.
  @usableFromInline func orphan() {
    derivedDomain.lockSelf()
    guarded.address.pointee.isOrphan = true
    guard let source = reader.source else { return derivedDomain.unlock() }
    reader.source = nil
    source.end(under: derivedDomain)
  }
}
