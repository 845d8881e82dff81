/// A derived value's place in the graph: a reader of what it is computed from, a source to those who read it.
///
/// It outlives its handle while somebody asks it whether it changed. What differs by type are four short steps;
/// when they run, and under what, is decided here.
@usableFromInline class DerivedNode {
  private let name: String
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

  @usableFromInline init(name: String, isComputable: Bool) {
    self.name = name
    reader = .make(nil, state: .stale)
    guarded = Inline(Guarded(isComputable: isComputable))
  }

  deinit {
    reader.dispose()
  }

  // MARK: The steps, for the type to fill in

  /// Computes and keeps the result aside. No lock held.
  ///
  /// - Returns: False if the owner is gone.
  @usableFromInline func compute() -> Bool { preconditionFailure("A derived value knows its type.") }

  /// Whether what lies aside differs from the value. No lock held.
  @usableFromInline func isChanged() -> Bool { preconditionFailure("A derived value knows its type.") }

  /// Swaps the value with what lies aside. Locked.
  @usableFromInline func exchange() { preconditionFailure("A derived value knows its type.") }

  /// Releases what lies aside. No lock held.
  @usableFromInline func discard() { preconditionFailure("A derived value knows its type.") }

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
  @usableFromInline final func find() -> Finding {
    let thread = thisThread()
    junction.lockSelf()
    if reader.derivedState.contains(.running) {
      let isOwn = guarded.address.pointee.thread == thread
      junction.unlock()
      guard isOwn else { return .busy }
      GraphDiagnostics.report(.readsItself(derived: name))
      junction.lockSelf()
      return .value
    }
    if !reader.isUpToDate {
      guard guarded.address.pointee.isComputable else {
        junction.unlock()
        return .notComputable
      }
      update(on: thread)
    }
    if let outer = thread.reader { note(outer, on: thread) }
    return .value
  }

  /// After `find` returned `.value`.
  @usableFromInline final func unlock() {
    junction.unlock()
  }

  /// Computes the value again if that is due.
  ///
  /// - Returns: False where it stays in doubt: another thread computes it, or a write came in between.
  final func isBroughtUpToDate(on thread: ThisThread) -> Bool {
    junction.lockSelf()
    defer { junction.unlock() }
    if reader.derivedState.contains(.running) { return false }
    if !reader.isUpToDate { update(on: thread) }
    return reader.isUpToDate
  }

  /// Computes the value again if it is stale, or in doubt for a reason. Locked before and after, open meanwhile.
  private func update(on thread: ThisThread) {
    let reason = reader.derivedState
    reader.derivedState = .running
    guarded.address.pointee.thread = thread
    junction.unlock()

    var isChanged = false
    if reason.contains(.stale) || thread.reading(for: nil, { reader.isOutOfDate(on: thread) }),
      reader.run(on: thread, compute)
    {
      isChanged = thread.reading(for: nil, self.isChanged)
    }
    if isChanged {
      junction.lockSelf()
      exchange()
      reader.source?.guarded.pointee.version += 1
      junction.unlock()
    }
    thread.reading(for: nil, discard)

    junction.lockSelf()
    guarded.address.pointee.thread = nil
    reader.derivedState = reader.derivedState.subtracting(.running)
  }

  /// Notes that `outer` read the value that stands now. Locked.
  private func note(_ outer: ReaderPointer, on thread: ThisThread) {
    if guarded.address.pointee.isOrphan { return }
    let source = reader.source ?? .make(in: junction, owner: .derived(.passUnretained(self)))
    reader.source = source
    source.note(outer)
    // A write that came while it was computed told the readers of that moment, not this one.
    if reader.isUpToDate { return }
    if outer.isDerived {
      outer.markDerived(.doubtful, through: nil, on: thread)
    } else {
      outer.move { $0.isDisjoint(with: [.cancelled, .stale, .doubtful]) ? $0.union(.doubtful) : nil }
    }
  }

  // MARK: The ends of its life

  /// Runs `give` unless there is a computation. Locked meanwhile.
  @usableFromInline final func makeComputable(_ give: () -> Void) {
    junction.lockSelf()
    if !guarded.address.pointee.isComputable {
      give()
      guarded.address.pointee.isComputable = true
    }
    junction.unlock()
  }

  /// Leaves the readers behind. Called once, when the handle goes.
  @usableFromInline final func orphan() {
    junction.lockSelf()
    guarded.address.pointee.isOrphan = true
    guard let source = reader.source else { return junction.unlock() }
    reader.source = nil
    source.end(under: junction)
  }
}
